// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/contract.hpp"
#include "objectives/ksr.hpp"
#include "solvers/gram_lasso.hpp"

namespace krica {
namespace {

constexpr double kLambda = 0.2;

KsrOptions tight(Index K, KernelKind kind = KernelKind::kGaussian) {
  return {.n_components = K,
          .kernel = {.kind = kind, .gamma = 0.8},
          .sparsity = kLambda,
          .tolerance = 1e-13};
}

template <class Scalar>
std::unique_ptr<SampledObjective<Scalar>> make(const Context&, const Matrix<Scalar>& X) {
  return std::make_unique<KsrObjective<Scalar>>(X, tight(12));
}

/// The definition: the least cost by plain coordinate descent, five hundred sweeps.
double least_cost(const Matrix<double>& G, const std::vector<double>& c, double self) {
  const Index K = G.rows();
  std::vector<double> s(static_cast<std::size_t>(K), 0.0);
  const auto rest = [&](Index u) {
    double r = c[static_cast<std::size_t>(u)];
    for (Index v = 0; v < K; ++v) r -= G(u, v) * s[static_cast<std::size_t>(v)];
    return r;
  };
  for (int sweep = 0; sweep < 500; ++sweep) {
    for (Index u = 0; u < K; ++u) {
      double& s_u = s[static_cast<std::size_t>(u)];
      const double pull = rest(u) + G(u, u) * s_u;
      s_u = std::copysign(std::max(0.0, std::abs(pull) - kLambda / 2), pull) / G(u, u);
    }
  }
  double cost = self;
  for (Index u = 0; u < K; ++u) {
    const double s_u = s[static_cast<std::size_t>(u)];
    cost += kLambda * std::abs(s_u) - s_u * (c[static_cast<std::size_t>(u)] + rest(u));
  }
  return cost;
}

double naive(const Kernel& kernel, const Matrix<double>& X, const Matrix<double>& W) {
  const Index K = W.rows();
  Matrix<double> G(K, K);
  for (Index u = 0; u < K; ++u) {
    for (Index v = 0; v < K; ++v) G(u, v) = kernel_value(kernel, W.row(u), W.row(v), W.cols());
  }
  double sum = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    std::vector<double> c;
    for (Index u = 0; u < K; ++u) c.push_back(kernel_value(kernel, W.row(u), X.row(i), W.cols()));
    sum += least_cost(G, c, kernel_value(kernel, X.row(i), X.row(i), W.cols()));
  }
  return sum / static_cast<double>(X.rows());
}

class KsrKernel : public testing::TestWithParam<KernelKind> {};

TEST_P(KsrKernel, IsItsFormula) {
  const support::Problem problem = support::random_problem();
  const KsrOptions options = tight(12, GetParam());
  support::expect_formula(
      [&](const Context&, const Matrix<double>& X) {
        return std::make_unique<KsrObjective<double>>(X, options);
      },
      [&](const Matrix<double>& X, const Matrix<double>& W) { return naive(options.kernel, X, W); },
      problem.X, problem.W, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Ksr, KsrKernel,
                         testing::Values(KernelKind::kGaussian,
                                         KernelKind::kInverseSquareDistance));

TEST(Ksr, IsSteady) {
  const auto in_float = [](const Context&, const Matrix<float>& X) {
    KsrOptions options = tight(12);
    options.tolerance = 1e-7;  // what float32 can tell
    return std::make_unique<KsrObjective<float>>(X, options);
  };
  support::expect_steady(in_float, &make<double>, support::random_matrix<float>(700, 3, 1),
                         support::random_matrix<float>(12, 3, 2), 1e-3);
}

TEST(Ksr, RefusesBadInput) {
  const support::Problem problem = support::random_problem();
  support::expect_refusals(&make<double>, problem.X, problem.W);
  const auto refused = [&](KsrOptions options) {
    EXPECT_THROW(KsrObjective<double>(problem.X, options), InvalidArgument);
  };
  refused({.n_components = 0});
  refused({.n_components = 3, .kernel = {.gamma = -1}});
  refused({.n_components = 3, .sparsity = 0});
  refused({.n_components = 3, .tolerance = 0});
}

TEST(Ksr, KeptCodesAreAWarmStartThatSurvivesAnArchive) {
  const support::Problem problem = support::random_problem();
  const Context context;
  KsrOptions options = tight(12);
  options.tolerance = 1e-3;  // loose enough for the start to show
  KsrObjective<double> objective(problem.X, options);
  const double cold = objective.value(context, problem.W);
  objective.keep_codes();
  Matrix<double> near = problem.W;
  near(0, 0) += 1e-3;
  const double warm = objective.value(context, near);
  Archive state;
  objective.save_codes(state);
  KsrObjective<double> again(problem.X, options);
  again.load_codes(state);
  EXPECT_TRUE(support::same_bits(again.value(context, near), warm));
  KsrObjective<double> fresh(problem.X, options);
  EXPECT_TRUE(support::same_bits(fresh.value(context, problem.W), cold));
  EXPECT_NEAR(fresh.value(context, near), warm, 1e-3);
  EXPECT_FALSE(support::same_bits(fresh.value(context, near), warm))
      << "the start makes a difference";
  const std::vector<std::int64_t> wrong = {1, 2};
  state.put_vector<std::int64_t>("ksr.counts", wrong);
  EXPECT_THROW(again.load_codes(state), DataError);
}

}  // namespace
}  // namespace krica
