// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include "features/local_coding.hpp"
#include "krica/features/encoder.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

/// The formula of the header in double, with all distances sorted and a general solver.
std::vector<double> naive_weights(const Matrix<double>& atoms, const double* x, Index neighbours) {
  const Index K = atoms.rows();
  const Eigen::RowVectorXd point = Eigen::Map<const Eigen::RowVectorXd>(x, atoms.cols());
  const Eigen::MatrixXd Z = atoms.view().rowwise() - point;
  std::vector<Index> order(static_cast<std::size_t>(K));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return Z.row(a).squaredNorm() < Z.row(b).squaredNorm();
  });
  Eigen::MatrixXd near(neighbours, atoms.cols());
  for (Index j = 0; j < neighbours; ++j) near.row(j) = Z.row(order[static_cast<std::size_t>(j)]);
  Eigen::MatrixXd C = near * near.transpose();
  C += Eigen::MatrixXd::Identity(neighbours, neighbours) * 1e-4 * C.trace();
  Eigen::VectorXd c = C.fullPivLu().solve(Eigen::VectorXd::Ones(neighbours));
  c /= c.sum();
  std::vector<double> weights(static_cast<std::size_t>(K), 0.0);
  for (Index j = 0; j < neighbours; ++j)
    weights[static_cast<std::size_t>(order[static_cast<std::size_t>(j)])] = c(j);
  return weights;
}

Matrix<double> widened(const Matrix<float>& matrix) {
  return Matrix<double>::copy_of(matrix.view().cast<double>());
}

EncoderOptions llc(Index neighbours) {
  return {.kind = EncoderKind::kLlc, .neighbours = neighbours};
}

Matrix<float> encoded(const Encoder& encoder, const Matrix<float>& patches) {
  Matrix<float> codes(patches.rows(), encoder.channels());
  encoder.encode(patches, codes);
  return codes;
}

TEST(Llc, IsItsFormula) {
  const Matrix<float> atoms = support::random_matrix<float>(37, 9, 1);
  const Matrix<float> patches = support::random_matrix<float>(11, 9, 2);
  for (const Index neighbours : {1, 2, 5, 16, 37}) {
    const Matrix<float> codes = encoded(Encoder(llc(neighbours), atoms), patches);
    for (Index i = 0; i < 11; ++i) {
      const std::vector<double> expected =
          naive_weights(widened(atoms), widened(patches).row(i), neighbours);
      for (Index u = 0; u < 37; ++u)
        EXPECT_NEAR(codes(i, u), expected[static_cast<std::size_t>(u)], 2e-4) << neighbours;
    }
  }
}

TEST(Llc, SumsToOneWithFewAtoms) {
  const Matrix<float> atoms = support::random_matrix<float>(50, 6, 3);
  const Matrix<float> codes =
      encoded(Encoder(llc(5), atoms), support::random_matrix<float>(40, 6, 4));
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(codes.view().row(i).sum(), 1, 1e-5);
    EXPECT_EQ((codes.view().row(i).array() != 0).count(), 5);
  }
}

TEST(Llc, DoesNotDependOnTheOrigin) {
  const Matrix<float> atoms = support::random_matrix<float>(30, 6, 5);
  const Matrix<float> patches = support::random_matrix<float>(20, 6, 6);
  Matrix<float> moved_atoms = atoms;
  Matrix<float> moved_patches = patches;
  moved_atoms.view().array() += 2;
  moved_patches.view().array() += 2;
  const Matrix<float> codes = encoded(Encoder(llc(4), atoms), patches);
  const Matrix<float> moved = encoded(Encoder(llc(4), moved_atoms), moved_patches);
  EXPECT_LT((codes.view() - moved.view()).cwiseAbs().maxCoeff(), 1e-3F);
}

TEST(Llc, ReconstructsPatchesBetweenTheirNeighbours) {
  Matrix<float> atoms = support::random_matrix<float>(12, 8, 7);
  Matrix<float> patches(1, 8);
  patches.view().row(0) = 0.5F * atoms.view().row(3) + 0.5F * atoms.view().row(8);
  for (Index u = 0; u < 12; ++u) {
    if (u != 3 && u != 8) atoms.view().row(u).array() += 20;
  }
  const Matrix<float> codes = encoded(Encoder(llc(2), atoms), patches);
  EXPECT_NEAR(codes(0, 3), 0.5, 1e-3);
  EXPECT_NEAR(codes(0, 8), 0.5, 1e-3);
}

TEST(Llc, AtomsCodeThemselves) {
  const Matrix<float> atoms = support::random_matrix<float>(20, 8, 8);
  const Matrix<float> codes = encoded(Encoder(llc(5), atoms), atoms);
  for (Index u = 0; u < 20; ++u) EXPECT_NEAR(codes(u, u), 1, 1e-2);
}

TEST(Llc, EqualAtomsShareTheWeightAndTheFirstAreTaken) {
  Matrix<float> atoms(4, 3);
  atoms.view().setOnes();
  const Matrix<float> codes = encoded(Encoder(llc(2), atoms), atoms);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_FLOAT_EQ(codes(i, 0), 0.5F);
    EXPECT_FLOAT_EQ(codes(i, 1), 0.5F);
    EXPECT_EQ(codes(i, 2), 0);
  }
}

