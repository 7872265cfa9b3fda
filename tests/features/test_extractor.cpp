// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "features/extractor.hpp"
#include "krica/runtime/error.hpp"
#include "patches/sampling.hpp"
#include "support/features.hpp"
#include "support/images.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::features;
using support::gratings;

Preprocessing preprocessing_for(const ImageSet& images, Index field) {
  const PatchSample sample = sample_patches(Context(), images, field, 300);
  return Preprocessing::fit(Context(), sample.patches, {.unit_norm = true});
}

FeatureExtractor extractor_for(const ImageSet& images, FeatureOptions options,
                               EncoderKind kind = EncoderKind::kKernel) {
  Preprocessing preprocessing = preprocessing_for(images, options.descriptors.receptive_field);
  const Matrix<float> atoms = support::random_matrix<float>(13, preprocessing.outputs(), 3);
  return {options, images.shape(), std::move(preprocessing),
          Encoder({.kind = kind, .kernel = {.gamma = 0.05}}, atoms)};
}

/// Position by position, cell by cell, from the parts.
std::vector<double> naive(const FeatureExtractor& extractor, const std::vector<float>& image) {
  const LocalDescriptorsPtr patches =
      make_descriptors(extractor.options().descriptors, extractor.shape());
  const auto [rows, cols] = patches->positions(extractor.shape());
  const auto [pool_rows, pool_cols] = extractor.options().pooling.levels.levels.front();
  const Index channels = extractor.encoder().channels();
  std::vector<double> sums(static_cast<std::size_t>(extractor.features()), 0.0);
  for (Index y = 0; y < rows; ++y) {
    for (Index x = 0; x < cols; ++x) {
      Matrix<float> raw(1, extractor.preprocessing().inputs());
      const PositionRun here{y, x, 1};
      patches->read(image.data(), extractor.shape(), {&here, 1}, raw);
      const Matrix<float> patch = extractor.preprocessing().apply(Context(), raw);
      Matrix<float> code(1, channels);
      extractor.encoder().encode(patch, code);
      Index cell_row = 0;
      while ((cell_row + 1) * rows / pool_rows <= y) ++cell_row;
      Index cell_col = 0;
      while ((cell_col + 1) * cols / pool_cols <= x) ++cell_col;
      for (Index u = 0; u < channels; ++u) {
        sums[static_cast<std::size_t>((cell_row * pool_cols + cell_col) * channels + u)] +=
            code(0, u);
      }
    }
  }
  return sums;
}

struct Case {
  ImageShape shape;
  FeatureOptions options;
  EncoderKind kind;
};

class EveryGrid : public testing::TestWithParam<Case> {};

TEST_P(EveryGrid, EqualsTheNaiveSum) {
  const auto images = gratings(2, 2, GetParam().shape);
  const FeatureExtractor extractor = extractor_for(images, GetParam().options, GetParam().kind);
  std::vector<float> image(static_cast<std::size_t>(images.shape().values()));
  images.read(1, 1, image.data());
  const FeatureMatrix pooled = extractor.extract(Context(), images);
  const std::vector<double> expected = naive(extractor, image);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(pooled.view()(1, static_cast<Index>(j)), expected[j],
                1e-4 * (1 + std::abs(expected[j])));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Extractor, EveryGrid,
    testing::Values(Case{{12, 12, 1}, features(4, 1, 2, 2), EncoderKind::kKernel},
                    Case{{12, 9, 3}, features(3, 2, 1, 1), EncoderKind::kAbs},
                    Case{{14, 11, 1}, features(5, 1, 3, 2), EncoderKind::kTriangle},
                    Case{{9, 9, 3}, features(4, 1, 6, 6), EncoderKind::kHard},
                    Case{{20, 20, 1}, features(3, 3, 4, 4), EncoderKind::kSoftThreshold},
                    Case{{6, 6, 1}, features(6, 1, 1, 1), EncoderKind::kKernel},
                    Case{{40, 33, 1}, features(4, 1, 2, 2), EncoderKind::kKernel}));

TEST(Extractor, SameBitsForAnyThreadsAndResumedAnywhere) {
  const auto images = gratings(70);
  const FeatureExtractor extractor = extractor_for(images, features(4, 1, 2, 2));
  const FeatureMatrix one = extractor.extract(Context({.threads = 1}), images);
  const FeatureMatrix four = extractor.extract(Context({.threads = 4}), images);
  EXPECT_TRUE(one.view() == four.view());
  FeatureMatrix parts(Context(), 70, extractor.features());
  extractor.extract(Context(), images, 0, parts, [](Index) {});
  parts.view().bottomRows(41).setZero();
  extractor.extract(Context(), images, 29, parts, [](Index) {});
  EXPECT_TRUE(std::as_const(parts).view() == one.view());
}

class EveryPooling : public testing::TestWithParam<EncoderKind> {};

