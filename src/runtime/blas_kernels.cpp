// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/blas_kernels.hpp"

#if defined(__x86_64__)

#include <cblas.h>

#include <cstdlib>
#include <string_view>

namespace {

constexpr std::string_view kVariable = "OPENBLAS_CORETYPE";
const char* forced_core = nullptr;

}  // namespace

// OpenBLAS offers the choice through an environment variable only, and the environment is the
// user's. So the linker sends this library's calls of getenv, those of the embedded copy among
// them, to __wrap_getenv (src/CMakeLists.txt). The others are OpenBLAS's: the table of kernels in
// use, and what fills it.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" {
char* __real_getenv(const char* name);
__attribute__((visibility("hidden"))) const char* __wrap_getenv(const char* name) {
  return forced_core != nullptr && name == kVariable ? forced_core : __real_getenv(name);
}
__attribute__((weak)) extern void* gotoblas;
__attribute__((weak)) void gotoblas_dynamic_init();
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace krica::blas {
namespace {

const char* best_core() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
  return nullptr;
}

}  // namespace

void choose_kernels() {
  if (gotoblas_dynamic_init == nullptr || &gotoblas == nullptr) return;  // built for one processor
  if (__real_getenv(kVariable.data()) != nullptr) return;
  if (std::string_view(openblas_get_corename()) != "Prescott") return;
  forced_core = best_core();
  if (forced_core == nullptr) return;
  gotoblas = nullptr;
  gotoblas_dynamic_init();
  forced_core = nullptr;
}

}  // namespace krica::blas

#else

namespace krica::blas {
void choose_kernels() {}
}  // namespace krica::blas

#endif
