// SPDX-License-Identifier: BSD-3-Clause
#include "data/files.hpp"

#include <cstdio>
#include <cstdlib>
// jpeglib.h needs FILE before it.
#include <jpeglib.h>
#include <zlib.h>

#include <fstream>
#include <iterator>

#include "krica/runtime/context.hpp"

namespace krica::support {

namespace fs = std::filesystem;

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "krica dätä XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw IoError("cannot make " + name);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const fs::path& path, const Bytes& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file) throw IoError("cannot write " + path.string());
}

void write_file(const fs::path& path, const std::string& text) {
  write_file(path, Bytes(text.begin(), text.end()));
}

Bytes read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

Bytes noise(std::size_t count, std::uint64_t seed) {
  Random random(seed, "tests.noise");
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes cifar_records(int count, int label_bytes, int classes, std::uint64_t seed) {
  Bytes records;
  for (int i = 0; i < count; ++i) {
    for (int l = 0; l < label_bytes; ++l) records.push_back(static_cast<std::uint8_t>(i % classes));
    records = records + noise(3072, seed + static_cast<std::uint64_t>(i));
  }
  return records;
}

namespace {

Bytes idx_header(const std::vector<std::uint32_t>& sizes) {
  Bytes header = {0, 0, 8, static_cast<std::uint8_t>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8)
      header.push_back(static_cast<std::uint8_t>(size >> shift));
  }
  return header;
}

}  // namespace

Bytes idx_file(const std::vector<std::uint32_t>& sizes, std::uint64_t seed) {
  std::size_t count = 1;
  for (const std::uint32_t size : sizes) count *= size;
  return idx_header(sizes) + noise(count, seed);
}

Bytes idx_labels(std::uint32_t count, int classes) {
  Bytes file = idx_header({count});
  for (std::uint32_t i = 0; i < count; ++i)
    file.push_back(static_cast<std::uint8_t>(i % static_cast<std::uint32_t>(classes)));
  return file;
}

Bytes npy_file(const std::string& header, const Bytes& numbers, int version) {
  Bytes file = {0x93, 'N', 'U', 'M', 'P', 'Y', static_cast<std::uint8_t>(version), 0};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file.push_back(static_cast<std::uint8_t>(header.size() >> (8 * i)));
  return file + Bytes(header.begin(), header.end()) + numbers;
}

Bytes gzip(const Bytes& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, bytes.size()) + 64);
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

Image noise_image(ImageShape shape, std::uint64_t seed) {
  return {shape, noise(static_cast<std::size_t>(shape.values()), seed)};
}

namespace {

/// Numbers in either byte order.
class Numbers {
 public:
  explicit Numbers(bool big_endian) : big_endian_(big_endian) {}
  void add(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) {
      const int shift = 8 * (big_endian_ ? count - 1 - i : i);
      bytes.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  }
  /// A directory entry with one number.
  void add_entry(std::uint32_t tag, std::uint32_t value) {
    add(tag, 2);
    add(3, 2);  // SHORT
    add(1, 4);
    add(value, 2);
    add(0, 2);
  }
  Bytes bytes;

 private:
  bool big_endian_;
};

/// The header of a TIFF file whose only directory has `entries`.
Numbers begin_tiff(bool big_endian, std::uint32_t entries) {
  Numbers numbers(big_endian);
  numbers.bytes = big_endian ? Bytes{'M', 'M'} : Bytes{'I', 'I'};
  numbers.add(42, 2);
  numbers.add(8, 4);
  numbers.add(entries, 2);
  return numbers;
}

}  // namespace

Bytes exif_block(int orientation, bool big_endian) {
  Numbers numbers = begin_tiff(big_endian, 2);
  numbers.add_entry(0x0106, 2);
  numbers.add_entry(0x0112, static_cast<std::uint32_t>(orientation));
  numbers.add(0, 4);
  return numbers.bytes;
}

Bytes encode_tiff(const Image& image, int orientation, bool big_endian) {
  const ImageShape shape = image.shape;
  constexpr std::uint32_t kEntries = 8;
  Numbers numbers = begin_tiff(big_endian, kEntries);
  const std::uint32_t data_at = 8 + 2 + 12 * kEntries + 4;
  numbers.add_entry(0x0100, static_cast<std::uint32_t>(shape.width));
  numbers.add_entry(0x0101, static_cast<std::uint32_t>(shape.height));
  numbers.add_entry(0x0102, 8);                            // bits
  numbers.add_entry(0x0106, shape.channels == 1 ? 1 : 2);  // grey or RGB
  numbers.add_entry(0x0111, data_at);
  numbers.add_entry(0x0112, static_cast<std::uint32_t>(orientation));
  numbers.add_entry(0x0115, static_cast<std::uint32_t>(shape.channels));
  numbers.add_entry(0x0117, static_cast<std::uint32_t>(shape.values()));
  numbers.add(0, 4);
  for (Index i = 0; i < shape.pixels(); ++i) {
    for (Index c = 0; c < shape.channels; ++c)
      numbers.bytes.push_back(image.pixels[static_cast<std::size_t>(c * shape.pixels() + i)]);
  }
  return numbers.bytes;
}

Bytes jpeg_with_exif(const Bytes& jpeg, const Bytes& block) {
  Numbers segment(true);
  segment.add(0xffe1, 2);
  segment.add(static_cast<std::uint32_t>(2 + 6 + block.size()), 2);
  return Bytes(jpeg.begin(), jpeg.begin() + 2) + segment.bytes + Bytes{'E', 'x', 'i', 'f', 0, 0} +
         block + Bytes(jpeg.begin() + 2, jpeg.end());
}

Bytes png_with_exif(const Bytes& png, const Bytes& block) {
  constexpr int kHeaderEnd = 8 + 25;  // signature and IHDR
  const Bytes content = Bytes{'e', 'X', 'I', 'f'} + block;
  Numbers length(true);
  length.add(static_cast<std::uint32_t>(block.size()), 4);
  Numbers sum(true);
  sum.add(
      static_cast<std::uint32_t>(::crc32(0, content.data(), static_cast<unsigned>(content.size()))),
      4);
  return Bytes(png.begin(), png.begin() + kHeaderEnd) + length.bytes + content + sum.bytes +
         Bytes(png.begin() + kHeaderEnd, png.end());
}

Bytes encode_jpeg(const Image& image, int quality, bool progressive) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &buffer, &size);
  const ImageShape shape = image.shape;
  info.image_width = static_cast<JDIMENSION>(shape.width);
  info.image_height = static_cast<JDIMENSION>(shape.height);
  info.input_components = static_cast<int>(shape.channels);
  info.in_color_space = shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  Bytes line(static_cast<std::size_t>(shape.width * shape.channels));
  for (Index y = 0; y < shape.height; ++y) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const Index x = static_cast<Index>(i) / shape.channels;
      const Index c = static_cast<Index>(i) % shape.channels;
      line[i] = image.pixels[static_cast<std::size_t>(c * shape.pixels() + y * shape.width + x)];
    }
    JSAMPROW row = line.data();
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  Bytes file(buffer, buffer + size);
  jpeg_destroy_compress(&info);
  std::free(buffer);
  return file;
}

}  // namespace krica::support
