// SPDX-License-Identifier: BSD-3-Clause
//
// PooledCodes: from images to pooled codes, and back from ∂L/∂features to the atoms, on a GPU:
//
//   x = preprocessed patch at a position                           n values
//   s_u(x), u = 1 ... K                     (code_math.cuh)        K or 2K channels
//   feature (g, u) = weight_g Σ s_u(x) over the positions x of cell g
//   backward, from Q = ∂L/∂features: ∂L/∂w_u, and ∂L/∂log γ_u, ∂L/∂t_u or ∂L/∂b_u
//
// Two implementations: kernels for Hopper (pooled_encoder.hpp, pooled_gradient.hpp), which never
// store a code, and one by cuBLAS for all cards (every_card.cu), in blocks of images. The same
// bits in every run on the same kind of device.
#pragma once

#include <cstdint>
#include <memory>

#include "device/specs.hpp"
#include "device/stream.hpp"

namespace krica::device {

/// Planar images on the device, one after another, of either type.
struct Pixels {
  const std::uint8_t* bytes = nullptr;
  const float* floats = nullptr;
};

class PooledCodes {
 public:
  PooledCodes() = default;
  PooledCodes(const PooledCodes&) = delete;
  PooledCodes& operator=(const PooledCodes&) = delete;
  virtual ~PooledCodes() = default;

  /// Replaces the atoms by as many of the same kind.
  virtual void set_atoms(const AtomSpec& atoms, Stream stream = nullptr) = 0;

  /// The most images that encode() takes at a time.
  [[nodiscard]] virtual int most_images() const = 0;

  /// features: count × cells × channels, on the device. Returns when the work is queued. Throws
  /// DeviceError: kOutOfMemory, kFailed.
  virtual void encode(const Pixels& images, int count, float* features,
                      Stream stream = nullptr) = 0;

  /// For the images and atoms of the last encode(). Q: as the features; gradient: atoms × values;
  /// gradient_shapes: atoms, or null. All on the device; overwrites them.
  virtual void gradient(const float* Q, float* gradient, float* gradient_shapes,
                        Stream stream = nullptr) = 0;
};

/// An image with more of these is left to the CPU.
inline constexpr int kMostZones = 65535;
inline constexpr int kMostPositions = 1 << 22;

struct PooledCodesOptions {
  Products products = Products::kTf32;
  bool with_gradient = false;
  bool float_images = false;                        ///< Pixels::floats instead of bytes
  std::size_t memory_bytes = std::size_t{4} << 30;  ///< for patches, codes and partial sums
  bool every_card = false;  ///< do not use the kernels for Hopper; for tests
};

/// Throws InvalidArgument, and DeviceError: kNoDevice, kOutOfMemory, kUnsupported (a gradient of
/// the triangle code).
std::unique_ptr<PooledCodes> make_pooled_codes(const PatchSpec& patch, const PoolSpec& pool,
                                               const AtomSpec& atoms,
                                               const PooledCodesOptions& options);

}  // namespace krica::device
