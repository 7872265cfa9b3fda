// SPDX-License-Identifier: BSD-3-Clause
#include "device/conv_encoder.hpp"
#include "device/conv_network_pass.hpp"
#include "device/conv_ops.cuh"
#include "device/devices.hpp"

namespace krica::device {
namespace {

class CudaConvEncoder final : public ConvEncoder {
 public:
  explicit CudaConvEncoder(const ConvEncoderOptions& options)
      : ops_{options.products}, pass_(ops_, options) {}

  void encode(const float* whitened, int images, float* features) override {
    pass_.encode(whitened, images, features);
  }

 private:
  DeviceOps ops_;
  ConvNetworkPass<DeviceOps> pass_;
};

}  // namespace

std::unique_ptr<ConvEncoder> make_conv_encoder(const ConvEncoderOptions& options) {
  require_usable(options);
  static_cast<void>(device_facts());
  return std::make_unique<CudaConvEncoder>(options);
}

}  // namespace krica::device
