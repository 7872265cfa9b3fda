// SPDX-License-Identifier: BSD-3-Clause
#include "device/devices.hpp"

#include <cuda_runtime_api.h>

#include "device/check_cuda.hpp"
#include "device/device_error.hpp"
#include "device/device_memory.hpp"

namespace krica::device {

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  Trouble trouble = Trouble::kFailed;
  if (status == cudaErrorMemoryAllocation) trouble = Trouble::kOutOfMemory;
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver)
    trouble = Trouble::kNoDevice;
  static_cast<void>(cudaGetLastError());  // so that the next call does not report it again
  throw DeviceError(trouble, std::string("[device] ") + doing + ": " + cudaGetErrorString(status));
}

bool built_with_cuda() { return true; }

namespace {

std::string why_none(cudaError_t status) {
  if (status == cudaErrorInsufficientDriver) return "no NVIDIA driver, or one that is too old";
  return status == cudaSuccess ? "no CUDA-capable device" : cudaGetErrorString(status);
}

}  // namespace

DeviceList list_devices() {
  DeviceList list;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    list.why_none = why_none(status);
    return list;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp facts = {};
    check(cudaGetDeviceProperties(&facts, i), "looking at a device");
    list.devices.push_back({facts.name, facts.totalGlobalMem, facts.major, facts.minor,
                            why_unusable(facts.major, facts.minor)});
  }
  return list;
}

DeviceFacts device_facts() {
  int device = 0;
  int major = 0;
  int minor = 0;
  DeviceFacts facts;
  check(cudaGetDevice(&device), "looking for a device");
  const auto get = [&](int* value, cudaDeviceAttr attribute) {
    check(cudaDeviceGetAttribute(value, attribute, device), "looking for a device");
  };
  get(&major, cudaDevAttrComputeCapabilityMajor);
  get(&minor, cudaDevAttrComputeCapabilityMinor);
  get(&facts.processors, cudaDevAttrMultiProcessorCount);
  get(&facts.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const std::string unusable = why_unusable(major, minor);
  if (!unusable.empty()) throw DeviceError(Trouble::kNoDevice, "[device] " + unusable);
  facts.hopper = has_hopper_kernels(major, minor);
  return facts;
}

void wait_for_device() { check(cudaDeviceSynchronize(), "waiting"); }

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "allocation");
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) static_cast<void>(cudaFree(memory));
}

void copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copy");
}

}  // namespace krica::device
