// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/files.hpp"
#include "krica/data/image.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::operator+;
using support::Folder;
using support::message_of;
using ::testing::HasSubstr;

Bytes text(const std::string& content) { return {content.begin(), content.end()}; }

std::string message(const Bytes& bytes) {
  return message_of<DataError>([&] { decode_image(bytes, "picture"); });
}

/// A PNG written by libpng itself: `rows` are packed as the type and depth want them.
Bytes make_png(int width, int height, int depth, int type, const Bytes& rows, bool transparent,
               bool interlaced = false, double gamma = 0) {
  Bytes file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep data, std::size_t count) {
        auto* out = static_cast<Bytes*>(png_get_io_ptr(p));
        out->insert(out->end(), data, data + count);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), depth,
               type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_color palette[2] = {{10, 20, 30}, {200, 100, 50}};
  png_byte alpha[1] = {0};
  if (type == PNG_COLOR_TYPE_PALETTE) {
    png_set_PLTE(png, info, palette, 2);
    if (transparent) png_set_tRNS(png, info, alpha, 1, nullptr);
  }
  if (gamma > 0) png_set_gAMA(png, info, gamma);
  png_write_info(png, info);
  const std::size_t row_bytes = png_get_rowbytes(png, info);
  std::vector<png_bytep> pointers;
  for (int y = 0; y < height; ++y)
    pointers.push_back(const_cast<png_bytep>(rows.data()) +
                       static_cast<std::size_t>(y) * row_bytes);
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

/// A BMP with the usual 40-byte header.
Bytes make_bmp(int width, int height, int bits, const Bytes& palette, const Bytes& rows) {
  Bytes file = {'B', 'M'};
  const auto word = [&](std::uint32_t value) {
    for (int i = 0; i < 4; ++i) file.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  };
  const auto size = static_cast<std::uint32_t>(54 + palette.size() + rows.size());
  word(size);
  word(0);
  word(static_cast<std::uint32_t>(54 + palette.size()));
  word(40);
  word(static_cast<std::uint32_t>(width));
  word(static_cast<std::uint32_t>(height));
  word(1U | static_cast<std::uint32_t>(bits) << 16);
  for (int i = 0; i < 6; ++i) word(i == 4 ? static_cast<std::uint32_t>(palette.size() / 4) : 0);
  return file + palette + rows;
}

TEST(Png, WritesWhatItReads) {
  const Folder folder;
  for (const Index channels : {1, 3}) {
    const Image image = support::noise_image({7, 5, channels}, 3);
    write_png(folder / "x.png", image);
    const Image again = read_image(folder / "x.png");
    EXPECT_EQ(again.shape, image.shape);
    EXPECT_EQ(again.pixels, image.pixels);
  }
  EXPECT_THROW(encode_png({{2, 2, 2}, Bytes(8)}), InvalidArgument);
  EXPECT_THROW(encode_png({{2, 2, 1}, Bytes(3)}), InvalidArgument);
}

TEST(Png, ReadsPalettesWithAndWithoutTransparency) {
  const Bytes rows = {0b01000000};  // pixels 0, 1
  const Image solid = decode_image(make_png(2, 1, 1, PNG_COLOR_TYPE_PALETTE, rows, false), "p");
  EXPECT_EQ(solid.shape, (ImageShape{1, 2, 3}));
  EXPECT_EQ(solid.pixels, (Bytes{10, 200, 20, 100, 30, 50}));
  const Image clear = decode_image(make_png(2, 1, 1, PNG_COLOR_TYPE_PALETTE, rows, true), "p");
  EXPECT_EQ(clear.pixels, (Bytes{255, 200, 255, 100, 255, 50}));
}

