// SPDX-License-Identifier: BSD-3-Clause
//
// Archive files made by hand, for tests: SHA-256 of its own, and headers sealed with it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace krica::tests {

/// FIPS 180-4, straight from the standard; the library's comes from OpenSSL.
inline std::string sha256(std::string message) {
  // The fractional parts of the square and cube roots of the first primes.
  std::array<std::uint32_t, 64> k{};
  std::array<std::uint32_t, 8> h{};
  const auto fraction = [](long double root) {
    return static_cast<std::uint32_t>((root - static_cast<long double>(static_cast<int>(root))) *
                                      4294967296.0L);
  };
  for (std::uint32_t found = 0, n = 2; found < 64; ++n) {
    bool prime = true;
    for (std::uint32_t d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    if (found < 8) h[found] = fraction(__builtin_sqrtl(n));
    k[found++] = fraction(__builtin_cbrtl(n));
  }
  const std::uint64_t bits = 8 * message.size();
  message += '\x80';
  while (message.size() % 64 != 56) message += '\0';
  for (int byte = 7; byte >= 0; --byte) message += static_cast<char>(bits >> (8 * byte));
  for (std::size_t at = 0; at < message.size(); at += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8U | static_cast<unsigned char>(message[at + i]);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15];
      const std::uint32_t b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3U) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10U);
    }
    auto s = h;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t one = s[7] +
                                (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
      const std::uint32_t two = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) +
                                ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) h[i] += s[i];
  }
  std::string text;
  for (const std::uint32_t word : h) {
    for (int digit = 7; digit >= 0; --digit) text += "0123456789abcdef"[word >> (4 * digit) & 15U];
  }
  return text;
}

inline const std::string kZeros(64, '0');

/// Length, header, data; as it stands.
inline std::string file_of(std::string_view header, std::string_view data) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  file += header;
  file += data;
  return file;
}

/// The file whose header has "sha256":"000..." for '@', with the digits that are right for it.
inline std::string sealed(std::string header, std::string_view data = {}) {
  const std::string entry = "\"sha256\":\"" + kZeros + "\"";
  if (const std::size_t at = header.find('@'); at != std::string::npos)
    header.replace(at, 1, entry);
  std::string file = file_of(header, data);
  const std::string digest = sha256(file);
  if (const std::size_t at = file.find(kZeros); at != std::string::npos)
    file.replace(at, kZeros.size(), digest);
  return file;
}

}  // namespace krica::tests
