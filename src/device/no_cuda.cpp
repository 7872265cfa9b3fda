// SPDX-License-Identifier: BSD-3-Clause
//
// A build without CUDA: there are no devices, and what needs one says so.
#include "device/basis_twin.hpp"
#include "device/clustering_twin.hpp"
#include "device/conv_encoder.hpp"
#include "device/conv_twin.hpp"
#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/devices.hpp"
#include "device/hinge_sums.hpp"
#include "device/image_store.hpp"
#include "device/margin_training.hpp"
#include "device/pool_power.hpp"
#include "device/pooled_codes.hpp"
#include "device/use_device.hpp"

namespace krica::device {
namespace {

constexpr const char* kWhy =
    "this krica was built without CUDA; install the CUDA toolkit and build it with -DKRICA_CUDA=ON "
    "(docs/gpu.md), or use --device cpu";

[[noreturn]] void no_cuda() {
  throw DeviceError(Trouble::kNoDevice, std::string("[device] ") + kWhy);
}

}  // namespace

bool built_with_cuda() { return false; }
DeviceList list_devices() { return {{}, kWhy}; }
void use_device(const Context& context) {
  if (context.cuda_device()) no_cuda();
}
void prepare_to_train(const Context& context) { use_device(context); }
std::size_t memory_budget(const Context& /*context*/) { no_cuda(); }
DeviceFacts device_facts() { no_cuda(); }
void wait_for_device() { no_cuda(); }

void* allocate(std::size_t /*bytes*/) { no_cuda(); }
void release(void* /*memory*/) noexcept {}
void copy(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) { no_cuda(); }

void raise_to_power(double /*power*/, float* /*values*/, std::size_t /*count*/, Stream /*stream*/) {
  no_cuda();
}

std::unique_ptr<HingeSums> make_hinge_sums(const SampleMatrix& /*Z*/,
                                           std::span<const int> /*labels*/, int /*classes*/) {
  no_cuda();
}

std::unique_ptr<PooledCodes> make_pooled_codes(const PatchSpec& patch, const PoolSpec& pool,
                                               const AtomSpec& atoms,
                                               const PooledCodesOptions& /*options*/) {
  require_usable(patch, pool, atoms);
  no_cuda();
}

std::unique_ptr<ImageStore> make_image_store(const ImageLayout& /*layout*/,
                                             std::size_t /*images*/) {
  no_cuda();
}
std::unique_ptr<MarginTraining> make_margin_training(const MarginSpec& /*spec*/) { no_cuda(); }

std::unique_ptr<BasisTwin> make_krica_twin(const TwinSamples& samples,
                                           const KricaTwinOptions& options) {
  require_usable(samples, options);
  no_cuda();
}
std::unique_ptr<BasisTwin> make_rica_twin(const TwinSamples& samples,
                                          const RicaTwinOptions& options) {
  require_usable(samples, options.common);
  no_cuda();
}
std::unique_ptr<ConvTwin> make_conv_twin(const TwinSamples& images,
                                         const ConvTwinOptions& options) {
  require_usable(images, options);
  no_cuda();
}
std::unique_ptr<ConvEncoder> make_conv_encoder(const ConvEncoderOptions& options) {
  require_usable(options);
  no_cuda();
}
std::unique_ptr<ClusteringTwin> make_clustering_twin(const TwinSamples& samples, int K,
                                                     Match /*match*/,
                                                     std::size_t /*memory_bytes*/) {
  require_usable(samples, K);
  no_cuda();
}

}  // namespace krica::device
