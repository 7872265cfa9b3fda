// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

/// libFuzzer's mutation of bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace krica::fuzz {

/// Mutates an archive part by part: names, shapes, options, values. A mutation of the bytes alone
/// would break the header's JSON nearly always. Bytes that are no archive, and every eighth seed's
/// archive, get libFuzzer's mutation. Returns the new size.
std::size_t mutate_archive(std::uint8_t* data, std::size_t size, std::size_t max_size,
                           unsigned seed);

}  // namespace krica::fuzz
