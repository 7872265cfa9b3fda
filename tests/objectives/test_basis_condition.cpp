// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a basis is sound: codes that hardly vary of over half the atoms are diverged, over half
// with a twin are collapsed, exactly half is neither.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "objectives/basis_condition.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::random_matrix;

constexpr Index kAtoms = 8;
constexpr Index kLength = 6;

template <class Scalar>
class Condition : public testing::Test {
 protected:
  BasisCondition condition() {
    KricaObjective<Scalar> objective(X_, {.n_components = kAtoms, .kernel = {.gamma = 0.2}});
    return objective.condition(context_, W_);
  }
  void move_away(Index atoms) {
    for (Index u = 0; u < atoms; ++u) W_(u, 0) = static_cast<Scalar>(100 * (u + 1));
  }
  void put_on_top(Index atom, Index of, double distance = 0) {
    std::copy_n(W_.row(of), kLength, W_.row(atom));
    W_(atom, 1) += static_cast<Scalar>(distance);
  }

  const Context context_{{.threads = 2}};
  Matrix<Scalar> X_ = random_matrix<Scalar>(60, kLength, 1);
  Matrix<Scalar> W_ = random_matrix<Scalar>(kAtoms, kLength, 2);
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Condition, Scalars);

TYPED_TEST(Condition, OfAnOrdinaryBasisIsSound) {
  EXPECT_EQ(this->condition(), BasisCondition::kSound);
}

TYPED_TEST(Condition, OfAtomsFarFromTheDataIsDiverged) {
  this->move_away(kAtoms);
  EXPECT_EQ(this->condition(), BasisCondition::kDiverged);
}

TYPED_TEST(Condition, WithHalfTheAtomsFarAwayIsSound) {
  this->move_away(kAtoms / 2);
  EXPECT_EQ(this->condition(), BasisCondition::kSound);
}

TYPED_TEST(Condition, WithOneMoreAtomFarAwayIsDiverged) {
  this->move_away(kAtoms / 2 + 1);
  EXPECT_EQ(this->condition(), BasisCondition::kDiverged);
}

TYPED_TEST(Condition, OfEqualAtomsIsCollapsed) {
  for (Index u = 1; u < kAtoms; ++u) this->put_on_top(u, 0);
  EXPECT_EQ(this->condition(), BasisCondition::kCollapsed);
}

TYPED_TEST(Condition, WithHalfTheAtomsInPairsIsSound) {
  this->put_on_top(1, 0);
  this->put_on_top(3, 2);
  EXPECT_EQ(this->condition(), BasisCondition::kSound);
}

TYPED_TEST(Condition, WithOneMoreAtomPairedIsCollapsed) {
  this->put_on_top(1, 0);
  this->put_on_top(3, 2);
  this->put_on_top(4, 2);
  EXPECT_EQ(this->condition(), BasisCondition::kCollapsed);
}

TYPED_TEST(Condition, TwinsLieWithinAThousandth) {
  for (Index u = 0; u < kAtoms; u += 2) this->put_on_top(u + 1, u, 0.9e-3);
  EXPECT_EQ(this->condition(), BasisCondition::kCollapsed);
  for (Index u = 0; u < kAtoms; u += 2) this->put_on_top(u + 1, u, 1.1e-3);
  EXPECT_EQ(this->condition(), BasisCondition::kSound);
}

TYPED_TEST(Condition, LinearAtomsOfEitherSignCoincide) {
  this->W_.view().rowwise().normalize();
  for (Index u = 1; u < kAtoms; ++u)
    this->W_.view().row(u) = this->W_.view().row(0) * (u % 2 ? -1 : 1);
  RicaObjective<TypeParam> objective(this->X_, {.n_components = kAtoms});
  EXPECT_EQ(objective.condition(this->context_, this->W_), BasisCondition::kCollapsed);
}

TYPED_TEST(Condition, OfLinearAtomsDoesNotDependOnTheUnitOfTheSamples) {
  for (const double factor : {1e-9, 1e9}) {
    Matrix<TypeParam> X = this->X_;
    X.view() *= static_cast<TypeParam>(factor);
    RicaObjective<TypeParam> objective(X, {.n_components = kAtoms});
    EXPECT_EQ(objective.condition(this->context_, this->W_), BasisCondition::kSound);
    EXPECT_EQ(objective.condition(this->context_, Matrix<TypeParam>(kAtoms, kLength)),
              BasisCondition::kDiverged);
  }
}

TYPED_TEST(Condition, CodesThatVaryByLessThanAThousandthOfTheirMeanAreDiverged) {
  // Two samples with codes a and a (1 + 2 variation), whatever the size of a.
  const Matrix<TypeParam> X(2, kLength);
  for (const double a : {1e-20, 1.0, 1e20}) {
    for (const double variation : {0.9e-3, 1.1e-3}) {
      std::atomic<int> tiles = 0;
      const Encode<TypeParam> encode = [&](ConstMatrixView<TypeParam>,
                                           MatrixView<TypeParam> codes) {
        ++tiles;
        codes.row(0).setConstant(static_cast<TypeParam>(a));
        codes.row(1).setConstant(static_cast<TypeParam>(a * (1 + 2 * variation)));
      };
      EXPECT_EQ(codes_hardly_vary<TypeParam>(this->context_, X, kAtoms, kAtoms, encode),
                variation < 1e-3);
      EXPECT_EQ(tiles.load(), 1);
    }
  }
}

