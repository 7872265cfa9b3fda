// SPDX-License-Identifier: BSD-3-Clause
//
// ICA unmixes sources; kernel PCA in front of it, and of RICA, gives white samples.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "bases/ica.hpp"
#include "krica/bases/basis.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/runtime/error.hpp"
#include "patches/kernel_pca.hpp"
#include "solvers/amari.hpp"
#include "solvers/common.hpp"
#include "support/changed_options.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

constexpr Index kSources = 6;

struct Mixture {
  Eigen::MatrixXd mixing;
  Matrix<float> X;
};

/// Laplacian sources, mixed.
Mixture mixture(Index m, std::uint64_t seed) {
  Random random(seed, "tests.ica");
  Mixture result{Eigen::MatrixXd(kSources, kSources), Matrix<float>(m, kSources)};
  for (Index e = 0; e < result.mixing.size(); ++e) result.mixing.data()[e] = random.normal();
  for (Index i = 0; i < m; ++i) {
    Eigen::VectorXd s(kSources);
    for (Index j = 0; j < kSources; ++j) {
      const double u = 2 * random.uniform() - 1;
      s(j) = std::copysign(-std::log(1 - std::abs(u)), u);
    }
    result.X.view().row(i) = (result.mixing * s).cast<float>().transpose();
  }
  return result;
}

BasisRequest request_for(const Matrix<float>& X, Index K) {
  BasisRequest request{X, {}, {}, {}, nullptr};
  request.options.components = K;
  request.options.iterations = 200;
  return request;
}

TEST(Ica, UnmixesLaplacianSources) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Mixture mixed = mixture(10000, seed);
    const Basis basis =
        basis_method("ica").learn(Context({.seed = seed}), request_for(mixed.X, kSources));
    EXPECT_EQ(basis.status, Status::kConverged);
    EXPECT_LT(tests::amari_distance(basis.atoms.view().cast<double>(), mixed.mixing), 0.02);
  }
}

TEST(Ica, CodesAreWhite) {
  const Mixture mixed = mixture(3000, 4);
  const Basis basis = basis_method("ica").learn(Context(), request_for(mixed.X, 4));
  Eigen::MatrixXd S = (mixed.X.view() * basis.atoms.view().transpose()).cast<double>();
  S.rowwise() -= S.colwise().mean().eval();
  EXPECT_LT((S.transpose() * S / 3000.0 - Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-2);
}

TEST(Ica, SameBitsForAnyThreads) {
  const Mixture mixed = mixture(1500, 6);
  const auto atoms = [&](int threads) {
    return basis_method("ica").learn(Context({.threads = threads}), request_for(mixed.X, 4)).atoms;
  };
  const Matrix<float> one = atoms(1);
  for (const int threads : {2, 3, 4}) EXPECT_TRUE(support::same_bits(one, atoms(threads)));
}

TEST(Ica, RefusesMoreComponentsThanDirections) {
  Mixture mixed = mixture(500, 5);
  const auto refused = [&](Index K) {
    return support::refusal([&] { basis_method("ica").learn(Context(), request_for(mixed.X, K)); });
  };
  EXPECT_NE(refused(kSources + 1).find("at most 6"), std::string::npos);
  EXPECT_NE(refused(kSources + 1).find("rica"), std::string::npos);
  EXPECT_NE(refused(0).find("components"), std::string::npos);
  mixed.X.view().col(5) = mixed.X.view().col(0);
  EXPECT_NE(refused(kSources).find("at most 5"), std::string::npos);
  EXPECT_NE(refused(100).find("at most 5"), std::string::npos) << "what a second try may take";
  const std::string kica = support::refusal(
      [&] { basis_method("kica").learn(Context(), request_for(mixed.X, kSources)); });
  EXPECT_NE(kica.find("kernel components"), std::string::npos);
  EXPECT_NE(kica.find("landmarks"), std::string::npos);
  EXPECT_NE(kica.find("kpca-rica"), std::string::npos);
}

TEST(Ica, RefusesAStateOfAnotherRun) {
  const Mixture mixed = mixture(500, 6);
  BasisRequest request = request_for(mixed.X, 4);
  request.options.iterations = 3;
  Archive state;
  request.hooks.checkpoint_due = [] { return true; };
  request.hooks.checkpoint = [&](const Archive& saved) { state = saved; };
  basis_method("ica").learn(Context(), request);
  request.state = &state;
  request.options.components = 5;
  EXPECT_THROW(basis_method("ica").learn(Context(), request), InvalidArgument);
  request.options.components = 4;
  EXPECT_THROW(basis_method("ica").learn(Context({.seed = 1}), request), InvalidArgument);
}

TEST(Ica, ChangedOptionsAreRefusedByName) {
  const Mixture mixed = mixture(500, 6);
  BasisRequest request = request_for(mixed.X, 4);
  Archive state;
  request.hooks.checkpoint_due = [] { return true; };
  request.hooks.checkpoint = [&](const Archive& saved) { state = saved; };
  basis_method("ica").learn(Context(), request);
  const IcaOptions options{.components = 4, .max_iterations = request.options.iterations};
  const auto refusal = [&](const IcaOptions& with) {
    return support::refusal([&] { check_origin(state, "ica", identity_of(with, 0)); });
  };
  EXPECT_EQ(refusal(options), "");
  support::for_each_change(
      options, [&](const IcaOptions& changed, std::string_view field, OnResume on_resume) {
        const std::string message = refusal(changed);
        const bool named = message.find(std::string(field) + " (saved ") != std::string::npos;
        EXPECT_EQ(named, on_resume == OnResume::kMustAgree) << field << ": " << message;
      });
}

/// Lemma 4.1: on white samples Σ ‖WᵀWz - z‖²/m = ‖WᵀW - I‖².
TEST(KpcaRica, ReconstructionOfWhiteSamplesIsTheDistanceFromOrthonormal) {
  const Matrix<double> X = support::random_matrix<double>(150, 4, 2);
  const auto pca =
      KernelPca<double>::fit(Context(), X, {.kernel = {.gamma = 0.2}, .components = 7});
  const Matrix<double> Z = pca.apply(Context(), X);
  const Matrix<double> W = support::random_matrix<double>(20, 7, 3);
  const Context context;
  RicaObjective<double> objective(Z, {.n_components = 20, .weight = 0});
  const double distance =
      (W.view().transpose() * W.view() - Eigen::MatrixXd::Identity(7, 7)).squaredNorm();
  EXPECT_LT(support::relative_error(objective.value(context, W), distance), 1e-6);
}

}  // namespace
}  // namespace krica
