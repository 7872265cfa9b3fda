// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/runtime/error.hpp"
#include "patches/preprocessing.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

Matrix<float> pixels(Index m, Index n) {
  Matrix<float> X = support::random_matrix<float>(m, n, 9);
  X.view() = (X.view().array() * 40.0F + 120.0F).max(0.0F).min(255.0F);
  return X;
}

TEST(Preprocessing, ContrastIsTheFormula) {
  const Matrix<float> X = pixels(20, 12);
  const auto plain = Preprocessing::fit(
      Context(), X, {.contrast_epsilon = 7, .whitening = {.kind = WhiteningKind::kNone}});
  const Matrix<float> result = plain.apply(Context(), X);
  for (Index i = 0; i < X.rows(); ++i) {
    const Eigen::VectorXd x = X.view().row(i).transpose().cast<double>();
    const double mean = x.mean();
    const double variance = (x.array() - mean).square().sum() / 11.0;
    const Eigen::VectorXd expected = (x.array() - mean) / std::sqrt(variance + 7);
    EXPECT_LT((result.view().row(i).transpose().cast<double>() - expected).norm(), 1e-5);
  }
}

TEST(Preprocessing, ImagesInUnitRangeMeanTheSame) {
  const Matrix<float> X = pixels(200, 12);
  Matrix<float> unit = X;
  unit.view() /= 255.0F;
  const Matrix<float> a = Preprocessing::fit(Context(), X, {}).apply(Context(), X);
  const Matrix<float> b = Preprocessing::fit(Context(), unit, {}).apply(Context(), unit);
  EXPECT_LT((a.view() - b.view()).norm(), 1e-3F * a.view().norm());
}

/// Overshoot of resampling, other ranges and dark images leave the meaning of the epsilon alone.
TEST(Preprocessing, AnyRangeOfPixelsMeansTheSame) {
  const Matrix<float> X = pixels(200, 12);
  const Matrix<float> expected = Preprocessing::fit(Context(), X, {}).apply(Context(), X);
  const auto difference = [&](auto change) {
    Matrix<float> other = X;
    change(other);
    const Matrix<float> found = Preprocessing::fit(Context(), other, {}).apply(Context(), other);
    return (found.view() - expected.view()).norm() / expected.view().norm();
  };
  EXPECT_LT(difference([](auto& x) { x.view() *= 1.004F / 255; }), 1e-2F);
  EXPECT_LT(difference([](auto& x) { x.view() *= 1.02F; }), 1e-2F);
  EXPECT_LT(difference([](auto& x) { x.view() *= 1e-6F; }), 1e-2F);
  EXPECT_LT(difference([](auto& x) { x.view() *= 257.0F; }), 1e-2F);
  EXPECT_LT(difference([](auto& x) { x.view().array() = x.view().array() / 127.5F - 1; }), 1e-2F);
}

TEST(Preprocessing, RelativeEpsilonsDoNotDependOnTheUnit) {
  const Matrix<float> X = pixels(200, 12);
  Matrix<float> other = X;
  other.view() *= 0x1p-20F;
  for (const WhiteningKind kind :
       {WhiteningKind::kZca, WhiteningKind::kPca, WhiteningKind::kStandardise}) {
    for (const bool contrast : {false, true}) {
      const PreprocessingOptions options{.contrast = contrast,
                                         .contrast_epsilon = 0.1,
                                         .relative = true,
                                         .whitening = {.kind = kind, .epsilon = 0.3}};
      const Matrix<float> a = Preprocessing::fit(Context(), X, options).apply(Context(), X);
      const Matrix<float> b = Preprocessing::fit(Context(), other, options).apply(Context(), other);
      EXPECT_LT((a.view() - b.view()).norm(), 1e-5F * a.view().norm());
      const auto root = static_cast<float>(std::sqrt(static_cast<double>(a.rows()) / 1.3));
      if (kind == WhiteningKind::kStandardise && !contrast) {
        EXPECT_NEAR(a.view().col(3).norm(), root, 0.1F * root);
      }
    }
  }
}

TEST(Preprocessing, UnitNormAndConstantPatches) {
  Matrix<float> X = pixels(50, 12);
  X.view().row(7).setConstant(100.0F);
  const auto options =
      PreprocessingOptions{.whitening = {.kind = WhiteningKind::kNone}, .unit_norm = true};
  const Matrix<float> result = Preprocessing::fit(Context(), X, options).apply(Context(), X);
  for (Index i = 0; i < X.rows(); ++i)
    EXPECT_NEAR(result.view().row(i).norm(), i == 7 ? 0.0F : 1.0F, 1e-5F);
}

TEST(Preprocessing, WithoutContrastOnlyWhitens) {
  const Matrix<float> X = pixels(50, 6);
  const auto options =
      PreprocessingOptions{.contrast = false, .whitening = {.kind = WhiteningKind::kNone}};
  EXPECT_TRUE(Preprocessing::fit(Context(), X, options).apply(Context(), X).view() == X.view());
}

TEST(Preprocessing, SavesAndLoadsWithKernelPca) {
  const Matrix<float> X = pixels(60, 6);
  for (const bool kernel : {false, true}) {
    PreprocessingOptions options{.unit_norm = true};
    if (kernel)
      options.kernel_pca =
          KernelPcaOptions{.kernel = {.gamma = 0.1}, .landmarks = 20, .components = 4};
    const auto fitted = Preprocessing::fit(Context(), X, options);
    EXPECT_EQ(fitted.outputs(), kernel ? 4 : 6);
    Archive archive;
    fitted.save(archive);
    const auto loaded = Preprocessing::load(Archive::parse(archive.bytes(), "memory"));
    EXPECT_TRUE(loaded.apply(Context(), X).view() == fitted.apply(Context(), X).view());
  }
}

TEST(Preprocessing, RefusesImagesWithoutContrast) {
  Matrix<float> X(30, 6);
  X.view().setConstant(17.0F);
  EXPECT_THROW(Preprocessing::fit(Context(), X, {}), InvalidArgument);
  EXPECT_THROW(Preprocessing::fit(Context(), pixels(5, 3), {.contrast_epsilon = 0}),
               InvalidArgument);
}

}  // namespace
}  // namespace krica
