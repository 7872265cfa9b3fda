// SPDX-License-Identifier: BSD-3-Clause
#include "data/decoded_images.hpp"

#include <algorithm>

namespace krica {

DecodedImages::DecodedImages(const Context& context, Index images, Index bytes_an_image)
    : bytes_an_image_(bytes_an_image) {
  if (images > context.memory_bytes() / 8 / std::max<Index>(1, bytes_an_image)) return;
  pixels_.reset(new std::uint8_t[static_cast<std::size_t>(images * bytes_an_image)]);
  states_ = std::make_unique<std::atomic<State>[]>(static_cast<std::size_t>(images));
}

bool DecodedImages::get(Index i, std::uint8_t* out) const {
  if (!pixels_ ||
      states_[static_cast<std::size_t>(i)].load(std::memory_order_acquire) != State::kKept)
    return false;
  std::copy_n(pixels_.get() + i * bytes_an_image_, bytes_an_image_, out);
  return true;
}

void DecodedImages::put(Index i, const std::uint8_t* pixels) {
  if (!pixels_) return;
  std::atomic<State>& state = states_[static_cast<std::size_t>(i)];
  State expected = State::kMissing;
  if (!state.compare_exchange_strong(expected, State::kBeingWritten)) return;
  std::copy_n(pixels, bytes_an_image_, pixels_.get() + i * bytes_an_image_);
  state.store(State::kKept, std::memory_order_release);
}

}  // namespace krica