TEST(Png, APaletteOfGreysIsGrey) {
  const Bytes rows = {0b01000000};
  Bytes file = make_png(2, 1, 1, PNG_COLOR_TYPE_PALETTE, rows, false);
  const Bytes greys = {7, 7, 7, 90, 90, 90};
  const auto palette =
      std::search(file.begin(), file.end(), std::begin("PLTE"), std::end("PLTE") - 1);
  std::copy(greys.begin(), greys.end(), palette + 4);
  const auto checksum = static_cast<std::uint32_t>(crc32(0, &*palette, 10));
  for (int i = 0; i < 4; ++i) palette[10 + i] = static_cast<std::uint8_t>(checksum >> (24 - 8 * i));
  const Image image = decode_image(file, "p");
  EXPECT_EQ(image.shape, (ImageShape{1, 2, 1}));
  EXPECT_EQ(image.pixels, (Bytes{7, 90}));
}

TEST(Png, ReadsSixteenBitsAlphaAndLowDepths) {
  const Image deep =
      decode_image(make_png(2, 1, 16, PNG_COLOR_TYPE_GRAY, {0xff, 0xff, 0x80, 0x80}, false), "p");
  EXPECT_EQ(deep.pixels, (Bytes{255, 128}));
  const Image dark = decode_image(
      make_png(1, 1, 16, PNG_COLOR_TYPE_RGB, {0x10, 0x10, 0x20, 0x20, 0x7f, 0x00}, false), "p");
  EXPECT_EQ(dark.pixels, (Bytes{16, 32, 127}));  // not taken for linear light
  const Image alpha = decode_image(
      make_png(2, 1, 8, PNG_COLOR_TYPE_RGB_ALPHA, {1, 2, 3, 255, 100, 100, 100, 0}, false), "p");
  EXPECT_EQ(alpha.pixels, (Bytes{1, 255, 2, 255, 3, 255}));
  const Image half =
      decode_image(make_png(1, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, {0, 128}, false), "p");
  EXPECT_EQ(half.shape.channels, 1);
  EXPECT_EQ(half.pixels, Bytes{127});
  const Image low = decode_image(make_png(4, 1, 2, PNG_COLOR_TYPE_GRAY, {0b00011011}, false), "p");
  EXPECT_EQ(low.pixels, (Bytes{0, 85, 170, 255}));
}

TEST(Png, AStatedGammaIsUndone) {
  const auto pixels = [](double gamma) {
    const Bytes rows = {0, 16, 128, 255};
    return decode_image(make_png(4, 1, 8, PNG_COLOR_TYPE_GRAY, rows, false, false, gamma), "p")
        .pixels;
  };
  EXPECT_EQ(pixels(1 / 2.2), (Bytes{0, 16, 128, 255}));  // what files without one have
  EXPECT_EQ(pixels(1), (Bytes{0, 72, 186, 255}));
}

TEST(Png, ReadsInterlacedImages) {
  const Image image = support::noise_image({9, 11, 1}, 4);
  EXPECT_EQ(
      decode_image(make_png(11, 9, 8, PNG_COLOR_TYPE_GRAY, image.pixels, false, true), "p").pixels,
      image.pixels);
}

TEST(Png, RefusesHugeAndBrokenFiles) {
  const Bytes file = encode_png(support::noise_image({4, 4, 3}, 1));
  Bytes cut = file;
  cut.resize(cut.size() - 20);
  EXPECT_THAT(message(cut), HasSubstr("[png] picture:"));
  const auto data = std::search(file.begin(), file.end(), std::begin("IDAT"), std::end("IDAT") - 1);
  for (const std::ptrdiff_t at : {std::ptrdiff_t{12}, file.end() - data - 14}) {  // or its checksum
    Bytes damaged = file;
    damaged[static_cast<std::size_t>(data - file.begin() + at)] ^= 0xff;
    EXPECT_THAT(message(damaged), HasSubstr("[png] picture:"));
  }
  // 65,000 x 1,000 pixels, with the right checksum, in a file of some bytes
  EXPECT_THAT(message(make_png(65000, 1000, 1, PNG_COLOR_TYPE_GRAY, Bytes(8125 * 1000), false)),
              ::testing::IsEmpty());
  Bytes small = make_png(65000, 1000, 1, PNG_COLOR_TYPE_GRAY, Bytes(8125 * 1000), false);
  small.resize(60);
  EXPECT_THAT(message(small),
              HasSubstr("[image] picture: 65000 x 1000 pixels in a file of 60 bytes"));
}

