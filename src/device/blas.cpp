// SPDX-License-Identifier: BSD-3-Clause
#include "device/blas.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "device/check_cuda.hpp"
#include "device/device_error.hpp"
#include "device/device_memory.hpp"

namespace krica::device {
namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;

using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void*, const void*, cudaDataType, int, const void*,
                                  cudaDataType, int, const void*, void*, cudaDataType, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);

/// The functions of libcublas that are used.
struct Library {
  decltype(&cublasCreate) create = nullptr;
  decltype(&cublasDestroy) destroy = nullptr;
  decltype(&cublasSetStream) set_stream = nullptr;
  decltype(&cublasSetWorkspace) set_workspace = nullptr;
  decltype(&cublasGetStatusString) status_text = nullptr;
  GemmEx gemm = nullptr;
};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw DeviceError(Trouble::kNoDevice, fmt::format("[device] cuBLAS has no {}", name));
}

Library loaded() {
  const std::string name = fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    library =
        dlopen(fmt::format("{}/{}", KRICA_CUDA_LIBRARIES, name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw DeviceError(Trouble::kNoDevice,
                      fmt::format("[device] cannot load {}; install cuBLAS, or put its directory "
                                  "into LD_LIBRARY_PATH",
                                  name));
  }
  Library functions;
  find(library, "cublasCreate_v2", functions.create);
  find(library, "cublasDestroy_v2", functions.destroy);
  find(library, "cublasSetStream_v2", functions.set_stream);
  find(library, "cublasSetWorkspace_v2", functions.set_workspace);
  find(library, "cublasGetStatusString", functions.status_text);
  find(library, "cublasGemmEx", functions.gemm);
  return functions;
}

const Library& library() {
  static const Library functions = loaded();
  return functions;
}

void check_blas(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(status == CUBLAS_STATUS_ALLOC_FAILED ? Trouble::kOutOfMemory : Trouble::kFailed,
                    fmt::format("[device] {}: {}", doing, library().status_text(status)));
}

cublasOperation_t operation(Op op) { return op == Op::kPlain ? CUBLAS_OP_N : CUBLAS_OP_T; }

cublasComputeType_t compute_type(Products products) {
  switch (products) {
    case Products::kTf32:
    case Products::kBf16x3:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case Products::kBf16:
      return CUBLAS_COMPUTE_32F_FAST_16BF;
    default:
      return CUBLAS_COMPUTE_32F_PEDANTIC;
  }
}

}  // namespace

void load_blas() { static_cast<void>(library()); }

struct Blas::Parts {
  std::mutex mutex;
  cublasHandle_t handle = nullptr;
  DeviceArray<std::uint8_t> workspace;  // of our own: the bits must not depend on what is free

  Parts() {
    workspace.fit(kWorkspace);  // first: if this throws, there is no handle to destroy
    check_blas(library().create(&handle), "cuBLAS");
  }
  ~Parts() { library().destroy(handle); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
};

Blas::Blas() : parts_(std::make_unique<Parts>()) {}
Blas::~Blas() = default;

Blas& Blas::current() {
  // Never destroyed: at the end of the process the driver may be gone first.
  static std::mutex mutex;
  static auto& of_devices = *new std::map<int, std::unique_ptr<Blas>>();
  int device = 0;
  check(cudaGetDevice(&device), "looking for a device");
  const std::lock_guard lock(mutex);
  std::unique_ptr<Blas>& blas = of_devices[device];
  if (!blas) blas = std::unique_ptr<Blas>(new Blas());
  return *blas;
}

void Blas::product(Products products, ProductSize size, Op left, ConstDeviceMatrix A, Op right,
                   ConstDeviceMatrix B, DeviceMatrix C, float alpha, float beta, Stream stream) {
  const std::lock_guard lock(parts_->mutex);
  check_blas(library().set_stream(parts_->handle, stream), "cuBLAS");
  check_blas(library().set_workspace(parts_->handle, parts_->workspace.data(), kWorkspace),
             "cuBLAS");
  // cuBLAS's columns are our rows: it is asked for Cᵀ = op(B)ᵀ op(A)ᵀ.
  check_blas(library().gemm(parts_->handle, operation(right), operation(left), size.cols, size.rows,
                            size.inner, &alpha, B.data, CUDA_R_32F, B.stride, A.data, CUDA_R_32F,
                            A.stride, &beta, C.data, CUDA_R_32F, C.stride, compute_type(products),
                            CUBLAS_GEMM_DEFAULT),
             "product");
}

}  // namespace krica::device
