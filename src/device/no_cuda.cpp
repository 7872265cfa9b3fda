// SPDX-License-Identifier: BSD-3-Clause
//
// A build without CUDA: there are no devices, and what needs one says so.
#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/devices.hpp"
#include "device/krica_device.hpp"
#include "device/pooled_encoder.hpp"
#include "device/pooled_gradient.hpp"
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
std::size_t memory_budget(const Context& /*context*/) { no_cuda(); }
DeviceFacts device_facts() { no_cuda(); }
void wait_for_device() { no_cuda(); }

void* allocate(std::size_t /*bytes*/) { no_cuda(); }
void release(void* /*memory*/) noexcept {}
void copy(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) { no_cuda(); }

struct PooledEncoder::Parts {};
PooledEncoder::PooledEncoder(const PatchSpec& patch, const PoolSpec& pool, const AtomSpec& atoms,
                             Products /*precision*/) {
  require_usable(patch, pool, atoms);
  no_cuda();
}
PooledEncoder::~PooledEncoder() = default;
void PooledEncoder::set_atoms(const AtomSpec& /*atoms*/, Stream /*stream*/) { no_cuda(); }
int PooledEncoder::cells() const { no_cuda(); }
int PooledEncoder::channels() const { no_cuda(); }
const TilePlan& PooledEncoder::plan() const { no_cuda(); }
void PooledEncoder::encode(const std::uint8_t* /*images*/, std::int64_t /*count*/,
                           float* /*features*/, Stream /*stream*/) {
  no_cuda();
}
int PooledEncoder::most_images_at_a_time(std::int64_t /*count*/) const { no_cuda(); }
void PooledEncoder::read(const std::uint8_t* /*images*/, int /*count*/, Stream /*stream*/) {
  no_cuda();
}
void PooledEncoder::encode_read(float* /*features*/, Stream /*stream*/) { no_cuda(); }

struct PooledGradient::Parts {};
PooledGradient::PooledGradient(const PooledEncoder& encoder, const PoolSpec& /*pool*/)
    : encoder_(encoder) {
  no_cuda();
}
PooledGradient::~PooledGradient() = default;
void PooledGradient::run(const float* /*Q*/, float* /*gradient*/, float* /*gradient_shapes*/,
                         Stream /*stream*/) {
  static_cast<void>(encoder_);
  no_cuda();
}

struct KricaDevice::Parts {};
KricaDevice::KricaDevice(const float* /*X*/, std::int64_t samples, int n, int atoms,
                         const KricaDeviceOptions& options) {
  require_usable(samples, n, atoms, options);
  no_cuda();
}
KricaDevice::~KricaDevice() = default;
double KricaDevice::value_and_gradient(const float* /*W*/, float* /*gradient*/) { no_cuda(); }

}  // namespace krica::device