TEST(Jpeg, ReadsGreyAndColour) {
  for (const Index channels : {1, 3}) {
    Image image{{16, 24, channels}, Bytes(static_cast<std::size_t>(16 * 24 * channels), 90)};
    std::fill_n(image.pixels.begin(), 16 * 24, std::uint8_t{200});
    const Image again = decode_image(support::encode_jpeg(image, 95), "j");
    EXPECT_EQ(again.shape, image.shape);
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
      ASSERT_NEAR(again.pixels[i], image.pixels[i], 3) << i;
  }
}

TEST(Jpeg, RefusesTruncatedFiles) {
  Bytes file = support::encode_jpeg(support::noise_image({32, 32, 3}, 1), 90);
  file.resize(file.size() * 2 / 3);
  EXPECT_THAT(message(file), HasSubstr("[jpeg] picture: truncated"));
  file.resize(30);
  EXPECT_THAT(message(file), HasSubstr("[jpeg] picture:"));
}

/// A marker's place in a JPEG file, or its end.
std::size_t marker_at(const Bytes& file, std::uint8_t marker, std::size_t from = 0) {
  for (std::size_t i = from; i + 1 < file.size(); ++i) {
    if (file[i] == 0xff && file[i + 1] == marker) return i;
  }
  return file.size();
}

TEST(Jpeg, RefusesAHeaderThatPromisesMuch) {
  Bytes file = support::encode_jpeg(support::noise_image({16, 16, 3}, 1), 50);
  const std::size_t size = marker_at(file, 0xc0) + 5;
  const Bytes promised = {0x04, 0x00, 0xfd, 0xe8};  // 1024 x 65000
  std::copy(promised.begin(), promised.end(), file.begin() + static_cast<std::ptrdiff_t>(size));
  const std::string said = message(file);
  EXPECT_THAT(said, HasSubstr("[image] picture: 65000 x 1024 pixels in a file of"));
  EXPECT_THAT(said, HasSubstr("at most 2048"));
}

TEST(Jpeg, RefusesManyScans) {
  const Bytes file = support::encode_jpeg(support::noise_image({16, 16, 1}, 1), 50, true);
  EXPECT_EQ(message(file), "");
  std::size_t last = 0;
  for (std::size_t at = 0; at < file.size(); at = marker_at(file, 0xda, at + 1)) last = at;
  const auto scan = file.begin() + static_cast<std::ptrdiff_t>(last);
  Bytes many(file.begin(), scan);
  for (int i = 0; i < 200; ++i) many.insert(many.end(), scan, file.end() - 2);
  many.insert(many.end(), {0xff, 0xd9});
  EXPECT_THAT(message(many), HasSubstr("[jpeg] picture: 16 x 16 pixels in more than 100 scans"));
}

