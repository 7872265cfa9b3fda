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
  const auto& [descriptors, pooling, unit_length] = info.param.features;
  return support::test_name(info.param.kernel) + "Grid" +
         support::test_name(pooling.levels.text()) + "Stride" + std::to_string(descriptors.stride) +
         (pooling.overlap ? "Overlap" : "") + (unit_length ? "Unit" : "");
}

/// Position by position, from the definition.
TEST_P(PooledCodes, EqualTheDefinition) {
  const PatchSource source = problem.source();
  const PoolingGrid& grid = source.grid();
  const Matrix<float> images = problem.pixels();
  const auto at = problem.parameters<double>(false);
  Matrix<double> Z(problem.images, grid.cells() * problem.K);
  pool_codes<double>(Context({.threads = 1}), source, images, {problem.encoder(), at.W}, Z);
  const auto [pool_rows, pool_cols] = problem.features.pooling.levels.levels.front();
  const bool overlap = problem.features.pooling.overlap;
  const auto range = [&](Index cell, Index cells, Index positions) -> std::pair<double, double> {
    const auto P = static_cast<double>(positions);
    const auto c = static_cast<double>(cell);
    const auto g = static_cast<double>(cells);
    if (!overlap) return {std::floor(c * P / g), std::floor((c + 1) * P / g)};
    return {std::floor(2 * c * P / (2 * g + 1)), std::ceil((2 * c + 3) * P / (2 * g + 1))};
  };
  for (Index i = 0; i < problem.images; ++i) {
    for (Index r = 0; r < pool_rows; ++r) {
      for (Index c = 0; c < pool_cols; ++c) {
        const auto [top, bottom] = range(r, pool_rows, grid.position_rows());
        const auto [left, right] = range(c, pool_cols, grid.position_cols());
        for (Index u = 0; u < problem.K; ++u) {
          double sum = 0;
          for (Index p = 0; p < grid.positions(); ++p) {
            const PoolingGrid::Run place = grid.run_at(p);
            const auto y = static_cast<double>(place.row);
            const auto x = static_cast<double>(place.col);
            if (y < top || y >= bottom || x < left || x >= right) continue;
            const std::vector<double> patch = problem.patch(i, place.row, place.col);
            sum += kernel_value(problem.kernel, at.W.row(u), patch.data(), problem.n);
          }
          if (overlap) sum /= (bottom - top) * (right - left);
          EXPECT_NEAR(Z(i, (r * pool_cols + c) * problem.K + u), sum, 1e-11 * (1 + std::abs(sum)));
        }
      }
    }
  }
}

TEST_P(PooledCodes, BackwardIsTheDerivative) {
  const PatchSource source = problem.source();
  const PoolingGrid& grid = source.grid();
  const Matrix<float> images = problem.pixels();
  const bool widths = problem.kernel.kind == KernelKind::kGaussian;
  const auto at = problem.parameters<double>(widths);
  const auto Q = support::random_matrix<double>(problem.images, grid.cells() * problem.K, 5);
  const auto value = [&](const Matrix<double>& W, const Matrix<double>& log_gamma) {
    const std::vector<double> gammas = encoder_shapes(problem.encoder(), log_gamma);
    Matrix<double> Z(Q.rows(), Q.cols());
    pool_codes<double>(Context({.threads = 1}), source, images, {problem.encoder(), W, gammas}, Z);
    return (Z.view().array() * Q.view().array()).sum();
  };
  const std::vector<double> gammas = encoder_shapes(problem.encoder(), at.shapes);
  Matrix<double> gradient(problem.K, problem.n);
  Matrix<double> widths_gradient(1, at.shapes.cols());
  pool_codes_backward<double>(
      Context({.threads = 1}), source, images, {problem.encoder(), at.W, gammas}, Q, gradient,
      {widths_gradient.data(), static_cast<std::size_t>(widths_gradient.size())});
  EXPECT_LT(support::gradient_error(
                gradient, [&](const Matrix<double>& W) { return value(W, at.shapes); }, at.W),
            kStageGradient);
  if (!widths) return;
  EXPECT_LT(
      support::gradient_error(
          widths_gradient, [&](const Matrix<double>& g) { return value(at.W, g); }, at.shapes),
      kStageGradient);
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const KernelKind kernel : support::kAllKernels) {
    for (const Index grid : {1, 2, 3}) {
      for (const Index stride : {1, 2})
        list.push_back({kernel, support::features(3, stride, grid, grid)});
    }
    list.push_back({kernel, support::features(2, 1, 4, 3, true)});
  }
  return list;
}
INSTANTIATE_TEST_SUITE_P(Joint, PooledCodes, testing::ValuesIn(cases()), name_of_case);

