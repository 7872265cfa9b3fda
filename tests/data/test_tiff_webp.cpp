// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "data/codec.hpp"
#include "data/files.hpp"
#include "data/orientation.hpp"
#include "krica/data/dataset.hpp"
#ifdef KRICA_TEST_WEBP
#include <webp/encode.h>
#endif

namespace krica {
namespace {

using support::Bytes;
using support::Folder;
using support::message_of;
using support::operator+;
using ::testing::HasSubstr;

std::string message(const Bytes& file) {
  return message_of<DataError>([&] { decode_image(file, "x"); });
}

TEST(Tiff, ReadsGreyAndColourTurned) {
  if (!reads_tiff()) GTEST_SKIP() << "built without libtiff";
  for (const Index channels : {1, 3}) {
    const Image image = support::noise_image({5, 7, channels}, 1);
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const Bytes file = support::encode_tiff(image, orientation, orientation % 2 == 0);
      EXPECT_EQ(decode_image(file, "x").pixels, turned(image, orientation).pixels) << orientation;
      EXPECT_EQ(decode_image(file, "x", false).pixels, image.pixels) << orientation;
      EXPECT_EQ(shape_of({file, std::ssize(file), "x"}), turned(image.shape, orientation));
    }
  }
}

TEST(Tiff, RefusesBrokenFiles) {
  if (!reads_tiff()) GTEST_SKIP() << "built without libtiff";
  const Bytes file = support::encode_tiff(support::noise_image({20, 20, 3}, 1), 1);
  for (const std::size_t size : {4U, 8U, 60U, 110U, 700U})
    EXPECT_FALSE(message(Bytes(file.begin(), file.begin() + size)).empty()) << size;
  Bytes huge = file;
  for (const std::size_t at : {18U, 30U}) huge[at] = huge[at + 1] = 0xff;  // 65535 x 65535
  EXPECT_THAT(message(huge), HasSubstr("more than can be read"));
  for (std::uint64_t seed = 0; seed < 300; ++seed) {  // any result but a crash
    Bytes damaged = file;
    const Bytes noise = support::noise(3, seed);
    damaged[noise[0] % 110U] = noise[1];
    message(damaged);
  }
}

TEST(Tiff, LiesInFoldersBeyondTheHeaderThatIsReadFirst) {
  if (!reads_tiff()) GTEST_SKIP() << "built without libtiff";
  const Folder folder;
  const Image image = support::noise_image({200, 150, 3}, 1);  // more than 64 KiB
  support::write_file(folder / "1.tif", support::encode_tiff(image, 6));
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.train->shape(), (ImageShape{150, 200, 3}));
  Bytes pixels(image.pixels.size());
  data.train->read(0, 1, pixels.data());
  EXPECT_EQ(pixels, turned(image, 6).pixels);
}

TEST(Tiff, IsSkippedWithANoteWhereItCannotBeRead) {
  if (reads_tiff()) GTEST_SKIP() << "built with libtiff";
  const Folder folder;
  support::write_file(folder / "1.png", encode_png(support::noise_image({3, 3, 1}, 1)));
  support::write_file(folder / "2.tif",
                      support::encode_tiff(support::noise_image({3, 3, 1}, 1), 1));
  EXPECT_EQ(open_dataset(Context(), folder.path()).notes,
            std::vector<std::string>{"skipped 1 file that is not a readable image: 1 .tif"});
}

#ifdef KRICA_TEST_WEBP

Bytes encode_webp(const Image& image) {
  const Index pixels = image.shape.pixels();
  Bytes interleaved(static_cast<std::size_t>(3 * pixels));
  for (Index i = 0; i < 3 * pixels; ++i)
    interleaved[static_cast<std::size_t>(i)] =
        image.pixels[static_cast<std::size_t>(i % 3 * pixels + i / 3)];
  std::uint8_t* out = nullptr;
  const std::size_t size = WebPEncodeLosslessRGB(
      interleaved.data(), static_cast<int>(image.shape.width), static_cast<int>(image.shape.height),
      static_cast<int>(3 * image.shape.width), &out);
  Bytes file(out, out + size);
  WebPFree(out);
  return file;
}

Bytes little(std::size_t value, int count) {
  Bytes bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  return bytes;
}

/// The extended form: VP8X, the image, EXIF.
Bytes webp_with_exif(const Bytes& file, ImageShape shape, const Bytes& block) {
  Bytes chunks = Bytes{'W', 'E', 'B', 'P', 'V', 'P', '8', 'X'} + little(10, 4) + Bytes{8, 0, 0, 0} +
                 little(static_cast<std::size_t>(shape.width - 1), 3) +
                 little(static_cast<std::size_t>(shape.height - 1), 3) +
                 Bytes(file.begin() + 12, file.end()) + Bytes{'E', 'X', 'I', 'F'} +
                 little(block.size(), 4) + block;
  return Bytes{'R', 'I', 'F', 'F'} + little(chunks.size(), 4) + chunks;
}

TEST(Webp, ReadsImagesTurned) {
  const Image image = support::noise_image({5, 7, 3}, 1);
  const Bytes plain = encode_webp(image);
  EXPECT_EQ(decode_image(plain, "x").pixels, image.pixels);
  const Bytes exif = webp_with_exif(plain, image.shape, support::exif_block(6));
  EXPECT_EQ(decode_image(exif, "x").pixels, turned(image, 6).pixels);
  EXPECT_EQ(decode_image(exif, "x", false).pixels, image.pixels);
}

TEST(Webp, TurnsLargeFilesInFoldersWhoseTagFollowsTheImage) {
  const Folder folder;
  const Image image = support::noise_image({200, 150, 3}, 1);  // noise does not shrink
  const Bytes file = webp_with_exif(encode_webp(image), image.shape, support::exif_block(5));
  ASSERT_GT(file.size(), 65536U);
  support::write_file(folder / "1.webp", file);
  const DataSet data = open_dataset(Context(), folder.path());
  EXPECT_EQ(data.train->shape(), (ImageShape{150, 200, 3}));
  Bytes pixels(image.pixels.size());
  data.train->read(0, 1, pixels.data());
  EXPECT_EQ(pixels, turned(image, 5).pixels);
}

TEST(Webp, RefusesBrokenFiles) {
  const Bytes file = encode_webp(support::noise_image({20, 20, 3}, 1));
  for (std::size_t size = 12; size < file.size(); size += 37)
    EXPECT_THAT(message(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size))),
                HasSubstr("x: "))
        << size;
}

#endif

}  // namespace
}  // namespace krica
