// SPDX-License-Identifier: BSD-3-Clause
//
// DecodingRoom: how much memory images may take that are decoded at the same time, half of the
// budget. A small file can hold a very large image, and every thread decodes one.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

#include "data/codec.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

class DecodingRoom {
 public:
  explicit DecodingRoom(const Context& context) : bytes_(context.memory_bytes() / 2) {}
  DecodingRoom(const DecodingRoom&) = delete;
  DecodingRoom& operator=(const DecodingRoom&) = delete;

  /// Throw DataError for an image, or a file, that takes more than the room, with the budget that
  /// suffices.
  void check(const EncodedImage& image) const;
  void check_reading(const std::string& name, Index file_size) const;

  /// Calls `decode` when there is room for what decoding the image takes (decoding_bytes). Waits
  /// for other threads, so `decode` must not do so.
  template <class Decode>
  auto with_room_for(Index bytes, const Decode& decode) {
    const Place place(*this, bytes);
    return decode();
  }

 private:
  class Place {
   public:
    Place(DecodingRoom& room, Index bytes);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    DecodingRoom& room_;
    Index bytes_;
  };

  void check(const std::string& name, const std::string& what, Index bytes) const;

  Index bytes_;
  Index taken_ = 0;
  std::mutex mutex_;
  std::condition_variable freed_;
};

}  // namespace krica
