// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "krica/runtime/error.hpp"
#include "patches/image_whitening.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

constexpr ImageShape kShape{14, 12, 3};

/// Noise, smoothed along the rows: neighbours are alike.
support::MemoryImages smooth_images(Index count) {
  std::vector<std::uint8_t> pixels;
  Random random(3, "smooth");
  double value = 128;
  for (Index j = 0; j < count * kShape.values(); ++j) {
    value = 128 + 0.9 * (value - 128) + 20 * random.normal();
    pixels.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)));
  }
  return {kShape, std::move(pixels), {}, 0};
}

Matrix<float> whitened(const ImageWhitening& whitening, const ImageSet& images) {
  Matrix<float> raw(images.size(), kShape.values());
  Matrix<float> result(images.size(), kShape.values());
  images.read(0, images.size(), raw.data());
  for (Index i = 0; i < images.size(); ++i) whitening.apply(kShape, raw.row(i), result.row(i));
  return result;
}

/// Of pixels `apart` columns apart in a row.
double correlation(const Matrix<float>& images, Index apart) {
  double products = 0;
  double squares = 0;
  for (Index i = 0; i < images.rows(); ++i) {
    for (Index j = 0; j + apart < images.cols(); ++j) {
      if (j % kShape.width + apart >= kShape.width) continue;
      products += static_cast<double>(images(i, j)) * static_cast<double>(images(i, j + apart));
      squares += static_cast<double>(images(i, j)) * static_cast<double>(images(i, j));
    }
  }
  return products / squares;
}

TEST(ImageWhitening, RemovesTheCorrelationOfNeighbours) {
  const auto images = smooth_images(200);
  const ImageWhitening none =
      ImageWhitening::fit(Context(), images, {.whiten = false, .contrast = false});
  EXPECT_EQ(none.side(), 1);
  EXPECT_GT(correlation(whitened(none, images), 1), 0.8);
  const ImageWhitening zca =
      ImageWhitening::fit(Context(), images, {.epsilon = 0.001, .contrast = false});
  EXPECT_EQ(zca.side(), 9);
  const Matrix<float> white = whitened(zca, images);
  EXPECT_LT(std::abs(correlation(white, 1)), 0.1);
  EXPECT_NEAR(white.view().squaredNorm() / static_cast<float>(white.size()), 1, 0.15);
  EXPECT_NEAR(white.view().mean(), 0, 0.05);
}

TEST(ImageWhitening, GivesEveryImageTheSameContrast) {
  const auto images = smooth_images(50);
  const Matrix<float> white = whitened(ImageWhitening::fit(Context(), images, {}), images);
  for (Index i = 0; i < 50; ++i)
    EXPECT_NEAR(white.view().row(i).norm() / std::sqrt(kShape.values()), 1, 0.05);
}

/// Constant images have no contrast to normalise; what is left of them after whitening is finite.
TEST(ImageWhitening, TakesFlatImages) {
  const auto images = smooth_images(50);
  const ImageWhitening whitening = ImageWhitening::fit(Context(), images, {});
  const std::vector<float> flat(static_cast<std::size_t>(kShape.values()), 77);
  std::vector<float> result(flat.size());
  whitening.apply(kShape, flat.data(), result.data());
  for (const float value : result) EXPECT_TRUE(std::isfinite(value));
}

TEST(ImageWhitening, SurvivesAnArchiveAndRefusesWhatDoesNotFit) {
  const auto images = smooth_images(50);
  const ImageWhitening whitening = ImageWhitening::fit(Context(), images, {});
  Archive archive;
  whitening.save(archive);
  const ImageWhitening loaded = ImageWhitening::load(archive, 3);
  EXPECT_TRUE(whitened(loaded, images).view() == whitened(whitening, images).view());
  EXPECT_THROW(ImageWhitening::load(archive, 1), DataError);
  archive.put("network.whitening", Matrix<float>(3, 3 * 11 * 11));
  EXPECT_THROW(ImageWhitening::load(archive, 3), DataError);
  Matrix<float> holed(3, 27);
  holed(1, 1) = NAN;
  archive.put("network.whitening", holed);
  EXPECT_THROW(ImageWhitening::load(archive, 3), DataError);
}

TEST(ImageWhitening, RefusesImagesThatAreAllEqual) {
  const support::MemoryImages flat(kShape, std::vector<std::uint8_t>(10 * 14 * 12 * 3, 9), {}, 0);
  EXPECT_THROW(ImageWhitening::fit(Context(), flat, {}), InvalidArgument);
}

}  // namespace
}  // namespace krica