/// The codes of one patch, from their definitions.
std::vector<double> naive_codes(EncoderKind kind, const Matrix<double>& W, const double* x,
                                const std::vector<double>& shapes) {
  const auto K = static_cast<std::size_t>(W.rows());
  std::vector<double> a(K, 0.0);
  std::vector<double> z(K, 0.0);
  for (std::size_t u = 0; u < K; ++u) {
    const double* w = W.row(static_cast<Index>(u));
    for (Index j = 0; j < W.cols(); ++j) {
      a[u] += w[j] * x[j];
      z[u] += (w[j] - x[j]) * (w[j] - x[j]);
    }
    z[u] = std::sqrt(z[u]);
  }
  double mean = 0;
  for (const double distance : z) mean += distance / static_cast<double>(K);
  std::vector<double> codes;
  for (std::size_t u = 0; u < K; ++u) {
    if (kind == EncoderKind::kLinear) codes.push_back(a[u]);
    if (kind == EncoderKind::kAbs) codes.push_back(std::abs(a[u]));
    if (kind == EncoderKind::kSoftAbs) codes.push_back(std::sqrt(a[u] * a[u] + 1e-8));
    if (kind == EncoderKind::kSigmoid) codes.push_back(1 / (1 + std::exp(-a[u] - shapes[u])));
    if (kind == EncoderKind::kTriangle) codes.push_back(std::max(0.0, mean - z[u]));
    if (kind == EncoderKind::kSoftThreshold) codes.push_back(std::max(0.0, a[u] - shapes[u]));
  }
  for (std::size_t u = 0; u < K && kind == EncoderKind::kSoftThreshold; ++u)
    codes.push_back(std::max(0.0, -a[u] - shapes[u]));
  return codes;
}

class OtherCodes : public testing::TestWithParam<EncoderKind> {
 protected:
  OtherCodes() { problem.code = GetParam(); }
  [[nodiscard]] bool shaped() const { return has_shapes(problem.encoder()); }
  JointProblem problem;
  Context context{{.threads = 1}};
};

TEST_P(OtherCodes, EqualTheDefinition) {
  const PatchSource source = problem.source();
  const PoolingGrid& grid = source.grid();
  const Matrix<float> images = problem.pixels();
  const auto at = problem.parameters<double>(shaped());
  const std::vector<double> shapes = encoder_shapes(problem.encoder(), at.shapes);
  const Index channels = problem.channels();
  Matrix<double> Z(problem.images, grid.cells() * channels);
  pool_codes<double>(context, source, images, {problem.encoder(), at.W, shapes}, Z);
  for (Index i = 0; i < problem.images; ++i) {
    Matrix<double> zones(grid.zones(), channels);
    for (Index p = 0; p < grid.positions(); ++p) {
      const PoolingGrid::Run place = grid.run_at(p);
      const std::vector<double> patch = problem.patch(i, place.row, place.col);
      const std::vector<double> codes = naive_codes(GetParam(), at.W, patch.data(), shapes);
      ASSERT_EQ(static_cast<Index>(codes.size()), channels);
      for (Index u = 0; u < channels; ++u)
        zones(place.zone, u) += codes[static_cast<std::size_t>(u)];
    }
    std::vector<double> wanted(static_cast<std::size_t>(Z.cols()));
    grid.pool<double>(zones, wanted.data());
    for (Index j = 0; j < Z.cols(); ++j)
      EXPECT_NEAR(Z(i, j), wanted[static_cast<std::size_t>(j)], 1e-11) << j;
  }
}

