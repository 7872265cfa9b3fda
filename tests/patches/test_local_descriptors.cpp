// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/runtime/error.hpp"
#include "patches/local_descriptors.hpp"

namespace krica {
namespace {

TEST(PixelPatches, AreChannelByChannel) {
  const ImageShape shape{2, 3, 2};
  const std::vector<float> image = {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15};
  const LocalDescriptorsPtr patches = make_descriptors({2, 1}, shape);
  ASSERT_EQ(patches->dimensions(), 8);
  Matrix<float> patch(1, 8);
  const PositionRun right{0, 1, 1};
  patches->read(image.data(), shape, {&right, 1}, patch);
  EXPECT_EQ(std::vector<float>(patch.data(), patch.data() + 8),
            (std::vector<float>{1, 2, 4, 5, 11, 12, 14, 15}));
}

TEST(PixelPatches, PositionsAreAStrideApartInImagesOfAnySize) {
  const LocalDescriptorsPtr patches = make_descriptors({3, 2}, {10, 10, 1});
  EXPECT_EQ(patches->positions({10, 10, 1}), (Positions{4, 4}));
  EXPECT_EQ(patches->positions({3, 8, 1}), (Positions{1, 3}));
  EXPECT_THROW((void)patches->positions({2, 8, 1}), InvalidArgument);
  const ImageShape shape{5, 7, 1};
  std::vector<float> image(35);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i);
  const std::vector<PositionRun> runs = {{0, 1, 2}, {1, 0, 1}};
  Matrix<float> read(3, 9);
  patches->read(image.data(), shape, runs, read);
  EXPECT_EQ(read(0, 0), 2);
  EXPECT_EQ(read(1, 0), 4);
  EXPECT_EQ(read(2, 0), 14);
  EXPECT_EQ(read(2, 8), 14 + 2 * 7 + 2);
}

TEST(SampleValues, AreTheOnlyDescriptorWhateverTheOptionsSay) {
  const ImageShape sample{1, 1, 5};
  const LocalDescriptorsPtr values = make_descriptors({6, 2}, sample);
  EXPECT_EQ(values->dimensions(), 5);
  EXPECT_EQ(values->positions(sample), (Positions{1, 1}));
  const std::vector<float> numbers = {3, 1, 4, 1, 5};
  Matrix<float> read(1, 5);
  const PositionRun only{0, 0, 1};
  values->read(numbers.data(), sample, {&only, 1}, read);
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), read.data()));
}

TEST(LocalDescriptors, RefuseBadOptions) {
  EXPECT_THROW(make_descriptors({0, 1}, {8, 8, 1}), InvalidArgument);
  EXPECT_THROW(make_descriptors({3, 0}, {8, 8, 1}), InvalidArgument);
}

}  // namespace
}  // namespace krica
