// SPDX-License-Identifier: BSD-3-Clause
//
// Feature extraction on the context's GPU (device/pooled_codes.hpp): images travel there as they
// are stored, bytes as bytes, in chunks that fit; the features come back.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "device/specs.hpp"
#include "features/patch_source.hpp"
#include "krica/features/encoder.hpp"
#include "krica/features/feature_matrix.hpp"

namespace krica {

/// Patches and pooling cells as the device wants them.
struct DeviceLayout {
  device::PatchSpec patch;  ///< points into the source
  device::PoolSpec pool;
};
/// None for what only the CPU can: kernel PCA, max pooling, descriptors other than pixel patches.
std::optional<DeviceLayout> device_layout(const PatchSource& source);

/// The atoms, whose memory must last and be contiguous; none for codes that only the CPU can: hard,
/// lasso, the histogram intersection.
std::optional<device::AtomSpec> device_atoms(const EncoderOptions& options,
                                             ConstMatrixView<float> atoms,
                                             std::span<const float> shapes);

class DeviceEncoder {
 public:
  DeviceEncoder() = default;
  DeviceEncoder(const DeviceEncoder&) = delete;
  DeviceEncoder& operator=(const DeviceEncoder&) = delete;
  virtual ~DeviceEncoder() = default;

  /// Images at a time, which encode() may lower.
  [[nodiscard]] virtual Index chunk() const = 0;

  /// The features of images[range], pooled codes raised to the power, at most chunk() of them.
  /// Throws Cancelled, DeviceError.
  virtual void encode(const Context& context, const ImageSet& images, Range range,
                      MatrixView<float> features) = 0;
};

/// Null if the context has no device, or it cannot do this. Keeps the source and the encoder by
/// reference. Throws DeviceError.
std::unique_ptr<DeviceEncoder> device_encoder(const Context& context, const PatchSource& source,
                                              const Encoder& encoder, PixelType pixels);

/// ImageFeatures::extract() by a device, chunk by chunk; unit_length: scales features to length 1.
void extract_on_device(const Context& context, DeviceEncoder& encoder, const ImageSet& images,
                       Index first, bool unit_length, FeatureMatrix& result,
                       const std::function<void(Index)>& done);

}  // namespace krica