TEST(LocalCode, FloatAgreesWithDouble) {
  const Matrix<float> atoms = support::random_matrix<float>(25, 10, 9);
  const Matrix<double> wide = widened(atoms);
  const Matrix<float> patches = support::random_matrix<float>(15, 10, 10);
  const Matrix<double> wide_patches = widened(patches);
  LocalCode<float> narrow_code(atoms, 6);
  LocalCode<double> wide_code(wide, 6);
  for (Index i = 0; i < 15; ++i) {
    std::vector<float> narrow_distances;
    std::vector<double> wide_distances;
    for (Index u = 0; u < 25; ++u) {
      wide_distances.push_back((wide.view().row(u) - wide_patches.view().row(i)).squaredNorm());
      narrow_distances.push_back(static_cast<float>(wide_distances.back()));
    }
    narrow_code.set(patches.row(i), narrow_distances.data());
    wide_code.set(wide_patches.row(i), wide_distances.data());
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_EQ(narrow_code.atoms()[j], wide_code.atoms()[j]);
      EXPECT_NEAR(narrow_code.weights()[j], wide_code.weights()[j], 1e-4);
    }
  }
}

constexpr Index kDirections = 3;

Encoder tangent_encoder(Index atoms) {
  const Matrix<float> directions = support::random_matrix<float>(atoms * kDirections, 9, 12);
  return {{.kind = EncoderKind::kTangents,
           .neighbours = 4,
           .tangents = kDirections,
           .tangent_scale = 0.7},
          support::random_matrix<float>(atoms, 9, 11),
          {},
          directions};
}

TEST(TangentCodes, AreTheirFormula) {
  const Encoder encoder = tangent_encoder(21);
  const Matrix<float> patches = support::random_matrix<float>(13, 9, 13);
  ASSERT_EQ(encoder.channels(), 21 * (1 + kDirections));
  const Matrix<float> codes = encoded(encoder, patches);
  for (Index i = 0; i < 13; ++i) {
    const std::vector<double> weights =
        naive_weights(widened(Matrix<float>::copy_of(encoder.atoms())), widened(patches).row(i), 4);
    for (Index u = 0; u < 21; ++u) {
      const double weight = weights[static_cast<std::size_t>(u)];
      EXPECT_NEAR(codes(i, u), 0.7 * weight, 2e-4);
      for (Index t = 0; t < kDirections; ++t) {
        const auto offset = patches.view().row(i) - encoder.atoms().row(u);
        const float along = encoder.tangents().row(u * kDirections + t).dot(offset);
        EXPECT_NEAR(codes(i, 21 * (1 + t) + u), weight * static_cast<double>(along), 2e-3);
      }
    }
  }
}

TEST(TangentCodes, SurviveAnArchive) {
  const Encoder encoder = tangent_encoder(5);
  Archive archive;
  encoder.save(archive);
  const Encoder loaded = Encoder::load(encoder.options(), archive);
  EXPECT_TRUE(loaded.tangents() == encoder.tangents());
  const Matrix<float> patches = support::random_matrix<float>(7, 9, 1);
  EXPECT_TRUE(encoded(loaded, patches).view() == encoded(encoder, patches).view());
  archive.put("atom_tangents", support::random_matrix<float>(14, 9, 1));
  EXPECT_THROW(Encoder::load(encoder.options(), archive), InvalidArgument);
}

TEST(LocalCoding, AddsTheCodesOfEachCell) {
  const std::vector<Range> cells = {{0, 1}, {1, 9}, {9, 9}, {10, 27}, {27, 30}, {30, 299}};
  const Matrix<float> patches = support::random_matrix<float>(300, 9, 3);
  const Matrix<float> atoms = support::random_matrix<float>(21, 9, 11);
  for (const Encoder& encoder : {Encoder(llc(4), atoms), tangent_encoder(21)}) {
    const LocalCoding coding(encoder.options(), encoder.atoms(), encoder.tangents());
    const Matrix<float> codes = encoded(encoder, patches);
    Matrix<float> sums(std::ssize(cells), encoder.channels());
    coding.add(patches, cells, sums.data());
    for (Index c = 0; c < sums.rows(); ++c) {
      const Range cell = cells[static_cast<std::size_t>(c)];
      const auto wanted = codes.view().middleRows(cell.begin, cell.size()).colwise().sum();
      EXPECT_LT((sums.view().row(c) - wanted).cwiseAbs().maxCoeff(), 1e-3F) << c;
    }
  }
}

TEST(LocalCoding, RefusesBadInput) {
  const Matrix<float> atoms = support::random_matrix<float>(3, 2, 1);
  const Matrix<float> directions = support::random_matrix<float>(3, 2, 2);
  const auto refusal = [&](const EncoderOptions& options, ConstMatrixView<float> tangents) {
    return support::refusal([&] { Encoder(options, atoms, {}, tangents); });
  };
  const ConstMatrixView<float> none(nullptr, 0, 0);
  EXPECT_NE(refusal(llc(0), none).find("neighbours must be 1"), std::string::npos);
  EXPECT_NE(refusal(llc(4), none).find("at most the number of atoms, 3"), std::string::npos);
  EXPECT_NE(refusal(llc(2), directions).find("atom_tangents"), std::string::npos);
  EncoderOptions tangents{.kind = EncoderKind::kTangents, .neighbours = 2, .tangents = 1};
  EXPECT_EQ(refusal(tangents, directions), "");
  EXPECT_NE(refusal(tangents, none).find("atom_tangents"), std::string::npos);
  Matrix<float> holed = directions;
  holed(1, 1) = NAN;
  EXPECT_NE(refusal(tangents, holed).find("atom_tangents"), std::string::npos);
  tangents.tangent_scale = 0;
  EXPECT_NE(refusal(tangents, directions).find("tangent-scale"), std::string::npos);
  tangents.tangents = 0;
  EXPECT_NE(refusal(tangents, directions).find("tangents must be 1"), std::string::npos);
}

}  // namespace
}  // namespace krica
