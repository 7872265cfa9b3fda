// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>

#include "krica/runtime/error.hpp"
#include "patches/sampling.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::gratings;

TEST(Sampling, EveryPatchIsAPieceOfAnImageOfItsLabel) {
  const auto images = gratings(6, 3, {9, 11, 3});
  const PatchSample sample = sample_patches(Context(), images, 4, 50);
  ASSERT_EQ(sample.patches.rows(), 50);
  ASSERT_EQ(sample.patches.cols(), 4 * 4 * 3);
  std::vector<float> image(static_cast<std::size_t>(images.shape().values()));
  const LocalDescriptorsPtr patches = make_descriptors({4, 1}, images.shape());
  Matrix<float> patch(1, 4 * 4 * 3);
  for (Index p = 0; p < 50; ++p) {
    bool found = false;
    for (Index i = 0; i < images.size() && !found; ++i) {
      images.read(i, 1, image.data());
      for (Index top = 0; top <= 5 && !found; ++top) {
        for (Index left = 0; left <= 7 && !found; ++left) {
          const PositionRun here{top, left, 1};
          patches->read(image.data(), images.shape(), {&here, 1}, patch);
          found = patch.view() == sample.patches.view().row(p) &&
                  sample.labels[static_cast<std::size_t>(p)] ==
                      images.labels()[static_cast<std::size_t>(i)];
        }
      }
    }
    EXPECT_TRUE(found) << "patch " << p;
  }
}

TEST(Sampling, DependsOnTheSeedAndNotOnThreads) {
  const auto images = gratings(20);
  const auto one = sample_patches(Context({.threads = 1, .seed = 3}), images, 5, 200);
  const auto four = sample_patches(Context({.threads = 4, .seed = 3}), images, 5, 200);
  const auto other = sample_patches(Context({.threads = 1, .seed = 4}), images, 5, 200);
  EXPECT_TRUE(one.patches.view() == four.patches.view());
  EXPECT_EQ(one.labels, four.labels);
  EXPECT_FALSE(one.patches.view() == other.patches.view());
}

TEST(Sampling, WholeImagesComeOnceEach) {
  const auto images = gratings(9, 3, {5, 5, 1});
  const PatchSample all = sample_patches(Context(), images, 5, 1000);
  ASSERT_EQ(all.patches.rows(), 9);
  EXPECT_EQ(all.labels, images.labels());
  std::vector<float> pixels(9 * 25);
  images.read(0, 9, pixels.data());
  EXPECT_TRUE(std::equal(pixels.begin(), pixels.end(), all.patches.data()));
  const PatchSample some = sample_patches(Context(), images, 5, 4);
  ASSERT_EQ(some.patches.rows(), 4);
  for (Index i = 1; i < 4; ++i)
    EXPECT_FALSE(some.patches.view().row(i) == some.patches.view().row(i - 1));
}

TEST(Sampling, RefusesWhatDoesNotFit) {
  const auto images = gratings(3);
  EXPECT_THROW(sample_patches(Context(), images, 13, 5), InvalidArgument);
  EXPECT_THROW(sample_patches(Context(), images, 0, 5), InvalidArgument);
  EXPECT_THROW(sample_patches(Context(), images, 3, 0), InvalidArgument);
}

}  // namespace
}  // namespace krica
