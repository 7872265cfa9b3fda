// SPDX-License-Identifier: BSD-3-Clause
//
// Features extracted on a device against the CPU's.
#include <gtest/gtest.h>

#include "device/device_needed.hpp"
#include "features/device_encoder.hpp"
#include "features/extractor.hpp"
#include "patches/sampling.hpp"
#include "support/features.hpp"
#include "support/images.hpp"
#include "support/problems.hpp"

namespace krica::device {
namespace {

using support::features;
using support::gratings;
using OnDeviceFeatures = OnDevice;

FeatureExtractor extractor_for(const ImageSet& images, const FeatureOptions& options,
                               const EncoderOptions& encoder = {.kernel = {.gamma = 0.5}},
                               const PreprocessingOptions& preparation = {.unit_norm = true}) {
  const PatchSample sample =
      sample_patches(Context(), images, options.descriptors.receptive_field, 300);
  Preprocessing preprocessing = Preprocessing::fit(Context(), sample.patches, preparation);
  const Matrix<float> atoms = support::random_matrix<float>(37, preprocessing.outputs(), 3);
  return {options, images.shape(), std::move(preprocessing), Encoder(encoder, atoms)};
}

double difference(const FeatureMatrix& a, const FeatureMatrix& b) {
  return static_cast<double>((a.view() - b.view()).norm() / b.view().norm());
}

void expect_same_features(const FeatureExtractor& extractor, const ImageSet& images) {
  const FeatureMatrix expected = extractor.extract(Context(), images);
  const auto on_gpu = [&](Precision precision) {
    return extractor.extract(Context({.device = "cuda", .precision = precision}), images);
  };
  EXPECT_LE(difference(on_gpu(Precision::kFloat32), expected), 1e-4);
  EXPECT_LE(difference(on_gpu(Precision::kTf32), expected), 2e-2);
  EXPECT_LE(difference(on_gpu(Precision::kBf16), expected), 5e-2);
  EXPECT_EQ(on_gpu(Precision::kTf32).view(), on_gpu(Precision::kTf32).view());
}

TEST_F(OnDeviceFeatures, EveryCode) {
  const auto images = gratings(20, 2, {14, 17, 3});
  for (const EncoderKind kind :
       {EncoderKind::kKernel, EncoderKind::kAbs, EncoderKind::kTriangle, EncoderKind::kHard,
        EncoderKind::kSoftThreshold, EncoderKind::kSoftAbs, EncoderKind::kSigmoid,
        EncoderKind::kLinear}) {
    SCOPED_TRACE(name_of(kind));
    expect_same_features(
        extractor_for(images, features(5, 1, 2, 3), {.kind = kind, .kernel = {.gamma = 0.05}}),
        images);
  }
}

TEST_F(OnDeviceFeatures, EveryKernel) {
  const auto images = gratings(20, 2, {14, 17, 1});
  for (const KernelKind kind :
       {KernelKind::kGaussian, KernelKind::kPolynomial, KernelKind::kInverseDistance,
        KernelKind::kInverseSquareDistance, KernelKind::kHistogramIntersection}) {
    SCOPED_TRACE(name_of(kind));
    expect_same_features(
        extractor_for(images, features(5, 2, 2, 2), {.kernel = {.kind = kind, .gamma = 0.5}}),
        images);
  }
}

TEST_F(OnDeviceFeatures, GridsAndPowers) {
  const auto images = gratings(9, 2, {16, 16, 3});
  expect_same_features(extractor_for(images, features(6, 1, 4, 4, true, 0.5)), images);
  FeatureOptions pyramid = features(6, 1, 2, 2);
  pyramid.pooling.levels = PoolLevels::from_text("1x1,2x2,3x3");
  pyramid.pooling.function = PoolFunction::kMean;
  expect_same_features(extractor_for(images, pyramid), images);
  pyramid.pooling.function = PoolFunction::kMax;  // the CPU's
  expect_same_features(extractor_for(images, pyramid), images);
}

TEST_F(OnDeviceFeatures, Preprocessings) {
  const auto images = gratings(9, 2, {16, 16, 1});
  const FeatureOptions options = features(6, 1, 2, 2);
  const EncoderOptions encoder = {.kernel = {.gamma = 0.05}};
  expect_same_features(extractor_for(images, options, encoder, {.contrast = false}), images);
  expect_same_features(
      extractor_for(images, options, encoder, {.whitening = {.kind = WhiteningKind::kNone}}),
      images);
  expect_same_features(
      extractor_for(images, options, encoder,
                    {.whitening = {.kind = WhiteningKind::kPca, .components = 11}}),
      images);
}

TEST_F(OnDeviceFeatures, NumbersFromZeroToOne) {
  const auto bytes = gratings(9, 2, {16, 16, 3});
  const support::FloatImages fractions(bytes, 1.0F / 255);
  expect_same_features(extractor_for(fractions, features(6, 1, 2, 2)), fractions);
}

TEST_F(OnDeviceFeatures, LittleDeviceMemory) {
  const auto images = gratings(300, 2, {16, 16, 3});
  const FeatureExtractor extractor = extractor_for(images, features(6, 1, 2, 2));
  const FeatureMatrix expected = extractor.extract(Context(), images);
  const FeatureMatrix found = extractor.extract(
      Context({.device = "cuda", .device_memory_bytes = std::int64_t{4} << 20}), images);
  EXPECT_LE(difference(found, expected), 2e-2);
}

TEST(DeviceFeatures, AreForPixelPatchesOnly) {
  const auto images = gratings(9, 2, {16, 16, 1});
  const auto layout_of = [&](const FeatureOptions& options, const PreprocessingOptions& how) {
    const PatchSample sample = sample_patches(Context(), images, 6, 300);
    return device_layout(
        PatchSource(options, images.shape(), Preprocessing::fit(Context(), sample.patches, how)));
  };
  FeatureOptions options = features(6, 2, 2, 2, true);
  const auto layout = layout_of(options, {.unit_norm = true});
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->patch.inputs(), 36);
  EXPECT_EQ(layout->pool.cells.size(), 4U);
  std::size_t positions = 0;
  for (const auto& zone : layout->pool.zones) positions += zone.size();
  EXPECT_EQ(positions, 36U);  // 6 × 6
  EXPECT_FALSE(layout_of(options, {.kernel_pca = KernelPcaOptions{}}).has_value());
  options.pooling.function = PoolFunction::kMax;
  EXPECT_FALSE(layout_of(options, {}).has_value());
}

}  // namespace
}  // namespace krica::device
