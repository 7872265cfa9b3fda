// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <new>

#include "krica/runtime/error.hpp"

namespace krica {
namespace {

void check(int status) {
  if (status != 1)
    throw IoError("[digest] the cryptographic library failed, perhaps for lack of memory");
}

}  // namespace

void Digest::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Digest::Digest(Kind kind) : context_(EVP_MD_CTX_new()) {
  if (!context_) throw std::bad_alloc();
  check(EVP_DigestInit_ex(context_.get(), kind == Kind::kMd5 ? EVP_md5() : EVP_sha256(), nullptr));
}

void Digest::add(const void* data, std::size_t size) {
  check(EVP_DigestUpdate(context_.get(), data, size));
}

std::string Digest::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context_.get(), value.data(), &size));
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", value[i]);
  return text;
}

std::string sha256_of(std::initializer_list<std::string_view> parts) {
  Digest digest(Digest::Kind::kSha256);
  for (const std::string_view part : parts) digest.add(part.data(), part.size());
  return digest.finish();
}

}  // namespace krica
