// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "device/conv_ops.cuh"
#include "device/conv_passes.hpp"
#include "device/device_samples.hpp"
#include "device/devices.hpp"

namespace krica::device {
namespace {

class CudaConvTwin final : public ConvTwin {
 public:
  CudaConvTwin(const TwinSamples& images, const ConvTwinOptions& options)
      : ops_{options.products},
        images_(images, conv_images_that_fit(images, options, DeviceSamples::memory(images))),
        phases_(ops_, options.machine, images_.block_rows()) {}

  ConvSums evaluate(const float* packed, RandomStreams random, std::span<const std::int64_t> rows,
                    bool with_gradient) override {
    images_.choose(rows);
    if (!rows.empty()) samples_.assign({rows.begin(), rows.end()});
    phases_.start(packed, random);
    for (std::int64_t first = 0; first < images_.count(); first += images_.block_rows()) {
      const SampleBlock block = images_.block(first);
      const std::int64_t* samples = images_.is_range() ? nullptr : samples_.data() + first;
      phases_.add({block.X, images_.width()}, block.rows, samples, first, with_gradient);
    }
    return phases_.sums(with_gradient);
  }

 private:
  DeviceOps ops_;
  DeviceSamples images_;
  DeviceArray<std::int64_t> samples_;  // the chosen
  ConvPhases<DeviceOps> phases_;
};

}  // namespace

std::unique_ptr<ConvTwin> make_conv_twin(const TwinSamples& images,
                                         const ConvTwinOptions& options) {
  require_usable(images, options);
  static_cast<void>(device_facts());
  return std::make_unique<CudaConvTwin>(images, options);
}

}  // namespace krica::device
