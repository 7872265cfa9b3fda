// SPDX-License-Identifier: BSD-3-Clause
#include "device/use_device.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "device/blas.hpp"
#include "device/check_cuda.hpp"
#include "device/device_error.hpp"
#include "device/devices.hpp"

namespace krica::device {
namespace {

[[noreturn]] void no_device(int number) {
  const DeviceList list = list_devices();
  const std::string why =
      list.devices.empty() ? list.why_none : fmt::format("there are {}", list.devices.size());
  throw DeviceError(Trouble::kNoDevice,
                    fmt::format("[device] no CUDA device {}: {}; 'krica info --devices' lists "
                                "them, --device cpu computes without one",
                                number, why));
}

}  // namespace

void use_device(const Context& context) {
  if (!context.cuda_device()) return;
  int count = 0;  // counting is quick; listing takes milliseconds, and every step comes here
  if (cudaGetDeviceCount(&count) != cudaSuccess || *context.cuda_device() >= count)
    no_device(*context.cuda_device());
  check(cudaSetDevice(*context.cuda_device()), "choosing a device");
  static_cast<void>(device_facts());
}

void prepare_to_train(const Context& context) {
  use_device(context);
  if (context.cuda_device()) load_blas();
}

std::size_t memory_budget(const Context& context) {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  const std::size_t most = free / 10 * 9;
  const auto asked = static_cast<std::size_t>(context.device_memory_bytes());
  return asked > 0 ? std::min(asked, most) : most;
}

}  // namespace krica::device
