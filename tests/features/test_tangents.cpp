// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "features/tangents.hpp"
#include "krica/features/encoder.hpp"
#include "krica/runtime/error.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr Index kNeighbours = 3;

/// The formulas of the header, with the code from the encoder.
LocalTangents naive_tangents(const Matrix<float>& patches, const Matrix<float>& atoms, Index d) {
  const Index K = atoms.rows();
  const Index n = atoms.cols();
  const Encoder encoder({.kind = EncoderKind::kLlc, .neighbours = kNeighbours}, atoms);
  Matrix<float> codes(patches.rows(), K);
  encoder.encode(patches, codes);
  LocalTangents tangents{Matrix<float>(K * d, n)};
  double kept = 0;
  for (Index u = 0; u < K; ++u) {
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, n);
    for (Index i = 0; i < patches.rows(); ++i) {
      const Eigen::VectorXd offset =
          codes(i, u) * (patches.view().row(i) - atoms.view().row(u)).transpose().cast<double>();
      S += offset * offset.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
    for (Index j = 0; j < d; ++j) {
      kept += eigen.eigenvalues()(n - 1 - j);
      tangents.directions.view().row(u * d + j) =
          eigen.eigenvectors().col(n - 1 - j).transpose().cast<float>();
    }
  }
  const double weights = codes.view().cast<double>().squaredNorm();
  tangents.scale = std::sqrt(kept / (static_cast<double>(d) * weights));
  return tangents;
}

TEST(Tangents, AreTheirFormula) {
  const Matrix<float> patches = support::random_matrix<float>(700, 7, 1);
  const Matrix<float> atoms = support::random_matrix<float>(5, 7, 2);
  const LocalTangents tangents = learn_tangents(Context(), patches, atoms, kNeighbours, 2);
  const LocalTangents expected = naive_tangents(patches, atoms, 2);
  for (Index t = 0; t < tangents.directions.rows(); ++t) {
    const float cosine = tangents.directions.view().row(t).dot(expected.directions.view().row(t));
    EXPECT_NEAR(std::abs(cosine), 1, 1e-4) << t;
  }
  EXPECT_NEAR(tangents.scale, expected.scale, 1e-4 * expected.scale);
}

/// Patches around each atom lie in a plane of its own.
TEST(Tangents, FindThePlaneOfThePatches) {
  Matrix<float> atoms = support::random_matrix<float>(4, 6, 3);
  atoms.view() *= 100;  // far apart: one neighbour each
  Matrix<float> patches = support::random_matrix<float>(400, 6, 4);
  for (Index i = 0; i < 400; ++i) {
    auto patch = patches.view().row(i);
    for (Index j = 0; j < 6; ++j) patch(j) = j == i % 4 || j == i % 4 + 2 ? patch(j) : 0;
    patch += atoms.view().row(i % 4);
  }
  const LocalTangents tangents = learn_tangents(Context(), patches, atoms, 1, 3);
  for (Index u = 0; u < 4; ++u) {
    const auto U = tangents.directions.view().middleRows(3 * u, 3);
    EXPECT_NEAR((U.topRows(2) * U.topRows(2).transpose()).trace(), 2, 1e-4);
    for (Index j = 0; j < 6; ++j) {
      if (j != u && j != u + 2) {
        EXPECT_NEAR(U.col(j).norm(), 0, 1e-3) << u << " " << j;
      }
    }
  }
}

TEST(Tangents, AreZeroWhereThereIsNothing) {
  Matrix<float> atoms = support::random_matrix<float>(3, 4, 5);
  Matrix<float> patches(6, 4);
  patches.view().rowwise() = atoms.view().row(1);
  const LocalTangents tangents = learn_tangents(Context(), patches, atoms, 1, 2);
  EXPECT_TRUE((tangents.directions.view().array() == 0).all());
  EXPECT_EQ(tangents.scale, 1);
}

TEST(Tangents, SameBitsForAnyThreads) {
  const Matrix<float> patches = support::random_matrix<float>(3000, 12, 6);
  const Matrix<float> atoms = support::random_matrix<float>(150, 12, 7);
  const LocalTangents one = learn_tangents(Context({.threads = 1}), patches, atoms, 5, 4);
  for (const int threads : {2, 3, 5}) {
    const LocalTangents more = learn_tangents(Context({.threads = threads}), patches, atoms, 5, 4);
    EXPECT_TRUE(more.directions.view() == one.directions.view());
    EXPECT_EQ(more.scale, one.scale);
  }
}

TEST(Tangents, StopOnRequestAndRefuseBadInput) {
  const Matrix<float> patches = support::random_matrix<float>(100, 4, 8);
  const Matrix<float> atoms = support::random_matrix<float>(6, 4, 9);
  const Context cancelled;
  cancelled.cancel();
  EXPECT_THROW(learn_tangents(cancelled, patches, atoms, 2, 2), Cancelled);
  EXPECT_THROW(learn_tangents(Context(), patches, atoms, 7, 2), InvalidArgument);
  EXPECT_THROW(learn_tangents(Context(), patches, atoms, 0, 2), InvalidArgument);
  EXPECT_THROW(learn_tangents(Context(), patches, atoms, 2, 5), InvalidArgument);
}

}  // namespace
}  // namespace krica
