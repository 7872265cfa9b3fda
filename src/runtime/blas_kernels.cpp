// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/blas_kernels.hpp"

#include <cblas.h>

#include <cstdlib>
#include <string_view>

namespace {

constexpr std::string_view kCore = "OPENBLAS_CORETYPE";
constexpr std::string_view kThreads = "OPENBLAS_NUM_THREADS";
const char* forced_core = nullptr;

}  // namespace

// Some settings of OpenBLAS are environment variables only, and the environment belongs to the
// user. The linker therefore redirects this library's calls of getenv, including those of the
// embedded copy, to __wrap_getenv (src/CMakeLists.txt). It sets one thread as soon as the library
// is loaded: the threads that OpenBLAS would otherwise start are never used, but each takes a
// buffer, and if the system refuses it, OpenBLAS retries forever.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" {
char* __real_getenv(const char* name);
__attribute__((visibility("hidden"))) const char* __wrap_getenv(const char* name) {
  if (name == kThreads) return "1";
  return forced_core != nullptr && name == kCore ? forced_core : __real_getenv(name);
}
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

#if defined(__x86_64__)

// The table of kernels in use, and the function that fills it.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
__attribute__((weak)) extern void* gotoblas;
__attribute__((weak)) void gotoblas_dynamic_init();
}
// NOLINTEND(readability-identifier-naming)

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
  if (__real_getenv(kCore.data()) != nullptr) return;
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
