// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "support/comparison.hpp"

namespace krica {
namespace {

using support::refusal;

TEST(Require, SaysTheOperationAndTheValues) {
  EXPECT_NO_THROW(require(true, "op", "never {}", 1));
  EXPECT_EQ(refusal([] { require(false, "rica", "sparsity must be >= 0, got {}", -1); }),
            "[rica] sparsity must be >= 0, got -1");
}

TEST(Require, ThrowsWhatStandardHandlersCatch) {
  EXPECT_THROW(require(false, "op", "no"), std::invalid_argument);
}

template <class Scalar>
class RequireFinite : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RequireFinite, Scalars);

TYPED_TEST(RequireFinite, CountsAndFindsTheFirst) {
  using Limits = std::numeric_limits<TypeParam>;
  Matrix<TypeParam> matrix(5, 20);
  EXPECT_NO_THROW(require_finite<TypeParam>(matrix, "op", "X"));
  matrix(2, 19) = Limits::quiet_NaN();
  matrix(4, 0) = -Limits::infinity();
  matrix(4, 7) = Limits::infinity();
  EXPECT_EQ(refusal([&] { require_finite<TypeParam>(matrix, "krica", "X"); }),
            "[krica] X holds 3 NaN or infinite value(s), the first at row 2, column 19");
}

TYPED_TEST(RequireFinite, AcceptsTheExtremesAndNothingAtAll) {
  using Limits = std::numeric_limits<TypeParam>;
  Matrix<TypeParam> matrix(1, 4);
  matrix(0, 0) = Limits::max();
  matrix(0, 1) = Limits::lowest();
  matrix(0, 2) = Limits::denorm_min();
  matrix(0, 3) = TypeParam(-0.0);
  EXPECT_NO_THROW(require_finite<TypeParam>(matrix, "op", "X"));
  EXPECT_NO_THROW(require_finite<TypeParam>(Matrix<TypeParam>(), "op", "X"));
}

TYPED_TEST(RequireFinite, LooksAtTheViewOnly) {
  Matrix<TypeParam> wide(3, 6);
  wide.view().setConstant(std::numeric_limits<TypeParam>::quiet_NaN());
  wide.view().middleCols(1, 4).setOnes();
  const ConstMatrixView<TypeParam> view(wide.data() + 1, 3, 4, 6);
  EXPECT_NO_THROW(require_finite<TypeParam>(view, "op", "X"));
}

TEST(RequireNotEmpty, SaysTheShape) {
  const Matrix<float> no_rows(0, 3);
  const Matrix<float> no_cols(2, 0);
  EXPECT_EQ(refusal([&] { require_not_empty<float>(no_rows, "op", "X"); }),
            "[op] X is empty (0 x 3)");
  EXPECT_EQ(refusal([&] { require_not_empty<float>(no_cols, "op", "X"); }),
            "[op] X is empty (2 x 0)");
  EXPECT_NO_THROW(require_not_empty<float>(Matrix<float>(1, 1), "op", "X"));
}

enum class Colour { kRed, kBlue, kUnnamed };
constexpr NameTable<Colour, 2> kColours = {{{Colour::kRed, "red"}, {Colour::kBlue, "blue"}}};

TEST(NameTable, ServesBothDirections) {
  EXPECT_EQ(find_name(kColours, Colour::kBlue), "blue");
  EXPECT_EQ(find_value(kColours, "red", "colour"), Colour::kRed);
  EXPECT_EQ(find_name(kColours, Colour::kUnnamed), "unknown");
}

TEST(NameTable, ListsTheKnownNames) {
  EXPECT_EQ(refusal([] { (void)find_value(kColours, "green", "colour"); }),
            "[colour] unknown colour 'green'; known: red, blue");
  EXPECT_EQ(refusal([] { (void)find_value(kColours, "bleu", "colour"); }),
            "[colour] unknown colour 'bleu'; did you mean 'blue'?; known: red, blue");
}

}  // namespace
}  // namespace krica
