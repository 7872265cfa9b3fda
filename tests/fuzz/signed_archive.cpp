// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/signed_archive.hpp"

#include <openssl/sha.h>

#include <array>
#include <cstring>

namespace krica::fuzz {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kKey = "\"sha256\":\"";
constexpr std::size_t kDigits = 64;

}  // namespace

std::string with_checksum(Input input) {
  std::string file(text_of(input));
  const std::size_t key = file.find(kKey, std::min(kLengthBytes, file.size()));
  if (key == std::string::npos || key + kKey.size() + kDigits > file.size()) return file;
  const std::size_t digits = key + kKey.size();
  file.replace(digits, kDigits, kDigits, '0');
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(file.data()), file.size(), digest.data());
  constexpr std::string_view kHex = "0123456789abcdef";
  for (std::size_t i = 0; i < digest.size(); ++i) {
    file[digits + 2 * i] = kHex[digest[i] >> 4U];
    file[digits + 2 * i + 1] = kHex[digest[i] & 15U];
  }
  return file;
}

}  // namespace krica::fuzz
