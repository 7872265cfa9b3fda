// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "features/extractor.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/words.hpp"
#include "patches/sampling.hpp"
#include "support/features.hpp"
#include "support/images.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/sift_images.hpp"

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
                    Case{{12, 12, 1}, features(4, 2, 2, 2), EncoderKind::kOmp},
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
  extractor.encode(image.data(), images.shape(), 0, codes);
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

INSTANTIATE_TEST_SUITE_P(Extractor, EveryPooling,
                         testing::Values(EncoderKind::kKernel, EncoderKind::kAbs,
                                         EncoderKind::kTriangle, EncoderKind::kHard,
                                         EncoderKind::kSoftThreshold, EncoderKind::kSoftAbs,
                                         EncoderKind::kSigmoid, EncoderKind::kLasso,
                                         EncoderKind::kLinear, EncoderKind::kLlc),
                         [](const auto& code) {
                           return support::test_name(std::string(name_of(code.param)));
                         });

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

struct SiftPooling {
  EncoderKind kind;
  PoolFunction function;
};

class EverySiftPooling : public testing::TestWithParam<SiftPooling> {};

FeatureExtractor sift_extractor(const ImageSet& images, const SiftPooling& pooling,
                                bool unit_length = false) {
  FeatureOptions options;
  options.descriptors = {16, 5, DescriptorKind::kSift};
  options.pooling.levels = PoolLevels::from_text("1x1,2x2,4x4");
  options.pooling.function = pooling.function;
  options.unit_length = unit_length;
  const Matrix<float> atoms = support::random_matrix<float>(11, 128, 3);
  const bool tangents = pooling.kind == EncoderKind::kTangents;
  const LocalDescriptorsPtr sift = make_descriptors(options.descriptors, images.shape());
  const PatchSample sample = sample_patches(Context(), images, *sift, 200);
  return {options, images.shape(),
          Preprocessing::fit(Context(), sample.patches,
                             {.contrast = false, .whitening = {.kind = WhiteningKind::kNone}}),
          Encoder({.kind = pooling.kind, .kernel = {.gamma = 0.05}, .tangents = 2}, atoms, {},
                  support::random_matrix<float>(tangents ? 22 : 0, 128, 4))};
}

/// Position by position of an image, cell by cell of the pyramid: a cell of a grid of g holds the
/// positions floor(cP/g) ... floor((c+1)P/g) - 1, and at least one.
std::vector<double> naive_pyramid(const FeatureExtractor& extractor,
                                  const std::vector<float>& image, const ImageShape& shape) {
  const Positions positions = extractor.descriptors().positions(shape);
  const Matrix<float> patches = support::descriptors_of(extractor.descriptors(), image, shape);
  const Index channels = extractor.encoder().channels();
  Matrix<float> codes(patches.rows(), channels);
  extractor.encoder().encode(patches, codes);
  std::vector<double> features;
  for (const auto& [rows, cols] : extractor.options().pooling.levels.levels) {
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < cols; ++c) {
        const Index top = r * positions.rows / rows;
        const Index bottom = std::max(top + 1, (r + 1) * positions.rows / rows);
        const Index left = c * positions.cols / cols;
        const Index right = std::max(left + 1, (c + 1) * positions.cols / cols);
        for (Index u = 0; u < channels; ++u) {
          double sum = 0;
          double most = -1e30;
          for (Index y = top; y < bottom; ++y) {
            for (Index x = left; x < right; ++x) {
              const double code = codes(y * positions.cols + x, u);
              sum += code;
              most = std::max(most, code);
            }
          }
          const auto count = static_cast<double>((bottom - top) * (right - left));
          const PoolFunction function = extractor.options().pooling.function;
          features.push_back(function == PoolFunction::kMax    ? most
                             : function == PoolFunction::kMean ? sum / count
                                                               : sum);
        }
      }
    }
  }
  return features;
}

const std::vector<ImageShape> kSizes = {{48, 33, 1}, {16, 60, 1}, {16, 16, 1},
                                        {31, 31, 1}, {60, 60, 1}, {28, 17, 1}};

