// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "runtime/weighted_rows.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

template <class Scalar>
class WeightedRows : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(WeightedRows, Scalars);

TYPED_TEST(WeightedRows, AreSubtractedFromEveryColumn) {
  for (const Index columns : {1, 7, 16, 65, 259}) {
    const auto rows = support::random_matrix<TypeParam>(20, columns, 3);
    const auto from = support::random_matrix<TypeParam>(1, columns, 4);
    const std::vector<std::int32_t> chosen = {3, 19, 0, 7, 3};
    const std::vector<TypeParam> weights = {TypeParam(0.5), TypeParam(-2), TypeParam(1),
                                            TypeParam(3), TypeParam(0.25)};
    std::vector<TypeParam> to(static_cast<std::size_t>(columns));
    subtract_rows<TypeParam>(from.data(), rows, chosen, weights.data(), to.data());
    for (Index j = 0; j < columns; ++j) {
      double wanted = static_cast<double>(from(0, j));
      for (std::size_t t = 0; t < chosen.size(); ++t)
        wanted -= static_cast<double>(weights[t]) * static_cast<double>(rows(chosen[t], j));
      EXPECT_NEAR(static_cast<double>(to[static_cast<std::size_t>(j)]), wanted,
                  sizeof(TypeParam) == 4 ? 1e-5 : 1e-13);
    }
  }
}

TYPED_TEST(WeightedRows, HaveTheSameBitsInPlaceAndAtAnyPosition) {
  constexpr Index kColumns = 75;
  const auto rows = support::random_matrix<TypeParam>(6, kColumns, 5);
  const auto from = support::random_matrix<TypeParam>(1, kColumns, 6);
  const std::vector<std::int32_t> chosen = {5, 1, 2};
  const std::vector<TypeParam> weights = {TypeParam(0.3), TypeParam(0.7), TypeParam(-0.9)};
  std::vector<TypeParam> whole(kColumns);
  subtract_rows<TypeParam>(from.data(), rows, chosen, weights.data(), whole.data());
  std::vector<TypeParam> in_place(from.data(), from.data() + kColumns);
  subtract_rows<TypeParam>(in_place.data(), rows, chosen, weights.data(), in_place.data());
  EXPECT_EQ(in_place, whole);
  const ConstMatrixView<TypeParam> shifted(rows.data() + 3, 6, kColumns - 3, kColumns);
  std::vector<TypeParam> part(kColumns - 3);
  subtract_rows<TypeParam>(from.data() + 3, shifted, chosen, weights.data(), part.data());
  EXPECT_EQ(part, std::vector<TypeParam>(whole.begin() + 3, whole.end()));
}

TYPED_TEST(WeightedRows, TheLargestMagnitudeIsTheFirstOfThose) {
  std::vector<TypeParam> values(37, TypeParam(0.5));
  EXPECT_EQ(largest_magnitude(values.data(), 37), 0);
  values[36] = TypeParam(-3);
  EXPECT_EQ(largest_magnitude(values.data(), 37), 36);
  values[5] = TypeParam(3);
  EXPECT_EQ(largest_magnitude(values.data(), 37), 5);
  EXPECT_EQ(largest_magnitude(values.data(), 1), 0);
}

}  // namespace
}  // namespace krica