TEST_P(OtherCodes, BackwardIsTheDerivative) {
  const PatchSource source = problem.source();
  const PoolingGrid& grid = source.grid();
  const Matrix<float> images = problem.pixels();
  const auto at = problem.parameters<double>(shaped());
  const auto Q =
      support::random_matrix<double>(problem.images, grid.cells() * problem.channels(), 5);
  const auto value = [&](const Matrix<double>& W, const Matrix<double>& learned) {
    const std::vector<double> shapes = encoder_shapes(problem.encoder(), learned);
    Matrix<double> Z(Q.rows(), Q.cols());
    pool_codes<double>(context, source, images, {problem.encoder(), W, shapes}, Z);
    return (Z.view().array() * Q.view().array()).sum();
  };
  const std::vector<double> shapes = encoder_shapes(problem.encoder(), at.shapes);
  Matrix<double> gradient(problem.K, problem.n);
  Matrix<double> shapes_gradient(1, at.shapes.cols());
  pool_codes_backward<double>(
      context, source, images, {problem.encoder(), at.W, shapes}, Q, gradient,
      {shapes_gradient.data(), static_cast<std::size_t>(shapes_gradient.size())});
  EXPECT_LT(support::gradient_error(
                gradient, [&](const Matrix<double>& W) { return value(W, at.shapes); }, at.W,
                support::kSmallStep),
            support::kSameGradient);
  if (!shaped()) return;
  EXPECT_LT(support::gradient_error(
                shapes_gradient, [&](const Matrix<double>& s) { return value(at.W, s); }, at.shapes,
                support::kSmallStep),
            support::kSameGradient);
}

TEST_P(OtherCodes, Float32IsNearFloat64) {
  const PatchSource source = problem.source();
  const Matrix<float> images = problem.pixels();
  const auto wide = problem.parameters<double>(shaped());
  const auto narrow = problem.parameters<float>(shaped());
  const std::vector<double> wide_shapes = encoder_shapes(problem.encoder(), wide.shapes);
  const std::vector<float> narrow_shapes = encoder_shapes(problem.encoder(), narrow.shapes);
  Matrix<double> Z(problem.images, source.grid().cells() * problem.channels());
  Matrix<float> Z32(Z.rows(), Z.cols());
  pool_codes<double>(context, source, images, {problem.encoder(), wide.W, wide_shapes}, Z);
  pool_codes<float>(context, source, images, {problem.encoder(), narrow.W, narrow_shapes}, Z32);
  EXPECT_LT(support::relative_error(Z32, Z), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Joint, OtherCodes,
                         testing::Values(EncoderKind::kLinear, EncoderKind::kAbs,
                                         EncoderKind::kSoftAbs, EncoderKind::kSigmoid,
                                         EncoderKind::kTriangle, EncoderKind::kSoftThreshold),
                         [](const auto& code) {
                           return support::test_name(std::string(name_of(code.param)));
                         });

TEST(PooledCodesRefuse, CodesWithoutADerivative) {
  JointProblem problem;
  const Matrix<float> images = problem.pixels();
  const auto at = problem.parameters<double>(false);
  Matrix<double> Z(problem.images, problem.grid().cells() * problem.K);
  for (const EncoderKind kind : {EncoderKind::kHard, EncoderKind::kLasso}) {
    problem.code = kind;
    EXPECT_FALSE(has_derivative(kind));
    EXPECT_THROW(pool_codes<double>(Context({.threads = 1}), problem.source(), images,
                                    {problem.encoder(), at.W}, Z),
                 InvalidArgument);
  }
}

TEST(PooledCodesRefuse, ShapesThatDoNotFit) {
  const JointProblem problem;
  const Matrix<float> images = problem.pixels();
  const auto at = problem.parameters<double>(false);
  Matrix<double> Z(problem.images, 7);
  EXPECT_THROW(pool_codes<double>(Context({.threads = 1}), problem.source(), images,
                                  {problem.encoder(), at.W}, Z),
               InvalidArgument);
}

}  // namespace
}  // namespace krica
