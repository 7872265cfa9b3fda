// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "data/codec.hpp"
#include "data/files.hpp"
#include "data/orientation.hpp"
#include "krica/data/dataset.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::Folder;
using testing::AllOf;
using testing::AnyOf;
using testing::Ge;
using testing::Le;

/// 2 rows of 3: a b c / d e f.
const Image kStored{{2, 3, 1}, {'a', 'b', 'c', 'd', 'e', 'f'}};

std::string text(const Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

/// What the EXIF standard calls the position of the stored row 0 and column 0.
const std::vector<std::string> kTurned = {
    "abcdef",  // 1: top, left
    "cbafed",  // 2: top, right
    "fedcba",  // 3: bottom, right
    "defabc",  // 4: bottom, left
    "adbecf",  // 5: left, top
    "daebfc",  // 6: right, top
    "fcebda",  // 7: right, bottom
    "cfbead",  // 8: left, bottom
};

TEST(Orientation, TurnsAllEightWays) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image image = turned(kStored, orientation);
    EXPECT_EQ(text(image), kTurned[static_cast<std::size_t>(orientation - 1)]) << orientation;
    EXPECT_EQ(image.shape, (orientation < 5 ? ImageShape{2, 3, 1} : ImageShape{3, 2, 1}));
  }
}

TEST(Orientation, TurnsEveryChannel) {
  const Image image = turned(Image{{1, 2, 3}, {'a', 'b', 'c', 'd', 'e', 'f'}}, 6);
  EXPECT_EQ(image.shape, (ImageShape{2, 1, 3}));
  EXPECT_EQ(text(image), "abcdef");
  EXPECT_EQ(text(turned(Image{{1, 2, 3}, {'a', 'b', 'c', 'd', 'e', 'f'}}, 3)), "badcfe");
}

TEST(Orientation, ReadsTheTagInBothByteOrders) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(exif_orientation(support::exif_block(orientation, false)), orientation);
    EXPECT_EQ(exif_orientation(support::exif_block(orientation, true)), orientation);
  }
  EXPECT_EQ(exif_orientation(support::exif_block(0)), 1);
  EXPECT_EQ(exif_orientation(support::exif_block(9)), 1);
}

TEST(Orientation, SurvivesBrokenBlocks) {
  const Bytes block = support::exif_block(6);
  for (std::size_t size = 0; size < block.size(); ++size)
    EXPECT_THAT(exif_orientation(std::span(block).first(size)), AnyOf(1, 6)) << size;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Bytes noise = support::noise(64, seed);
    std::copy_n(block.begin(), seed % 8, noise.begin());
    for (const int orientation : {exif_orientation(noise), jpeg_orientation(noise),
                                  png_orientation(noise), webp_orientation(noise)}) {
      EXPECT_THAT(orientation, AllOf(Ge(1), Le(8))) << seed;
    }
  }
}

TEST(Orientation, IsHonouredInJpegAndPng) {
  const Image image = support::noise_image({4, 6, 3}, 1);
  const Bytes png = support::png_with_exif(encode_png(image), support::exif_block(6));
  const Bytes jpeg = support::encode_jpeg(image, 95);
  const Bytes turned_jpeg = support::jpeg_with_exif(jpeg, support::exif_block(8, true));
  EXPECT_EQ(decode_image(png, "x").pixels, turned(image, 6).pixels);
  EXPECT_EQ(decode_image(png, "x", false).pixels, image.pixels);
  EXPECT_EQ(decode_image(turned_jpeg, "x").pixels, turned(decode_image(jpeg, "x"), 8).pixels);
  EXPECT_EQ(decode_image(turned_jpeg, "x", false).pixels, decode_image(jpeg, "x").pixels);
  EXPECT_EQ(shape_of({turned_jpeg, std::ssize(turned_jpeg), "x"}), (ImageShape{6, 4, 3}));
}

TEST(Orientation, FoldersReportTheShapeAfterTurning) {
  const Folder folder;
  const Image upright = support::noise_image({6, 4, 1}, 1);
  const Image lying = support::noise_image({4, 6, 1}, 2);
  support::write_file(folder / "a/1.png", encode_png(upright));
  support::write_file(folder / "b/1.png",
                      support::png_with_exif(encode_png(lying), support::exif_block(6)));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.train->shape(), (ImageShape{6, 4, 1}));
  Bytes pixels(24);
  data.train->read(1, 1, pixels.data());
  EXPECT_EQ(pixels, turned(lying, 6).pixels);
  EXPECT_THAT(support::message_of<DataError>(
                  [&] { open_dataset(Context(), folder.path(), {.exif_orientation = false}); }),
              ::testing::HasSubstr("6 x 4 pixels, but a/1.png has 4 x 6"));
}

}  // namespace
}  // namespace krica
