// SPDX-License-Identifier: BSD-3-Clause
//
// The best row against a search in long double, with every instruction set that this processor has.
// Built a second time with Highway's scalar fallback only.
#include <cmath>

#include "clustering/best_row.hpp"
#include "support/instruction_sets.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

template <class Scalar>
long double score_of(ConstMatrixView<Scalar> W, Index u, ConstMatrixView<Scalar> X, Index i,
                     bool magnitude, long double offset) {
  long double sum = offset;
  for (Index j = 0; j < W.cols(); ++j)
    sum += static_cast<long double>(W(u, j)) * static_cast<long double>(X(i, j));
  return magnitude ? std::abs(sum) : sum;
}

template <class Scalar>
class BestRowIn : public testing::Test {
 protected:
  /// What was found must be the best row but for rounding.
  static void expect_best(Index K, Index n, Index m, bool magnitudes) {
    const Matrix<Scalar> W = support::random_matrix<Scalar>(K, n, 1);
    const Matrix<Scalar> X = support::random_matrix<Scalar>(m, n, 2);
    std::vector<Scalar> offsets;
    for (Index u = 0; u < K; ++u)
      offsets.push_back(magnitudes ? Scalar(0) : Scalar(0.1) * static_cast<Scalar>(u % 7) - 40);
    std::vector<Index> rows(static_cast<std::size_t>(m), -1);
    const auto finder =
        magnitudes ? BestRow<Scalar>::of_magnitudes(W) : BestRow<Scalar>::of_scores(W, offsets);
    finder->find(X, rows.data());
    for (Index i = 0; i < m; ++i) {
      const Index found = rows[static_cast<std::size_t>(i)];
      ASSERT_GE(found, 0);
      ASSERT_LT(found, K);
      const auto score = [&](Index u) {
        return score_of<Scalar>(W, u, X, i, magnitudes,
                                static_cast<long double>(offsets[static_cast<std::size_t>(u)]));
      };
      long double best = score(0);
      for (Index u = 1; u < K; ++u) best = std::max(best, score(u));
      ASSERT_GE(score(found), best - 1e-4L) << "K " << K << ", n " << n << ", sample " << i;
    }
  }
};

using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(BestRowIn, Scalars);

TYPED_TEST(BestRowIn, EveryInstructionSetIsTheBest) {
  support::with_every_instruction_set([] {
    for (const Index K : {1, 5, 16, 47, 48, 49, 100}) {
      for (const Index n : {1, 7, 108}) {
        for (const bool magnitudes : {false, true}) TestFixture::expect_best(K, n, 21, magnitudes);
      }
    }
  });
}

TYPED_TEST(BestRowIn, EqualRowsTheFirstIsChosen) {
  support::with_every_instruction_set([] {
    Matrix<TypeParam> W(60, 3);  // rows 7, 24 and 50 answer alike, the others not at all
    for (const Index u : {7, 24, 50}) W(u, 1) = 2;
    const Matrix<TypeParam> X = [] {
      Matrix<TypeParam> samples(2, 3);
      samples(0, 1) = 1;
      samples(1, 1) = 3;
      return samples;
    }();
    std::vector<Index> rows(2, -1);
    BestRow<TypeParam>::of_scores(W, std::vector<TypeParam>(60, TypeParam(-3)))
        ->find(X, rows.data());
    EXPECT_EQ(rows, (std::vector<Index>{7, 7}));
    BestRow<TypeParam>::of_magnitudes(W)->find(X, rows.data());
    EXPECT_EQ(rows, (std::vector<Index>{7, 7}));
  });
}

TYPED_TEST(BestRowIn, SamplesOfZeroGoToTheFirstRow) {
  const Matrix<TypeParam> W = support::random_matrix<TypeParam>(5, 4, 1);
  const Matrix<TypeParam> X(3, 4);
  std::vector<Index> rows(3, -1);
  BestRow<TypeParam>::of_magnitudes(W)->find(X, rows.data());
  EXPECT_EQ(rows, (std::vector<Index>{0, 0, 0}));
}

TYPED_TEST(BestRowIn, ScoresThatAreNoNumbersGiveARowThatExists) {
  support::with_every_instruction_set([] {
    for (const Index K : {1, 5, 49}) {
      Matrix<TypeParam> W(K, 2);
      W.view().setConstant(std::numeric_limits<TypeParam>::quiet_NaN());
      const Matrix<TypeParam> X = support::random_matrix<TypeParam>(20, 2, 2);
      std::vector<Index> rows(20, -1);
      BestRow<TypeParam>::of_magnitudes(W)->find(X, rows.data());
      EXPECT_EQ(rows, std::vector<Index>(20, 0)) << K;
      BestRow<TypeParam>::of_scores(W, std::vector<TypeParam>(static_cast<std::size_t>(K)))
          ->find(X, rows.data());
      EXPECT_EQ(rows, std::vector<Index>(20, 0)) << K;
    }
  });
}

TYPED_TEST(BestRowIn, ASamplesAnswerDoesNotDependOnItsNeighbours) {
  const Matrix<TypeParam> W = support::random_matrix<TypeParam>(53, 9, 1);
  const Matrix<TypeParam> X = support::random_matrix<TypeParam>(37, 9, 2);
  const auto finder = BestRow<TypeParam>::of_magnitudes(W);
  std::vector<Index> together(37, -1);
  finder->find(X, together.data());
  for (Index i = 0; i < 37; ++i) {
    Index alone = -1;
    finder->find(ConstMatrixView<TypeParam>(X).rows_between(i, i + 1), &alone);
    EXPECT_EQ(alone, together[static_cast<std::size_t>(i)]) << i;
  }
}

}  // namespace
}  // namespace krica
