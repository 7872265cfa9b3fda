// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/patches/preprocessing.hpp"
#include "krica/runtime/error.hpp"
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
