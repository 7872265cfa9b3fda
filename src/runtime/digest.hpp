// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

#include "krica/runtime/library.hpp"

namespace krica {

/// A checksum of bytes added in pieces.
class KRICA_EXPORT Digest {
 public:
  enum class Kind { kMd5, kSha256 };

  explicit Digest(Kind kind);
  void add(const void* data, std::size_t size);
  /// Hexadecimal, lower case; ends the digest.
  std::string finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// The digest of the concatenated parts, hexadecimal.
std::string sha256_of(std::initializer_list<std::string_view> parts);

}  // namespace krica
