// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "krica/runtime/context.hpp"

namespace krica {

/// Caches decoded images: training reads each several times, max-margin training in every epoch.
/// Caches nothing if all of them would take more than an eighth of the memory budget. Thread-safe.
class DecodedImages {
 public:
  DecodedImages(const Context& context, Index images, Index bytes_an_image);

  /// Copies image i to `out`; false if it is not cached.
  bool get(Index i, std::uint8_t* out) const;

  /// Caches the image, unless it is cached or there is no room.
  void put(Index i, const std::uint8_t* pixels);

 private:
  enum class State : std::uint8_t { kMissing, kBeingWritten, kKept };

  Index bytes_an_image_;
  std::unique_ptr<std::uint8_t[]> pixels_;  // null if there is no room; pages allocated lazily
  std::unique_ptr<std::atomic<State>[]> states_;
};

}  // namespace krica