/// Features of all images against those of the naive loop.
void expect_naive_features(const FeatureExtractor& extractor, const support::VariedImages& images,
                           const FeatureMatrix& features) {
  ASSERT_EQ(features.cols(), 21 * extractor.encoder().channels());
  for (Index i = 0; i < images.size(); ++i) {
    const std::vector<double> expected =
        naive_pyramid(extractor, images.pixels(i), images.shape_of(i));
    for (std::size_t j = 0; j < expected.size(); ++j) {
      ASSERT_NEAR(features.view()(i, static_cast<Index>(j)), expected[j],
                  2e-4 * (1 + std::abs(expected[j])))
          << i << ' ' << j;
    }
  }
}

TEST_P(EverySiftPooling, OfImagesThatDifferInSizeEqualsTheNaiveLoop) {
  const support::VariedImages images(kSizes, {});
  const FeatureExtractor extractor = sift_extractor(images, GetParam());
  const FeatureMatrix one = extractor.extract(Context({.threads = 1}), images);
  expect_naive_features(extractor, images, one);
  EXPECT_TRUE(extractor.extract(Context({.threads = 4}), images).view() == one.view());
  // Alone, or in another box, an image has the same features.
  const ImageSetPtr some = subset(images.shared(), {2, 5});
  const FeatureMatrix again = extractor.extract(Context({.threads = 2}), *some);
  EXPECT_TRUE(again.view().row(0) == one.view().row(2));
  EXPECT_TRUE(again.view().row(1) == one.view().row(5));
}

TEST_P(EverySiftPooling, OfOnePositionThatAllCellsShareEqualsTheNaiveLoop) {
  const support::VariedImages images(std::vector<ImageShape>(5, {16, 18, 1}), {});
  ASSERT_FALSE(images.varied());
  const FeatureExtractor extractor = sift_extractor(images, GetParam());
  ASSERT_EQ(extractor.positions(), 1);
  expect_naive_features(extractor, images, extractor.extract(Context({.threads = 1}), images));
}

std::vector<SiftPooling> sift_poolings() {
  std::vector<SiftPooling> all;
  for (const std::string& name : all_names<EncoderKind>()) {
    for (const PoolFunction function :
         {PoolFunction::kSum, PoolFunction::kMean, PoolFunction::kMax})
      all.push_back({encoder_kind(name), function});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Extractor, EverySiftPooling, testing::ValuesIn(sift_poolings()),
                         [](const auto& tested) {
                           return support::test_name(std::string(name_of(tested.param.kind)) + " " +
                                                     std::string(name_of(tested.param.function)));
                         });

TEST(Extractor, ScalesFeaturesToLengthOne) {
  const support::VariedImages images(kSizes, {});
  const SiftPooling pooling{EncoderKind::kAbs, PoolFunction::kMax};
  const FeatureMatrix plain = sift_extractor(images, pooling).extract(Context(), images);
  const FeatureExtractor scaling = sift_extractor(images, pooling, true);
  const FeatureMatrix scaled = scaling.extract(Context({.threads = 1}), images);
  for (Index i = 0; i < images.size(); ++i) {
    const double length = plain.view().row(i).cast<double>().norm();
    EXPECT_NEAR(scaled.view().row(i).norm(), 1, 1e-5);
    EXPECT_LT((scaled.view().row(i) * length - plain.view().row(i)).norm(), 1e-5 * length);
  }
  EXPECT_TRUE(scaling.extract(Context({.threads = 3}), images).view() == scaled.view());
  const std::vector<std::uint8_t> nothing(2 * 32 * 32, 50);
  const FeatureMatrix flat =
      scaling.extract(Context(), support::MemoryImages({32, 32, 1}, nothing, {}, 0));
  EXPECT_TRUE((flat.view().array() == 0).all()) << "flat images have no features to scale";
}

TEST(Extractor, NamesAnImageThatIsTooSmall) {
  const support::VariedImages images(kSizes, {});
  const FeatureExtractor extractor =
      sift_extractor(images, {EncoderKind::kAbs, PoolFunction::kMax});
  const support::VariedImages small({{48, 33, 1}, {10, 33, 1}}, {});
  EXPECT_THROW((void)extractor.extract(Context(), small), DataError);
  const FeatureExtractor pixels = extractor_for(gratings(4), features(4, 1, 2, 2));
  EXPECT_THROW((void)pixels.extract(Context(), images), InvalidArgument);
}

}  // namespace
}  // namespace krica