TYPED_TEST(Condition, OneOfAnAtomsChannelsIsEnough) {
  const Matrix<TypeParam> X(2, kLength);
  const auto hardly_vary = [&](Index varying) {
    return codes_hardly_vary<TypeParam>(
        this->context_, X, kAtoms, 2 * kAtoms,
        [&](ConstMatrixView<TypeParam>, MatrixView<TypeParam> codes) {
          codes.setOnes();
          codes.row(1).middleCols(kAtoms, varying).setZero();
        });
  };
  EXPECT_FALSE(hardly_vary(kAtoms / 2));
  EXPECT_TRUE(hardly_vary(kAtoms / 2 - 1));
}

/// Narrow atoms have small codes, which standardised features do not mind.
TYPED_TEST(Condition, OfAtomsOfManyWidthsIsSound) {
  std::vector<TypeParam> gammas;
  for (int u = 1; u <= kAtoms; ++u) gammas.push_back(static_cast<TypeParam>(0.1 * u * u));
  const auto narrow = [&](Index u) {
    double largest = 0;
    for (Index i = 0; i < this->X_.rows(); ++i) {
      const Kernel kernel{.gamma = static_cast<double>(gammas[static_cast<std::size_t>(u)])};
      largest = std::max(largest, kernel_value(kernel, this->W_.row(u), this->X_.row(i), kLength));
    }
    return largest < 1e-3;
  };
  Index small = 0;
  for (Index u = 0; u < kAtoms; ++u) small += narrow(u) ? 1 : 0;
  ASSERT_GT(2 * small, kAtoms);
  EXPECT_EQ(basis_condition<TypeParam>(this->context_, {}, this->X_, this->W_, gammas),
            BasisCondition::kSound);
}

TYPED_TEST(Condition, OneAnswerInTheLastBlockIsEnough) {
  this->X_ = Matrix<TypeParam>(20000, kLength);
  this->X_.view().setConstant(50);
  this->X_.view().row(19999).setZero();
  this->W_.view() *= TypeParam(0.1);
  EXPECT_EQ(this->condition(), BasisCondition::kSound);
}

TYPED_TEST(Condition, OfASingleAtomIsNeverCollapsed) {
  const auto w = random_matrix<TypeParam>(1, kLength, 2);
  KricaObjective<TypeParam> objective(this->X_, {.n_components = 1});
  EXPECT_EQ(objective.condition(this->context_, w), BasisCondition::kSound);
}

TYPED_TEST(Condition, OfABasisOfNanIsDiverged) {
  this->W_.view().setConstant(std::numeric_limits<TypeParam>::quiet_NaN());
  EXPECT_EQ(this->condition(), BasisCondition::kDiverged);
}

TYPED_TEST(Condition, OfRicaLooksAtTheNormalisedRows) {
  RicaOptions options = {.n_components = kAtoms};
  Matrix<TypeParam> tiny = this->W_;
  tiny.view() *= TypeParam(1e-7);  // all near 0 as they are; ordinary atoms once normalised
  RicaObjective<TypeParam> plain(this->X_, options);
  EXPECT_EQ(plain.condition(this->context_, this->W_), BasisCondition::kSound);
  EXPECT_EQ(plain.condition(this->context_, tiny), BasisCondition::kCollapsed);
  options.row_norm = RowNorm::kExact;
  RicaObjective<TypeParam> normalised(this->X_, options);
  EXPECT_EQ(normalised.condition(this->context_, tiny), BasisCondition::kSound);
  for (Index u = 0; u < kAtoms; ++u)  // the same direction at different lengths
    tiny.view().row(u) = this->W_.view().row(0) * static_cast<TypeParam>(u + 1);
  EXPECT_EQ(plain.condition(this->context_, tiny), BasisCondition::kSound);
  EXPECT_EQ(normalised.condition(this->context_, tiny), BasisCondition::kCollapsed);
}

TYPED_TEST(Condition, RefusesABasisOfAnotherShape) {
  // One column more, so that an unchecked product would read within bounds and answer something.
  const Matrix<TypeParam> wide(kAtoms, kLength + 1);
  KricaObjective<TypeParam> krica(this->X_, {.n_components = kAtoms});
  EXPECT_THAT(support::refusal([&] { (void)krica.condition(this->context_, wide); }),
              testing::HasSubstr("W is 8 x 7, it must be 8 x 6"));
  RicaObjective<TypeParam> rica(this->X_, {.n_components = kAtoms});
  EXPECT_THAT(support::refusal([&] { (void)rica.condition(this->context_, wide); }),
              testing::HasSubstr("W is 8 x 7, it must be 8 x 6"));
}

}  // namespace
}  // namespace krica
