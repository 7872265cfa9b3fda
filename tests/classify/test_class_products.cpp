// SPDX-License-Identifier: BSD-3-Clause
//
// The classifier's products against sums in double, with every instruction set that this processor
// has. Built a second time with Highway's scalar fallback only.
#include "classify/class_products.hpp"
#include "support/instruction_sets.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr Index kRows = 21;

void expect_products(Index classes, Index F) {
  const Matrix<float> Z = support::random_matrix<float>(kRows, F, 1);
  const Matrix<float> W = support::random_matrix<float>(classes, F, 2);
  Matrix<float> S(kRows, classes);
  ClassScores::of(W)->compute(Z, S);
  Matrix<float> G(classes, F);
  for (Index e = 0; e < G.size(); ++e) G.data()[e] = 1;  // added to, not overwritten
  add_class_products(S, Z, G);
  for (Index c = 0; c < classes; ++c) {
    for (Index i = 0; i < kRows; ++i) {
      double score = 0;
      for (Index j = 0; j < F; ++j)
        score += static_cast<double>(Z(i, j)) * static_cast<double>(W(c, j));
      ASSERT_NEAR(S(i, c), score, 1e-4) << classes << " classes, " << F << " features";
    }
    for (Index j = 0; j < F; ++j) {
      double sum = 1;
      for (Index i = 0; i < kRows; ++i)
        sum += static_cast<double>(S(i, c)) * static_cast<double>(Z(i, j));
      ASSERT_NEAR(G(c, j), sum, 1e-3) << classes << " classes, " << F << " features";
    }
  }
}

TEST(ClassProducts, AreTheSumsOnEveryInstructionSet) {
  support::with_every_instruction_set([] {
    for (const Index classes : {2, 3, 7, 8, 10, 13, 49, 101}) {
      for (const Index F : {1, 15, 32, 33, 200}) expect_products(classes, F);
    }
  });
}

TEST(ClassProducts, ASamplesScoresDoNotDependOnItsNeighbours) {
  const Matrix<float> Z = support::random_matrix<float>(kRows, 77, 1);
  const Matrix<float> W = support::random_matrix<float>(10, 77, 2);
  Matrix<float> together(kRows, 10);
  const auto scores = ClassScores::of(W);
  scores->compute(Z, together);
  for (Index i = 0; i < kRows; ++i) {
    Matrix<float> alone(1, 10);
    scores->compute(ConstMatrixView<float>(Z).rows_between(i, i + 1), alone);
    for (Index c = 0; c < 10; ++c) EXPECT_EQ(alone(0, c), together(i, c));
  }
}

}  // namespace
}  // namespace krica
