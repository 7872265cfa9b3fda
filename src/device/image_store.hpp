// SPDX-License-Identifier: BSD-3-Clause
//
// ImageStore: images on a GPU, and batches of them in any order, altered as in
// joint/augmentation.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device/pooled_codes.hpp"
#include "device/stream.hpp"

namespace krica::device {

struct ImageLayout {
  int channels = 3;
  int height = 0;
  int width = 0;
  bool floats = false;  ///< values of 4 bytes instead of bytes

  [[nodiscard]] std::size_t values() const {
    return static_cast<std::size_t>(channels) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(width);
  }
  [[nodiscard]] std::size_t bytes() const { return values() * (floats ? 4 : 1); }
};

/// An image, mirrored if asked for; then pixel (y, x) comes from (y + down, x + right), reflected
/// at the borders.
struct ImagePick {
  int image = 0;
  int mirrored = 0;
  int down = 0;
  int right = 0;
};

class ImageStore {
 public:
  ImageStore() = default;
  ImageStore(const ImageStore&) = delete;
  ImageStore& operator=(const ImageStore&) = delete;
  virtual ~ImageStore() = default;

  /// Replaces images `first` ... by planar images on the host. Throws DeviceError.
  virtual void put(std::size_t first, std::size_t count, const void* pixels) = 0;

  /// The picked images, on the device until the next call. Throws DeviceError.
  virtual Pixels gather(std::span<const ImagePick> picks, Stream stream = nullptr) = 0;
};

/// With room for so many images. Throws DeviceError: kNoDevice, kOutOfMemory.
std::unique_ptr<ImageStore> make_image_store(const ImageLayout& layout, std::size_t images);

}  // namespace krica::device
