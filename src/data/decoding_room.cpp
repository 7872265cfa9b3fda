// SPDX-License-Identifier: BSD-3-Clause
#include "data/decoding_room.hpp"

#include <algorithm>

#include "data/errors.hpp"

namespace krica {

void DecodingRoom::check(const EncodedImage& image) const {
  const ImageShape shape = shape_of(image);
  check(image.name, fmt::format("decoding {} x {} pixels", shape.width, shape.height),
        decoding_bytes(image));
}

void DecodingRoom::check_reading(const std::string& name, Index file_size) const {
  check(name, fmt::format("reading {} bytes", file_size), file_size);
}

void DecodingRoom::check(const std::string& name, const std::string& what, Index bytes) const {
  constexpr Index kMebibyte = Index{1} << 20;
  if (bytes <= bytes_) return;
  data_error("image", name,
             "{} needs a memory budget (--memory, memory) of at least {}M, got {:.4g}M", what,
             (2 * bytes + kMebibyte - 1) / kMebibyte,
             2 * static_cast<double>(bytes_) / static_cast<double>(kMebibyte));
}

/// A file may have grown since it was checked: it then waits until it is alone.
DecodingRoom::Place::Place(DecodingRoom& room, Index bytes)
    : room_(room), bytes_(std::min(bytes, room.bytes_)) {
  std::unique_lock lock(room_.mutex_);
  room_.freed_.wait(lock, [&] { return room_.taken_ + bytes_ <= room_.bytes_; });
  room_.taken_ += bytes_;
}

DecodingRoom::Place::~Place() {
  {
    const std::lock_guard lock(room_.mutex_);
    room_.taken_ -= bytes_;
  }
  room_.freed_.notify_all();
}

}  // namespace krica