/// The largest code of every cell, in turn from the extractor's own codes.
TEST_P(EveryPooling, MaximaAreThoseOfTheCodes) {
  const auto images = gratings(9, 3, {13, 10, 1});
  FeatureOptions options = features(4, 1, 1, 1);
  options.pooling.levels = PoolLevels::from_text("1x1,3x2");
  options.pooling.function = PoolFunction::kMax;
  const FeatureExtractor extractor = extractor_for(images, options, GetParam());
  const FeatureMatrix pooled = extractor.extract(Context({.threads = 1}), images);
  std::vector<float> image(static_cast<std::size_t>(images.shape().values()));
  images.read(7, 1, image.data());
  const Index channels = extractor.encoder().channels();
  Matrix<float> codes(extractor.positions(), channels);
  extractor.encode(image.data(), 0, codes);
  std::vector<float> expected(static_cast<std::size_t>(extractor.features()), -1e30F);
  for (Index p = 0; p < codes.rows(); ++p) {
    for (const Index g : extractor.grid().cells_of(extractor.grid().run_at(p).zone)) {
      for (Index u = 0; u < channels; ++u) {
        float& most = expected[static_cast<std::size_t>(g * channels + u)];
        most = std::max(most, codes(p, u));
      }
    }
  }
  for (std::size_t j = 0; j < expected.size(); ++j)
    EXPECT_FLOAT_EQ(pooled.view()(7, static_cast<Index>(j)), expected[j]);
  for (const int threads : {2, 3, 4}) {
    EXPECT_TRUE(extractor.extract(Context({.threads = threads}), images).view() == pooled.view());
  }
}

/// Level after level, as each grid by itself.
TEST_P(EveryPooling, LevelsAreThoseOfSingleGrids) {
  const auto images = gratings(5, 3, {13, 10, 1});
  for (const PoolFunction function :
       {PoolFunction::kSum, PoolFunction::kMean, PoolFunction::kMax}) {
    FeatureOptions options = features(4, 1, 1, 1);
    options.pooling.function = function;
    options.pooling.levels = PoolLevels::from_text("1x1,3x2");
    const FeatureMatrix both =
        extractor_for(images, options, GetParam()).extract(Context({.threads = 1}), images);
    Index first = 0;
    for (const std::string_view level : {"1x1", "3x2"}) {
      options.pooling.levels = PoolLevels::from_text(level);
      const FeatureMatrix one =
          extractor_for(images, options, GetParam()).extract(Context({.threads = 3}), images);
      const auto part = both.view().middleCols(first, one.cols());
      EXPECT_LT((part - one.view()).cwiseAbs().maxCoeff(), 1e-4 * (1 + part.cwiseAbs().maxCoeff()));
      first += one.cols();
    }
    EXPECT_EQ(first, both.cols());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Extractor, EveryPooling,
    testing::Values(EncoderKind::kKernel, EncoderKind::kAbs, EncoderKind::kTriangle,
                    EncoderKind::kHard, EncoderKind::kSoftThreshold, EncoderKind::kSoftAbs,
                    EncoderKind::kSigmoid, EncoderKind::kLasso, EncoderKind::kLinear,
                    EncoderKind::kLlc),
    [](const auto& code) { return support::test_name(std::string(name_of(code.param))); });

TEST(Extractor, ImagesOfOnePositionAreEncodedTogetherToTheSameBits) {
  const auto images = gratings(300, 3, {5, 5, 1});
  const FeatureExtractor extractor = extractor_for(images, features(5, 1, 1, 1));
  const FeatureMatrix all = extractor.extract(Context({.threads = 1}), images);
  std::vector<float> image(25);
  for (const Index i : {0, 100, 299}) {
    images.read(i, 1, image.data());
    const std::vector<double> expected = naive(extractor, image);
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(all.view()(i, static_cast<Index>(j)), expected[j], 1e-5);
  }
  EXPECT_TRUE(extractor.extract(Context({.threads = 4}), images).view() == all.view());
  FeatureMatrix resumed(Context(), 300, extractor.features());
  extractor.extract(Context(), images, 0, resumed, [](Index) {});
  resumed.view().bottomRows(150).setZero();
  extractor.extract(Context(), images, 150, resumed, [](Index) {});
  EXPECT_TRUE(std::as_const(resumed).view() == all.view());
  const auto one = gratings(1, 3, {5, 5, 1});
  EXPECT_TRUE(extractor.extract(Context(), one).view() == extractor.extract(Context(), one).view());
}

TEST(Extractor, RefusesWhatDoesNotFit) {
  const auto images = gratings(4);
  EXPECT_THROW(extractor_for(images, features(4, 1, 10, 1)), InvalidArgument)
      << "a grid finer than the positions";
  EXPECT_THROW(extractor_for(images, features(4, 0, 2, 2)), InvalidArgument);
  EXPECT_THROW(extractor_for(images, features(4, 1, 0, 2)), InvalidArgument);
  const FeatureExtractor extractor = extractor_for(images, features(4, 1, 2, 2));
  EXPECT_THROW((void)extractor.extract(Context(), gratings(2, 2, {10, 12, 1})), InvalidArgument);
  Preprocessing other = preprocessing_for(images, 3);
  EXPECT_THROW(FeatureExtractor(features(4, 1, 2, 2), images.shape(), std::move(other),
                                Encoder({}, support::random_matrix<float>(3, 9, 1))),
               InvalidArgument);
}

TEST(Extractor, StopsWhenCancelled) {
  const auto images = gratings(40);
  const FeatureExtractor extractor = extractor_for(images, features(4, 1, 2, 2));
  const Context context({.threads = 2});
  context.cancel();
  EXPECT_THROW((void)extractor.extract(context, images), Cancelled);
}

}  // namespace
}  // namespace krica
