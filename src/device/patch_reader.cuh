// SPDX-License-Identifier: BSD-3-Clause
//
// PatchReader: images of bytes to preprocessed patches (preprocess.cuh) in device memory.
#pragma once

#include "device/device_memory.hpp"
#include "device/devices.hpp"
#include "device/preprocess.cuh"
#include "device/stream.hpp"
#include "device/tile_plan.hpp"

namespace krica::device {

/// Throws DeviceError: kUnsupported, kFailed.
void launch_preprocess(int width, const PreprocessArgs& args, int processors, int shared_limit,
                       Stream stream);

/// Preprocessed patches of a batch of images.
struct PatchBatch {
  int images = 0;
  DeviceArray<std::uint8_t> patches;
  DeviceArray<float> squared_norms;
};

class PatchReader {
 public:
  /// Throws DeviceError: kNoDevice, kOutOfMemory, kUnsupported.
  PatchReader(const PatchSpec& spec, const TilePlan& plan, Operand operand);
  /// Images on the device. `batch` grows as needed. Throws DeviceError: kOutOfMemory, kFailed.
  void read(const std::uint8_t* images, int count, PatchBatch& batch, Stream stream) const;
  [[nodiscard]] int width() const { return args_.out_width; }
  [[nodiscard]] int constants_at() const { return args_.constants_at; }  ///< or -1
  [[nodiscard]] std::size_t bytes_per_image() const;                     ///< of a batch
  [[nodiscard]] std::size_t image_bytes() const {
    return static_cast<std::size_t>(args_.image_bytes);
  }

 private:
  PreprocessArgs args_ = {};
  int in_width_ = 0;
  DeviceFacts facts_;
  DeviceArray<int> places_;
  DeviceArray<int> pixels_;
  DeviceArray<std::uint16_t> transform_;
  DeviceArray<float> transform_sums_;
  DeviceArray<float> offsets_;
};

}  // namespace krica::device
