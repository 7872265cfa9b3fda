// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "joint/problems.hpp"
#include "krica/runtime/error.hpp"
#include "support/gradient_check.hpp"
#include "support/kernels.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::JointProblem;

constexpr double kStageGradient = 1e-8;  // no kinks here

struct Case {
  KernelKind kernel;
  FeatureOptions features;
};

class PooledCodes : public testing::TestWithParam<Case> {
 protected:
  PooledCodes() {
    problem.kernel.kind = GetParam().kernel;
    problem.features = GetParam().features;
  }
  JointProblem problem;
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const FeatureOptions& f = info.param.features;
  return support::test_name(info.param.kernel) + "Grid" + std::to_string(f.pool_rows) + "By" +
         std::to_string(f.pool_cols) + "Stride" + std::to_string(f.stride) +
         (f.pool_overlap ? "Overlap" : "");
}

/// Position by position, from the definition.
TEST_P(PooledCodes, EqualTheDefinition) {
  const PoolingGrid grid = problem.grid();
  const auto patches = problem.patches<double>();
  const auto at = problem.parameters<double>(false);
  Matrix<double> Z(problem.images, grid.cells() * problem.K);
  pool_codes<double>(Context({.threads = 1}), grid, patches, {problem.kernel, at.W, {}}, Z);
  const FeatureOptions& f = problem.features;
  const auto range = [&](Index cell, Index cells, Index positions) -> std::pair<double, double> {
    const auto P = static_cast<double>(positions);
    const auto c = static_cast<double>(cell);
    const auto g = static_cast<double>(cells);
    if (!f.pool_overlap) return {std::floor(c * P / g), std::floor((c + 1) * P / g)};
    return {std::floor(2 * c * P / (2 * g + 1)), std::ceil((2 * c + 3) * P / (2 * g + 1))};
  };
  Matrix<double> patch(1, problem.n);
  for (Index i = 0; i < problem.images; ++i) {
    for (Index r = 0; r < f.pool_rows; ++r) {
      for (Index c = 0; c < f.pool_cols; ++c) {
        const auto [top, bottom] = range(r, f.pool_rows, grid.position_rows());
        const auto [left, right] = range(c, f.pool_cols, grid.position_cols());
        for (Index u = 0; u < problem.K; ++u) {
          double sum = 0;
          for (Index p = 0; p < grid.positions(); ++p) {
            const auto y = static_cast<double>(grid.place(p).row);
            const auto x = static_cast<double>(grid.place(p).col);
            if (y < top || y >= bottom || x < left || x >= right) continue;
            patches.read(i, p, patch);
            sum += kernel_value(problem.kernel, at.W.row(u), patch.row(0), problem.n);
          }
          if (f.pool_overlap) sum /= (bottom - top) * (right - left);
          EXPECT_NEAR(Z(i, (r * f.pool_cols + c) * problem.K + u), sum,
                      1e-11 * (1 + std::abs(sum)));
        }
      }
    }
  }
}

TEST_P(PooledCodes, BackwardIsTheDerivative) {
  const PoolingGrid grid = problem.grid();
  const auto patches = problem.patches<double>();
  const bool widths = problem.kernel.kind == KernelKind::kGaussian;
  const auto at = problem.parameters<double>(widths);
  const auto Q = support::random_matrix<double>(problem.images, grid.cells() * problem.K, 5);
  const auto value = [&](const Matrix<double>& W, const Matrix<double>& log_gamma) {
    std::vector<double> gammas;
    for (Index u = 0; u < log_gamma.cols(); ++u) gammas.push_back(std::exp(log_gamma(0, u)));
    Matrix<double> Z(Q.rows(), Q.cols());
    pool_codes<double>(Context({.threads = 1}), grid, patches, {problem.kernel, W, gammas}, Z);
    return (Z.view().array() * Q.view().array()).sum();
  };
  std::vector<double> gammas;
  for (Index u = 0; u < at.log_gamma.cols(); ++u) gammas.push_back(std::exp(at.log_gamma(0, u)));
  Matrix<double> gradient(problem.K, problem.n);
  Matrix<double> widths_gradient(1, at.log_gamma.cols());
  pool_codes_backward<double>(
      Context({.threads = 1}), grid, patches, {problem.kernel, at.W, gammas}, Q, gradient,
      {widths_gradient.data(), static_cast<std::size_t>(widths_gradient.size())});
  EXPECT_LT(support::gradient_error(
                gradient, [&](const Matrix<double>& W) { return value(W, at.log_gamma); }, at.W),
            kStageGradient);
  if (!widths) return;
  EXPECT_LT(
      support::gradient_error(
          widths_gradient, [&](const Matrix<double>& g) { return value(at.W, g); }, at.log_gamma),
      kStageGradient);
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const KernelKind kernel : support::kAllKernels) {
    for (const Index grid : {1, 2, 3}) {
      for (const Index stride : {1, 2}) list.push_back({kernel, {3, stride, grid, grid}});
    }
    list.push_back({kernel, {2, 1, 4, 3, true}});
  }
  return list;
}
INSTANTIATE_TEST_SUITE_P(Joint, PooledCodes, testing::ValuesIn(cases()), name_of_case);

TEST(PooledCodesRefuse, ShapesThatDoNotFit) {
  const JointProblem problem;
  const auto patches = problem.patches<double>();
  const auto at = problem.parameters<double>(false);
  Matrix<double> Z(problem.images, 7);
  EXPECT_THROW(pool_codes<double>(Context({.threads = 1}), problem.grid(), patches,
                                  {problem.kernel, at.W, {}}, Z),
               InvalidArgument);
}

}  // namespace
}  // namespace krica
