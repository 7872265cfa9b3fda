// SPDX-License-Identifier: BSD-3-Clause
//
// PooledEncoder: from images of bytes to pooled codes on a GPU (Hopper), all on the device:
//
//   x = preprocessed patch at a position    (preprocess.cuh)      n values, at most 192
//   s_u(x), u = 1 ... K                     (code_math.cuh)       K or 2K channels
//   feature (g, u) = weight_g Σ s_u(x) over the positions x of cell g
//
// Neither codes nor distances are held for more than a few positions. Results do not depend on the
// number of images at a time and have the same bits in every run on the same kind of device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/specs.hpp"
#include "device/stream.hpp"
#include "device/tile_plan.hpp"

namespace krica::device {

class PooledEncoder {
 public:
  /// Throws InvalidArgument, and DeviceError: kNoDevice, kOutOfMemory, kUnsupported (patches of
  /// more than 192 values).
  PooledEncoder(const PatchSpec& patch, const PoolSpec& pool, const AtomSpec& atoms,
                Products precision);
  ~PooledEncoder();

  /// Replaces the atoms by as many of the same kind. Throws InvalidArgument for others.
  void set_atoms(const AtomSpec& atoms, Stream stream = nullptr);

  [[nodiscard]] int cells() const;
  [[nodiscard]] int channels() const;
  [[nodiscard]] std::size_t features() const {
    return static_cast<std::size_t>(cells()) * static_cast<std::size_t>(channels());
  }
  [[nodiscard]] const TilePlan& plan() const;

  /// images: count × channels × height × width bytes, features: count × cells × channels, both on
  /// the device. Returns when the work is queued. Throws DeviceError: kOutOfMemory, kFailed.
  void encode(const std::uint8_t* images, std::int64_t count, float* features,
              Stream stream = nullptr);

  /// The two steps of it, for at most that many images at a time.
  [[nodiscard]] int most_images_at_a_time(std::int64_t count) const;
  void read(const std::uint8_t* images, int count, Stream stream = nullptr);
  void encode_read(float* features, Stream stream = nullptr);

  std::size_t scratch_limit = std::size_t{4} << 30;  ///< bytes, for patches and partial sums

  struct Parts;  ///< pooled_encoder_parts.cuh
  [[nodiscard]] const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace krica::device
