// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "clustering/atom_updates.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

/// Samples, unit atoms and random codes of `nonzeros` atoms each.
template <class Scalar>
struct Problem {
  Matrix<Scalar> X;
  Matrix<Scalar> atoms;
  SparseCodes<Scalar> codes;
  AtomUsers users;

  Problem(Index m, Index n, Index K, Index nonzeros)
      : X(support::random_matrix<Scalar>(m, n, 1)),
        atoms(support::random_matrix<Scalar>(K, n, 2)),
        codes(m, nonzeros),
        users(K) {
    atoms.view().rowwise().normalize();
    Random random(3, "tests.atom_updates");
    for (Index i = 0; i < m; ++i) {
      Index t = 0;
      for (const Index u : random_subset(random, K - 1, nonzeros)) {  // nothing uses the last atom
        codes.atoms_to_set(i)[t] = static_cast<std::int32_t>(u);
        codes.values_to_set(i)[t++] = static_cast<Scalar>(random.normal());
      }
      codes.set_count(i, nonzeros);
    }
    users.list(codes);
  }

  [[nodiscard]] Matrix<Scalar> gram() const {
    return Matrix<Scalar>::copy_of(atoms.view() * atoms.view().transpose());
  }

  [[nodiscard]] Eigen::MatrixXd dense_codes() const {
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(X.rows(), atoms.rows());
    for (Index i = 0; i < X.rows(); ++i) {
      for (std::size_t t = 0; t < codes.atoms(i).size(); ++t)
        S(i, codes.atoms(i)[t]) = static_cast<double>(codes.values(i)[t]);
    }
    return S;
  }
};

/// Atom by atom with its error matrix E.
void update_literally(const Eigen::MatrixXd& X, Eigen::MatrixXd& D, Eigen::MatrixXd& S) {
  for (Index u = 0; u < D.rows(); ++u) {
    if (S.col(u).isZero(0)) continue;
    const Eigen::VectorXd uses = (S.col(u).array() != 0).cast<double>();
    const Eigen::MatrixXd E = uses.asDiagonal() * (X - S * D + S.col(u) * D.row(u));
    D.row(u) = (E.transpose() * S.col(u)).normalized();
    S.col(u) = E * D.row(u).transpose();
  }
}

/// Few atoms are one block, many are several.
class AtomUpdates : public testing::TestWithParam<std::pair<Index, Index>> {};

TEST_P(AtomUpdates, EqualTheLiteralLoop) {
  const auto [n, K] = GetParam();
  Problem<double> problem(150, n, K, 4);
  Eigen::MatrixXd D = problem.atoms.view();
  Eigen::MatrixXd S = problem.dense_codes();
  update_literally(problem.X.view(), D, S);
  Matrix<double> gram = problem.gram();
  update_atoms<double>(Context(), problem.X, problem.users, problem.atoms, gram, problem.codes);
  EXPECT_LT((problem.atoms.view() - D).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((problem.dense_codes() - S).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((gram.view() - D * D.transpose()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_P(AtomUpdates, HaveTheSameBitsForAnyThreads) {
  const auto [n, K] = GetParam();
  Problem<float> one(150, n, K, 4);
  Problem<float> four = one;
  Matrix<float> gram = one.gram();
  Matrix<float> other = gram;
  update_atoms<float>(Context({.threads = 1}), one.X, one.users, one.atoms, gram, one.codes);
  update_atoms<float>(Context({.threads = 4}), four.X, four.users, four.atoms, other, four.codes);
  EXPECT_TRUE(one.atoms.view() == four.atoms.view());
  EXPECT_TRUE(gram.view() == other.view());
  EXPECT_TRUE(one.dense_codes() == four.dense_codes());
}

INSTANTIATE_TEST_SUITE_P(Blocks, AtomUpdates,
                         testing::Values(std::pair<Index, Index>{20, 30},
                                         std::pair<Index, Index>{1100, 70}));

/// The samples of an atom are what the other atoms explain already: what is left of it is a small
/// difference of large sums, and its products with other atoms must be right all the same.
TEST(AtomUpdates, KeepTheirDigitsWhereHardlyAnythingIsLeft) {
  Problem<double> problem(150, 1100, 70, 4);
  const Eigen::MatrixXd rest = problem.X.view() - problem.dense_codes() * problem.atoms.view();
  problem.X.view() = problem.dense_codes() * problem.atoms.view() + 1e-7 * rest;
  for (const AtomUser& user : problem.users.of(5)) {
    Eigen::VectorXd own = problem.codes.values(user.sample)[static_cast<std::size_t>(user.slot)] *
                          problem.atoms.view().row(5).transpose();
    problem.X.view().row(user.sample) -= own.transpose();
  }
  Eigen::MatrixXd D = problem.atoms.view();
  Eigen::MatrixXd S = problem.dense_codes();
  update_literally(problem.X.view(), D, S);
  Matrix<double> gram = problem.gram();
  update_atoms<double>(Context(), problem.X, problem.users, problem.atoms, gram, problem.codes);
  EXPECT_LT(
      (gram.view() - problem.atoms.view() * problem.atoms.view().transpose()).cwiseAbs().maxCoeff(),
      1e-11);
}

TEST(AtomUpdates, SetUnitRefusesZeroAndKeepsUnits) {
  const std::vector<float> zero(3, 0.0F);
  std::vector<float> to = {1, 2, 3};
  EXPECT_FALSE(set_unit(zero.data(), 3, to.data()));
  EXPECT_EQ(to, (std::vector<float>{1, 2, 3}));
  ASSERT_TRUE(set_unit(to.data(), 3, to.data()));
  const std::vector<float> unit = to;
  ASSERT_TRUE(set_unit(unit.data(), 3, to.data()));
  EXPECT_EQ(to, unit);
}

}  // namespace
}  // namespace krica
