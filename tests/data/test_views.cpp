// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/files.hpp"
#include "data/record_set.hpp"
#include "data/resize.hpp"
#include "krica/data/image_set.hpp"
#include "krica/runtime/error.hpp"
#include "support/sift_images.hpp"

namespace krica {
namespace {

using support::Bytes;

ImageSetPtr numbered(Index size) {  // image i has the one pixel i
  ImageSetInfo info;
  info.size = size;
  info.shape = {1, 1, 1};
  Bytes pixels;
  for (Index i = 0; i < size; ++i) {
    info.labels.push_back(static_cast<int>(i % 3));
    pixels.push_back(static_cast<std::uint8_t>(i));
  }
  info.class_names = {"a", "b", "c"};
  const RecordPart part = {memory_source("test", "memory", pixels), 0, 1, size};
  return std::make_shared<RecordSet>(std::move(info), std::vector{part}, PixelOrder::kPlanar);
}

template <class Pixel>
std::vector<Pixel> resize(const std::vector<Pixel>& in, ImageShape from, Index size,
                          ImageSizeRule rule) {
  std::vector<Pixel> out(static_cast<std::size_t>(size * size * from.channels));
  resize_image(in.data(), from, {size, size, from.channels}, rule, out.data());
  return out;
}

TEST(Views, SubsetReadsInItsOwnOrder) {
  const ImageSetPtr view = subset(numbered(10), {3, 4, 5, 1, 1, 9});
  EXPECT_EQ(view->labels(), (std::vector<int>{0, 1, 2, 1, 1, 0}));
  Bytes pixels(4);
  view->read(1, 4, pixels.data());
  EXPECT_EQ(pixels, (Bytes{4, 5, 1, 1}));
  EXPECT_THROW(subset(numbered(10), {10}), InvalidArgument);
}

TEST(Views, FirstImages) {
  EXPECT_EQ(first_images(numbered(10), 4)->size(), 4);
  EXPECT_EQ(first_images(numbered(10), 40)->size(), 10);
  EXPECT_THROW(first_images(numbered(10), 0), InvalidArgument);
}

TEST(Views, SplitKeepsProportionsAndFollowsTheSeed) {
  std::vector<int> labels(100, 0);
  std::fill(labels.begin() + 60, labels.begin() + 98, 1);
  labels[98] = labels[99] = 2;  // two images only: one each
  const Split split = stratified_split(labels, 0.25, 7);
  std::vector<int> counts(3);
  for (const Index i : split.test)
    ++counts[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])];
  EXPECT_EQ(counts, (std::vector<int>{15, 10, 1}));
  std::set<Index> all(split.train.begin(), split.train.end());
  all.insert(split.test.begin(), split.test.end());
  EXPECT_EQ(all.size(), 100U);
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
  EXPECT_EQ(split.test, stratified_split(labels, 0.25, 7).test);
  EXPECT_NE(split.test, stratified_split(labels, 0.25, 8).test);
  EXPECT_THROW(stratified_split(labels, 1.0, 7), InvalidArgument);
  EXPECT_EQ(random_split(10, 0.3, 1).test.size(), 3U);
}

TEST(Views, DrawTakesTheSameNumberOfEachClass) {
  const std::vector<int> labels = {0, 1, 0, 1, 0, 1, 1, 1};
  const Split draw = stratified_draw(labels, 2, 5);
  EXPECT_EQ(draw.train.size(), 4U);
  EXPECT_EQ(draw.test.size(), 4U);
  const auto zeros = std::count_if(draw.train.begin(), draw.train.end(), [&](Index i) {
    return labels[static_cast<std::size_t>(i)] == 0;
  });
  EXPECT_EQ(zeros, 2);
  bool differs = false;
  for (std::uint64_t repeat = 1; repeat < 5; ++repeat)
    differs = differs || stratified_draw(labels, 2, 5, repeat).train != draw.train;
  EXPECT_TRUE(differs);
  EXPECT_EQ(support::message_of<InvalidArgument>([&] { stratified_draw(labels, 4, 5); }),
            "[stratified_draw] class 0 has 3 images, but 4 are to be drawn");
}

TEST(Views, ChannelsChange) {
  ImageSetInfo info;
  info.size = 1;
  info.shape = {1, 2, 3};
  const RecordPart part = {memory_source("test", "m", {255, 0, 255, 0, 255, 10}), 0, 6, 1};
  const auto colour =
      std::make_shared<RecordSet>(std::move(info), std::vector{part}, PixelOrder::kPlanar);
  Bytes pixels(2);
  with_channels(colour, 1)->read(0, 1, pixels.data());
  EXPECT_EQ(pixels, (Bytes{255, 1}));
  EXPECT_EQ(with_channels(with_channels(colour, 1), 3)->shape().channels, 3);
  EXPECT_EQ(with_channels(colour, 3), colour);
  EXPECT_THROW(with_channels(colour, 2), InvalidArgument);
}

TEST(Resize, AveragesAreasWhereItShrinks) {
  const std::vector<float> in = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  EXPECT_EQ(resize(in, {4, 4, 1}, 2, ImageSizeRule::kSquare),
            (std::vector<float>{3.5F, 5.5F, 11.5F, 13.5F}));
  // 3 -> 2: a pixel covers one and a half.
  const auto odd = resize<float>({0, 3, 6, 0, 3, 6, 0, 3, 6}, {3, 3, 1}, 2, ImageSizeRule::kSquare);
  EXPECT_FLOAT_EQ(odd[0], 1);
  EXPECT_FLOAT_EQ(odd[1], 5);
}

