// SPDX-License-Identifier: BSD-3-Clause
//
// Small files that tests make themselves.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "krica/data/image.hpp"
#include "krica/runtime/error.hpp"

namespace krica::support {

using Bytes = std::vector<std::uint8_t>;

/// A directory that is removed again. Its name has a space and a letter beyond ASCII.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Makes the directories above too.
void write_file(const std::filesystem::path& path, const Bytes& bytes);
void write_file(const std::filesystem::path& path, const std::string& text);
Bytes read_file(const std::filesystem::path& path);

/// `count` bytes that differ from seed to seed.
Bytes noise(std::size_t count, std::uint64_t seed);
Bytes operator+(Bytes a, const Bytes& b);

/// `count` records of `label_bytes` labels (i % classes) and 3072 pixels.
Bytes cifar_records(int count, int label_bytes, int classes, std::uint64_t seed);
/// A header with these sizes and noise behind it.
Bytes idx_file(const std::vector<std::uint32_t>& sizes, std::uint64_t seed);
/// Labels i % classes.
Bytes idx_labels(std::uint32_t count, int classes);
/// An NPY file with the given header text, e.g. "{'descr': '|u1', ...}".
Bytes npy_file(const std::string& header, const Bytes& numbers, int version = 1);
Bytes gzip(const Bytes& bytes);

Image noise_image(ImageShape shape, std::uint64_t seed);
Bytes encode_jpeg(const Image& image, int quality, bool progressive = false);
/// Uncompressed, with an orientation tag; what comes before the pixels is also an EXIF block.
Bytes encode_tiff(const Image& image, int orientation, bool big_endian = false);
/// An EXIF block with an orientation tag.
Bytes exif_block(int orientation, bool big_endian = false);
/// The JPEG or PNG file with the block in it.
Bytes jpeg_with_exif(const Bytes& jpeg, const Bytes& block);
Bytes png_with_exif(const Bytes& png, const Bytes& block);

/// The message of the Error that `call` throws; empty where it throws none. Others pass through.
template <class Error, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace krica::support
