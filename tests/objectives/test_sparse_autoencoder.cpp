// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "objectives/contract.hpp"
#include "objectives/packed_layer.hpp"
#include "objectives/sparse_autoencoder.hpp"

namespace krica {
namespace {

SparseAutoencoderOptions options_of(bool untied) {
  return {.n_components = 6,
          .sparsity = 0.7,
          .sparsity_target = 0.1,
          .weight_decay = 0.02,
          .untied = untied};
}

template <class Scalar>
support::MakeObjective<Scalar> maker(bool untied) {
  return [untied](const Context&, const Matrix<Scalar>& X) {
    return std::make_unique<SparseAutoencoderObjective<Scalar>>(X, options_of(untied));
  };
}

double kullback_leibler(double target, double mean) {
  return target * std::log(target / mean) + (1 - target) * std::log((1 - target) / (1 - mean));
}

/// The header's formula; the unused corner of the packed matrix plays no part.
double naive(bool untied, const Matrix<double>& X, const Matrix<double>& packed) {
  const SparseAutoencoderOptions options = options_of(untied);
  const Index K = packed.rows() - 1;
  const Index n = X.cols();
  const Eigen::MatrixXd W = packed.view().topLeftCorner(K, n);
  const Eigen::MatrixXd V = untied ? Eigen::MatrixXd(packed.view().block(0, n + 1, K, n)) : W;
  const Eigen::VectorXd b = packed.view().col(n).head(K);
  const Eigen::VectorXd c = packed.view().row(K).head(n);
  Eigen::VectorXd activity = Eigen::VectorXd::Zero(K);
  double error = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    const Eigen::VectorXd x = X.view().row(i);
    const Eigen::VectorXd h = (1 + (-(W * x + b)).array().exp()).inverse();
    error += (V.transpose() * h + c - x).squaredNorm();
    activity += h;
  }
  const auto m = static_cast<double>(X.rows());
  double value = error / (2 * m) +
                 options.weight_decay / 2 * (W.squaredNorm() + (untied ? V.squaredNorm() : 0.0));
  for (Index u = 0; u < K; ++u)
    value += options.sparsity * kullback_leibler(options.sparsity_target, activity(u) / m);
  return value;
}

class SparseAutoencoder : public testing::TestWithParam<bool> {
 protected:
  static Matrix<double> packed(Index n) {
    return support::random_matrix<double>(7, GetParam() ? 2 * n + 1 : n + 1, 5);
  }
};

TEST_P(SparseAutoencoder, IsItsFormula) {
  support::expect_formula(
      maker<double>(GetParam()),
      [](const Matrix<double>& X, const Matrix<double>& W) { return naive(GetParam(), X, W); },
      support::random_problem().X, packed(5));
}

TEST_P(SparseAutoencoder, IsSteady) {
  support::expect_steady(maker<float>(GetParam()), maker<double>(GetParam()),
                         support::random_matrix<float>(700, 5, 1),
                         support::cast_to<float>(packed(5)));
}

TEST_P(SparseAutoencoder, RefusesBadInput) {
  const Matrix<double> X = support::random_problem().X;
  support::expect_refusals(maker<double>(GetParam()), X, packed(5));
  const auto refused = [&](SparseAutoencoderOptions options) {
    EXPECT_THROW(SparseAutoencoderObjective<double>(X, options), InvalidArgument);
  };
  refused({.n_components = 0});
  refused({.n_components = 3, .sparsity = -1});
  refused({.n_components = 3, .sparsity_target = 0});
  refused({.n_components = 3, .sparsity_target = 1});
  refused({.n_components = 3, .weight_decay = NAN});
}

INSTANTIATE_TEST_SUITE_P(Objectives, SparseAutoencoder, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Untied" : "Tied"; });

TEST(PackedLayer, HoldsWhatWasPacked) {
  const Matrix<float> atoms = support::random_matrix<float>(3, 4, 1);
  for (const bool untied : {false, true}) {
    const Matrix<float> packed = packed_layer<float>(atoms, -2.0F, untied);
    const PackedLayer<float> layer(packed, 4);
    EXPECT_TRUE(layer.weights == atoms.view());
    EXPECT_TRUE(layer.decoder == atoms.view());
    EXPECT_EQ(layer.bias, std::vector<float>(3, -2.0F));
    EXPECT_EQ(layer.visible_bias[3], 0.0F);
  }
}

}  // namespace
}  // namespace krica