TEST(Pnm, ReadsAllSixKinds) {
  const auto pixels = [](const Bytes& file) { return decode_image(file, "p").pixels; };
  EXPECT_EQ(pixels(text("P1 # a comment\n3 2\n101\n0 1 0\n")), (Bytes{0, 255, 0, 255, 0, 255}));
  EXPECT_EQ(pixels(text("P2\n2 2\n100\n0 50\n100 25")), (Bytes{0, 128, 255, 64}));
  EXPECT_EQ(pixels(text("P3\n2 1\n255\n1 2 3 4 5 6")), (Bytes{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(pixels(text("P4\n9 1\n") + Bytes{0b10000000, 0b10000000}),
            (Bytes{0, 255, 255, 255, 255, 255, 255, 255, 0}));
  EXPECT_EQ(pixels(text("P5\n2 1\n65535\n") + Bytes{0xff, 0xff, 0, 0}), (Bytes{255, 0}));
  EXPECT_EQ(pixels(text("P6\n1 1\n255\n") + Bytes{7, 8, 9}), (Bytes{7, 8, 9}));
}

TEST(Pnm, RefusesBadFiles) {
  EXPECT_THAT(message(text("P5\n60000 1000\n255\nabc")), HasSubstr("do not fit into"));
  EXPECT_THAT(message(text("P5\n99999999999 1\n255\nabc")), HasSubstr("too large"));
  EXPECT_THAT(message(text("P5\n65000 65000\n255\nabc")), HasSubstr("more than can be read"));
  EXPECT_THAT(message(text("P5\n0 4\n255\nabc")), HasSubstr("0 x 4"));
  EXPECT_THAT(message(text("P2\n2 1\n255\n1 256")), HasSubstr("256"));
  EXPECT_THAT(message(text("P2\n2 1\n255\n1 x  ")), HasSubstr("missing"));
  EXPECT_THAT(message(text("P5\n2 1\n70000\nabc")), HasSubstr("1 to 65535"));
}

TEST(Bmp, ReadsAllDepths) {
  const auto pixels = [](const Bytes& file) { return decode_image(file, "b").pixels; };
  const Bytes grey = {0, 0, 0, 0, 255, 255, 255, 0};
  EXPECT_EQ(pixels(make_bmp(3, 2, 1, grey, {0b01000000, 0, 0, 0, 0b10100000, 0, 0, 0})),
            (Bytes{255, 0, 255, 0, 255, 0}));  // rows run from the bottom
  const Bytes colours = {30, 20, 10, 0, 50, 100, 200, 0};
  EXPECT_EQ(pixels(make_bmp(2, 1, 4, colours, {0x01, 0, 0, 0})), (Bytes{10, 200, 20, 100, 30, 50}));
  EXPECT_EQ(pixels(make_bmp(2, 1, 8, colours, {1, 0, 0, 0})), (Bytes{200, 10, 100, 20, 50, 30}));
  EXPECT_EQ(pixels(make_bmp(1, 1, 24, {}, {3, 2, 1, 0})), (Bytes{1, 2, 3}));
  EXPECT_EQ(pixels(make_bmp(1, -2, 32, {}, {3, 2, 1, 9, 6, 5, 4, 9})), (Bytes{1, 4, 2, 5, 3, 6}));
}

TEST(Bmp, RefusesBadFiles) {
  EXPECT_THAT(message(make_bmp(20000, 3000, 24, {}, {1, 2, 3, 0})), HasSubstr("do not fit into"));
  EXPECT_THAT(message(make_bmp(1, 1, 16, {}, {1, 2, 3, 0})), HasSubstr("16 bits"));
  EXPECT_THAT(message(make_bmp(1, 1, 8, {0, 0, 0, 0}, {1, 0, 0, 0})), HasSubstr("palette of 1"));
  EXPECT_THAT(message(make_bmp(-1, 1, 24, {}, {1, 2, 3, 0})), HasSubstr("[image] picture"));
  Bytes packed = make_bmp(1, 1, 8, {0, 0, 0, 0}, {1, 0, 0, 0});
  packed[30] = 1;
  EXPECT_THAT(message(packed), HasSubstr("compression 1"));
}

TEST(ReadImage, TellsFilesFromImages) {
  const Folder folder;
  support::write_file(folder / "BMW.jpg", std::string("BMW makes cars, not bitmaps."));
  EXPECT_THAT(message_of<DataError>([&] { read_image(folder / "BMW.jpg"); }),
              HasSubstr("[image] BMW.jpg: not an image; JPEG, PNG, PNM, BMP"));
  EXPECT_THAT(message_of<IoError>([&] { read_image(folder / "none.jpg"); }),
              HasSubstr("none.jpg: cannot open: No such file"));
  EXPECT_THAT(message_of<IoError>([&] { read_image(folder.path()); }),
              HasSubstr("not a regular file"));
}

TEST(FitImage, ChangesSizeAndChannels) {
  const Image image = support::noise_image({6, 4, 3}, 1);
  EXPECT_EQ(fit_image(image, {6, 4, 1}).shape, (ImageShape{6, 4, 1}));
  EXPECT_EQ(fit_image(image, {3, 3, 3}).pixels.size(), 27U);
  EXPECT_EQ(fit_image(image, image.shape).pixels, image.pixels);
  EXPECT_THROW(fit_image(image, {3, 5, 3}), InvalidArgument);
}

}  // namespace
}  // namespace krica
