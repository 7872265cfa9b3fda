// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "krica/runtime/error.hpp"
#include "patches/dense_sift.hpp"
#include "patches/sampling.hpp"
#include "support/images.hpp"
#include "support/instruction_sets.hpp"
#include "support/sift_images.hpp"

namespace krica {
namespace {

using support::descriptors_of;
using support::photo;

/// Pixel by pixel, from the definition.
class Naive {
 public:
  Naive(const std::vector<float>& image, ImageShape shape) : shape_(shape) {
    for (Index p = 0; p < shape.pixels(); ++p) {
      const auto at = [&](Index c) { return double{image[std::size_t(c * shape.pixels() + p)]}; };
      grey_.push_back(shape.channels == 1 ? at(0) : 0.299 * at(0) + 0.587 * at(1) + 0.114 * at(2));
    }
  }

  [[nodiscard]] std::vector<double> at(Index top, Index left, Index field) const {
    std::vector<double> h(128, 0.0);
    const double c = static_cast<double>(field) / 4;
    for (Index y = 0; y < shape_.height; ++y) {
      for (Index x = 0; x < shape_.width; ++x) {
        const double gx = difference(y, x, 0, 1, x, shape_.width);
        const double gy = difference(y, x, 1, 0, y, shape_.height);
        const double m = std::hypot(gx, gy);
        double r = 4 / std::numbers::pi * std::atan2(gy, gx);
        if (r < 0) r += 8;
        for (int j = 0; j < 4; ++j) {
          for (int k = 0; k < 4; ++k) {
            const double w = weight(double(y - top) - ((j + 0.5) * c - 0.5), c) *
                             weight(double(x - left) - ((k + 0.5) * c - 0.5), c);
            for (int o = 0; o < 8; ++o) {
              const double apart = std::abs(r - o);
              const double d = std::min(apart, 8 - apart);
              h[std::size_t((j * 4 + k) * 8 + o)] += w * m * std::max(0.0, 1 - d);
            }
          }
        }
      }
    }
    return normalised(h);
  }

 private:
  static double weight(double d, double c) { return std::max(0.0, 1 - std::abs(d) / c) / c; }
  [[nodiscard]] double grey(Index y, Index x) const {
    return grey_[std::size_t(y * shape_.width + x)];
  }
  [[nodiscard]] double difference(Index y, Index x, Index dy, Index dx, Index at, Index n) const {
    if (at == 0) return grey(y + dy, x + dx) - grey(y, x);
    if (at == n - 1) return grey(y, x) - grey(y - dy, x - dx);
    return (grey(y + dy, x + dx) - grey(y - dy, x - dx)) / 2;
  }
  [[nodiscard]] std::vector<double> normalised(std::vector<double> h) const {
    const double threshold = *std::max_element(grey_.begin(), grey_.end()) / 32;
    const auto length = [&] {
      double sum = 0;
      for (const double v : h) sum += v * v;
      return std::sqrt(sum);
    };
    const double before = length();
    if (before == 0) return h;
    for (double& v : h) v = std::min(0.2, v / std::max(before, threshold));
    if (before < threshold) return h;
    const double again = length();
    for (double& v : h) v /= again;
    return h;
  }

