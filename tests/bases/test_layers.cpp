// SPDX-License-Identifier: BSD-3-Clause
//
// The sigmoid layers: what they learn, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

/// One of eight directions a sample, with noise.
Matrix<float> bars(Index m) {
  Random random(1, "tests.bars");
  Matrix<float> X(m, 8);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < 8; ++j) X(i, j) = static_cast<float>(0.1 * random.normal());
    X(i, random.below(8)) += 2;
  }
  return X;
}

BasisRequest request_for(const Matrix<float>& X, const std::string& method) {
  BasisRequest request{X, {}, {}, {}, nullptr};
  request.options.components = 16;
  request.options.init = "random";
  request.options.sparsity = basis_method(method).sparsity;
  request.options.epochs = 30;
  request.options.batch = 100;
  return request;
}

class Layer : public testing::TestWithParam<std::string> {};

TEST_P(Layer, UnitsAreActiveAboutAsOftenAsTheTargetSays) {
  const Matrix<float> X = bars(2000);
  BasisRequest request = request_for(X, GetParam());
  request.options.sparsity_target = 0.1;
  const Basis basis = basis_method(GetParam()).learn(Context(), request);
  double mean = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index u = 0; u < 16; ++u) {
      const float input =
          X.view().row(i).dot(basis.atoms.view().row(u)) + basis.bias[static_cast<std::size_t>(u)];
      mean += 1 / (1 + std::exp(-static_cast<double>(input))) / (16.0 * 2000.0);
    }
  }
  EXPECT_NEAR(mean, 0.1, 0.05);
  EXPECT_LT(basis.history.back().value, 0.7 * basis.history.front().value) << "it learns";
}

INSTANTIATE_TEST_SUITE_P(Layers, Layer, testing::Values("sparse-autoencoder", "sparse-rbm"),
                         [](const auto& tested) {
                           return tested.param == "sparse-rbm" ? "Rbm" : "Autoencoder";
                         });

TEST(Layers, AnUntiedDecoderReconstructsBetter) {
  const Matrix<float> X = bars(500);
  BasisRequest request = request_for(X, "sparse-autoencoder");
  request.options.weight_decay = 0;
  const Basis tied = basis_method("sparse-autoencoder").learn(Context(), request);
  request.options.untied = true;
  const Basis untied = basis_method("sparse-autoencoder").learn(Context(), request);
  EXPECT_EQ(untied.atoms.cols(), 8);
  EXPECT_LT(untied.history.back().value, tied.history.back().value);
}

TEST(Layers, TheRbmTakesAdamOnly) {
  const Matrix<float> X = bars(500);
  BasisRequest request = request_for(X, "sparse-rbm");
  const auto refused = [&] {
    return support::refusal([&] { basis_method("sparse-rbm").learn(Context(), request); });
  };
  request.options.solver = SolverKind::kLbfgs;
  EXPECT_NE(refused().find("adam"), std::string::npos);
  request.options.solver.reset();
  request.options.untied = true;
  EXPECT_NE(refused().find("untied"), std::string::npos);
}

TEST(Layers, KsrRefusesKernelsThatGrowWithTheAtom) {
  const Matrix<float> X = bars(100);
  BasisRequest request = request_for(X, "ksr");
  request.options.kernel.kind = KernelKind::kLinear;
  EXPECT_NE(support::refusal([&] { basis_method("ksr").learn(Context(), request); }).find("linear"),
            std::string::npos);
}

}  // namespace
}  // namespace krica
