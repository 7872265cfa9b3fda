// SPDX-License-Identifier: BSD-3-Clause
//
// The twin of ConvRbmObjective (objectives/conv_rbm.hpp) on a GPU: the sums over images from which
// value and gradient follow. Images lie on the device; the maps above the layers below are computed
// again for each evaluation. Chunks of images at a time: windows and probabilities, their product,
// the draw of h, its reconstruction, and the same again for that. h is drawn as on the CPU: a unit
// differs only if its draw lies within rounding of its probability. Sums of probabilities and
// pixels are double, those of the products float. The same bits in every run on the same kind of
// device with the same chunks.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/conv_spec.hpp"
#include "device/philox.hpp"
#include "device/products.hpp"

namespace krica::device {

struct ConvMachineSpec {
  std::vector<ConvLayerSpec> below = {};  ///< their parameters need not last
  ConvSpec shape = {};
  bool binary = false;           ///< visible units; otherwise Gaussian
  std::vector<float> mean = {};  ///< μ per channel
  float variance = 1;            ///< τ² > 0
};

/// Of one phase, as ConvRbmSums.
struct ConvPhaseSums {
  std::vector<float> products = {};  ///< K × window_stride; none without gradient
  std::vector<double> activity = {};
  std::vector<double> visible = {};
};
struct ConvSums {
  double squared_error = 0;
  ConvPhaseSums data = {};
  ConvPhaseSums model = {};  ///< products and activity with the gradient only
};

class ConvTwin {
 public:
  ConvTwin() = default;
  ConvTwin(const ConvTwin&) = delete;
  ConvTwin& operator=(const ConvTwin&) = delete;
  virtual ~ConvTwin() = default;

  /// The sums over the images at `rows`, or over all where there are none. packed: K + 1 rows of
  /// window + 1 values, on the host. Throws DeviceError: kOutOfMemory, kFailed.
  virtual ConvSums evaluate(const float* packed, RandomStreams random,
                            std::span<const std::int64_t> rows, bool with_gradient) = 0;
};

struct ConvTwinOptions {
  ConvMachineSpec machine = {};
  Products products = Products::kTf32;
  int images_at_a_time = 0;  ///< 0: chosen. Fewer in less memory
  std::size_t memory_bytes = std::size_t{4} << 30;
};

/// Throws InvalidArgument for layers and images that do not fit together, and DeviceError:
/// kNoDevice, kOutOfMemory, also for images and the chunk of eight that exceed memory_bytes.
std::unique_ptr<ConvTwin> make_conv_twin(const TwinSamples& images, const ConvTwinOptions& options);

/// What the factory checks before it looks for a device.
void require_usable(const TwinSamples& images, const ConvTwinOptions& options);

/// Images at a time in the options' memory, of which the images themselves need `memory`. Throws
/// DeviceError (kOutOfMemory).
int conv_images_that_fit(const TwinSamples& images, const ConvTwinOptions& options,
                         TwinMemory memory);

}  // namespace krica::device