  ImageShape shape_;
  std::vector<double> grey_;
};

struct SiftCase {
  ImageShape shape;
  Index field;
  Index stride;
};

class EverySift : public testing::TestWithParam<SiftCase> {};

TEST_P(EverySift, EqualsTheDefinition) {
  const auto [shape, field, stride] = GetParam();
  const std::vector<float> image = photo(shape);
  const DenseSift sift({field, stride, DescriptorKind::kSift});
  const Naive naive(image, shape);
  const Positions positions = sift.positions(shape);
  const PixelPlace first = sift.first_pixel(shape);
  support::with_every_instruction_set([&, shape = shape, field = field, stride = stride] {
    const Matrix<float> read = descriptors_of(sift, image, shape);
    for (Index row = 0; row < positions.rows; ++row) {
      for (Index col = 0; col < positions.cols; ++col) {
        const auto expected = naive.at(first.row + row * stride, first.col + col * stride, field);
        for (Index i = 0; i < 128; ++i)
          ASSERT_NEAR(read(row * positions.cols + col, i), expected[std::size_t(i)], 2e-5)
              << row << ' ' << col << ' ' << i;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sift, EverySift,
                         testing::Values(SiftCase{{29, 33, 1}, 16, 6}, SiftCase{{16, 16, 3}, 16, 6},
                                         SiftCase{{21, 18, 3}, 12, 1}, SiftCase{{9, 11, 1}, 4, 3},
                                         SiftCase{{40, 25, 1}, 20, 5}));

TEST(DenseSift, LiesInTheMiddleOfTheImage) {
  const DenseSift sift({16, 6, DescriptorKind::kSift});
  EXPECT_EQ(sift.positions({300, 200, 3}), (Positions{48, 31}));
  const PixelPlace first = sift.first_pixel({300, 200, 3});  // 284 = 47·6 + 2, 184 = 30·6 + 4
  EXPECT_EQ(first.row, 1);
  EXPECT_EQ(first.col, 2);
  EXPECT_EQ(sift.positions({16, 16, 1}), (Positions{1, 1}));
  EXPECT_THROW((void)sift.positions({15, 40, 1}), InvalidArgument);
}

TEST(DenseSift, RunsGiveTheSameBitsAsSinglePositions) {
  const ImageShape shape{40, 47, 1};
  const std::vector<float> image = photo(shape);
  const DenseSift sift({16, 3, DescriptorKind::kSift});
  const Matrix<float> whole = descriptors_of(sift, image, shape);
  std::vector<float> memory;
  const float* prepared = sift.prepared(image.data(), shape, memory);
  Matrix<float> one(1, 128);
  const Positions positions = sift.positions(shape);
  for (Index p = 0; p < positions.count(); ++p) {
    const PositionRun here{p / positions.cols, p % positions.cols, 1};
    sift.read(prepared, shape, {&here, 1}, one);
    EXPECT_TRUE(std::equal(one.data(), one.data() + 128, whole.row(p)));
  }
}

TEST(DenseSift, HasLengthOneAndNoLargeValues) {
  const ImageShape shape{64, 64, 1};
  const Matrix<float> read =
      descriptors_of(DenseSift({16, 6, DescriptorKind::kSift}), photo(shape), shape);
  for (Index p = 0; p < read.rows(); ++p) {
    EXPECT_NEAR(read.view().row(p).norm(), 1, 1e-5);
    EXPECT_GE(read.view().row(p).minCoeff(), 0);
    EXPECT_LT(read.view().row(p).maxCoeff(), 0.5);
  }
}

TEST(DenseSift, DoesNotDependOnTheUnitOfThePixels) {
  const ImageShape shape{30, 30, 3};
  std::vector<float> image = photo(shape);
  const DenseSift sift({16, 4, DescriptorKind::kSift});
  const Matrix<float> bytes = descriptors_of(sift, image, shape);
  for (float& value : image) value /= 256;
  EXPECT_TRUE(descriptors_of(sift, image, shape).view() == bytes.view());
}

TEST(DenseSift, FlatWindowsAreZeroAndFaintOnesShort) {
  const ImageShape shape{32, 32, 1};
  std::vector<float> image(static_cast<std::size_t>(shape.values()), 90);
  const DenseSift sift({16, 16, DescriptorKind::kSift});
  EXPECT_TRUE((descriptors_of(sift, image, shape).view().array() == 0).all());
  for (std::size_t i = 0; i < image.size(); ++i) image[i] += i % 2 == 0 ? 0.4F : 0.0F;  // noise
  for (std::size_t y = 22; y < 26; ++y)
    for (std::size_t x = 22; x < 26; ++x) image[y * 32 + x] = 255;
  const Matrix<float> faint = descriptors_of(sift, image, shape);
  EXPECT_LT(faint.view().row(0).norm(), 0.2);
  EXPECT_NEAR(faint.view().row(3).norm(), 1, 1e-5) << "the window with the bright square";
  std::fill(image.begin(), image.end(), 0.0F);
  EXPECT_TRUE((descriptors_of(sift, image, shape).view().array() == 0).all());
}

/// A mirrored window has its columns of cells in reverse, and directions turned over.
TEST(DenseSift, OfAMirroredImageIsMirrored) {
  const ImageShape shape{16, 16, 1};
  std::vector<float> image = photo(shape);
  const DenseSift sift({16, 6, DescriptorKind::kSift});
  const Matrix<float> plain = descriptors_of(sift, image, shape);
  for (Index y = 0; y < 16; ++y) std::reverse(image.begin() + y * 16, image.begin() + (y + 1) * 16);
  const Matrix<float> mirrored = descriptors_of(sift, image, shape);
  for (Index j = 0; j < 4; ++j) {
    for (Index k = 0; k < 4; ++k) {
      for (Index o = 0; o < 8; ++o) {
        EXPECT_NEAR(mirrored(0, (j * 4 + 3 - k) * 8 + (12 - o) % 8), plain(0, (j * 4 + k) * 8 + o),
                    1e-5);
      }
    }
  }
}

TEST(DenseSift, RefusesOddFields) {
  for (const Index field : {Index{0}, Index{2}, Index{6}, Index{15}, Index{18}, Index{1} << 60})
    EXPECT_THROW(DenseSift({field, 6, DescriptorKind::kSift}), InvalidArgument);
  const DenseSift sift({16, 6, DescriptorKind::kSift});
  std::vector<float> memory;
  const std::vector<float> image(32 * 32 * 2);
  EXPECT_THROW((void)sift.prepared(image.data(), {32, 32, 2}, memory), InvalidArgument);
}

TEST(DenseSift, IsSampledFromImagesThatDifferInSize) {
  const support::VariedImages images({{40, 33, 1}, {16, 50, 1}, {28, 28, 1}}, {0, 1, 0});
  const LocalDescriptorsPtr sift = make_descriptors({16, 1, DescriptorKind::kSift}, images.shape());
  const PatchSample sample = sample_patches(Context({.threads = 1}), images, *sift, 200);
  const PatchSample again = sample_patches(Context({.threads = 3}), images, *sift, 200);
  EXPECT_TRUE(sample.patches.view() == again.patches.view());
  EXPECT_EQ(sample.labels, again.labels);
  EXPECT_EQ(sampled_count(images, *sift, 200), 200);
  // Every patch is one of its images' descriptors.
  std::vector<Matrix<float>> all;
  for (Index i = 0; i < images.size(); ++i)
    all.push_back(descriptors_of(*sift, images.pixels(i), images.shape_of(i)));
  for (Index p = 0; p < 200; ++p) {
    bool found = false;
    for (const Matrix<float>& of_image : all) {
      for (Index q = 0; q < of_image.rows() && !found; ++q)
        found = std::equal(of_image.row(q), of_image.row(q) + 128, sample.patches.row(p));
    }
    EXPECT_TRUE(found) << p;
  }
}

TEST(CheckRoom, NamesTheImageThatIsTooSmall) {
  const support::VariedImages images({{40, 33, 1}, {15, 50, 1}}, {0, 1});
  const LocalDescriptorsPtr sift = make_descriptors({16, 6, DescriptorKind::kSift}, {40, 50, 1});
  try {
    check_room(images, *sift);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("image 2: 50 x 15 pixels are smaller"),
              std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(check_room(*subset(images.shared(), {0}), *sift));
}

}  // namespace
}  // namespace krica