TEST(Resize, InterpolatesWhereItGrows) {
  const auto out = resize<float>({0, 4, 0, 4}, {2, 2, 1}, 4, ImageSizeRule::kSquare);
  EXPECT_EQ(std::vector<float>(out.begin(), out.begin() + 4), (std::vector<float>{0, 1, 3, 4}));
}

TEST(Resize, RulesKeepOrChangeProportions) {
  const std::vector<float> wide = {0, 1, 2, 3, 0, 1, 2, 3};  // 2 rows, 4 columns
  EXPECT_EQ(resize(wide, {2, 4, 1}, 2, ImageSizeRule::kShorter), (std::vector<float>{1, 2, 1, 2}));
  EXPECT_EQ(resize(wide, {2, 4, 1}, 2, ImageSizeRule::kSquare),
            (std::vector<float>{0.5F, 2.5F, 0.5F, 2.5F}));
  const std::vector<float> line = {5, 5, 5, 5, 9, 9, 9, 9};
  EXPECT_EQ(resize(line, {2, 4, 1}, 4, ImageSizeRule::kLonger),
            (std::vector<float>{5, 5, 5, 5, 5, 5, 5, 5, 9, 9, 9, 9, 9, 9, 9, 9}));
}

TEST(Resize, KeepsConstantsAndOnePixel) {
  for (const Index size : {1, 3, 7, 32}) {
    for (const auto rule :
         {ImageSizeRule::kSquare, ImageSizeRule::kShorter, ImageSizeRule::kLonger}) {
      EXPECT_EQ(resize(Bytes(15 * 3, 77), {5, 3, 3}, size, rule),
                Bytes(static_cast<std::size_t>(size * size * 3), 77));
      EXPECT_EQ(resize(Bytes{9}, {1, 1, 1}, size, rule),
                Bytes(static_cast<std::size_t>(size * size), 9));
    }
  }
}

TEST(Resize, NamesOfRules) {
  EXPECT_EQ(image_size_rule("shorter"), ImageSizeRule::kShorter);
  EXPECT_EQ(name_of(ImageSizeRule::kLonger), "longer");
  EXPECT_THROW(image_size_rule("round"), InvalidArgument);
}

TEST(VariedImages, KeepTheirShapesThroughViews) {
  const support::VariedImages images({{20, 31, 3}, {12, 9, 3}, {40, 16, 3}}, {0, 1, 0});
  EXPECT_EQ(images.shape(), (ImageShape{40, 31, 3}));
  const ImageSetPtr part = subset(images.shared(), {2, 1});
  EXPECT_EQ(part->shape(), images.shape());
  EXPECT_EQ(part->shape_of(0), (ImageShape{40, 16, 3}));
  EXPECT_EQ(part->item_name(0), "image 3");
  const ImageSetPtr grey = with_channels(part, 1);
  EXPECT_EQ(grey->shape_of(1), (ImageShape{12, 9, 1}));
  Bytes pixels(static_cast<std::size_t>(grey->shape().values()), 7);
  grey->read(1, 1, pixels.data());
  EXPECT_TRUE(std::all_of(pixels.begin() + 108, pixels.end(), [](int p) { return p == 0; }));
  const std::vector<float> colours = images.pixels(1);
  EXPECT_NEAR(pixels[50], 0.299 * colours[50] + 0.587 * colours[158] + 0.114 * colours[266], 0.51);

  const ImageSetPtr within = resized(images.shared(), 20, ImageSizeRule::kWithin);
  EXPECT_EQ(within->shape(), (ImageShape{20, 20, 3}));
  EXPECT_EQ(within->shape_of(0), (ImageShape{13, 20, 3}));
  EXPECT_EQ(within->shape_of(1), (ImageShape{12, 9, 3}));
  Bytes small(static_cast<std::size_t>(within->shape().values()));
  within->read(1, 1, small.data());
  EXPECT_TRUE(std::equal(colours.begin(), colours.end(), small.begin()));
  const ImageSetPtr square = resized(images.shared(), 16, ImageSizeRule::kSquare);
  EXPECT_FALSE(square->varied());
  EXPECT_EQ(square->shape(), (ImageShape{16, 16, 3}));
}

TEST(VariedImages, AreKnownByTheirOwnPixelsAndShapes) {
  const support::VariedImages images({{20, 31, 1}, {12, 9, 1}, {40, 16, 1}}, {0, 1, 0});
  const ImageSetPtr two = subset(images.shared(), {0, 1});
  // The same in a smaller box.
  const ImageSetPtr tight = std::make_shared<support::VariedImages>(
      std::vector<ImageShape>{{20, 31, 1}, {12, 9, 1}}, std::vector<int>{0, 1});
  EXPECT_NE(tight->shape(), two->shape());
  EXPECT_EQ(fingerprint(Context(), *tight), fingerprint(Context({.threads = 3}), *two));
  EXPECT_NE(fingerprint(Context(), *tight), fingerprint(Context(), images));
  const auto hashes = image_hashes(Context(), images);
  EXPECT_EQ(image_hashes(Context(), *tight), (std::vector{hashes[0], hashes[1]}));
  // A set of one size has the hashes it always had.
  const support::VariedImages alone({{12, 9, 1}, {12, 9, 1}}, {0, 1});
  EXPECT_FALSE(alone.varied());
  EXPECT_EQ(image_hashes(Context(), alone)[1], hashes[1]);
}

TEST(VariedImages, AreRefusedWhereShapesDoNotFit) {
  EXPECT_THROW(support::VariedImages({{12, 9, 1}, {12, 8, 3}}, {0, 1}), InvalidArgument);
}

}  // namespace
}  // namespace krica
