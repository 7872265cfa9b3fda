// SPDX-License-Identifier: BSD-3-Clause
//
// One evaluation at full size holds at most 1 GiB beside the data: m = 200,000 patches of 108
// values, K = 1600 atoms, where all codes together would take 1.2 GiB.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "krica/objectives/krica.hpp"
#include "support/problems.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define KRICA_TEST_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KRICA_TEST_SANITIZED
#endif

namespace krica {
namespace {

/// A field of /proc/self/status in bytes; -1 where there is none.
std::int64_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stoll(line.substr(field.size() + 1)) * 1024;
  }
  return -1;
}

/// Sets the peak back to what is held now. Where the kernel does not allow it the peak of earlier
/// tests stays, which can only make the test stricter.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

TEST(Memory, OneEvaluationHoldsAtMostOneGibibyte) {
#ifdef KRICA_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers hold memory of their own";
#endif
  constexpr Index kSamples = 200000;
  constexpr Index kLength = 108;
  constexpr Index kAtoms = 1600;
  Matrix<float> X(kSamples, kLength);
  Random random(1, "tests.memory");
  for (Index e = 0; e < X.size(); ++e) X.data()[e] = static_cast<float>(random.uniform() - 0.5) / 3;
  const Matrix<float> W =
      Matrix<float>::copy_of(X.view().topRows(kAtoms) + X.view().bottomRows(kAtoms));
  Matrix<float> gradient(kAtoms, kLength);
  reset_peak();
  const std::int64_t before = status_bytes("VmRSS");
  if (before < 0) GTEST_SKIP() << "no /proc/self/status here";
  const Context context;
  KricaObjective<float> objective(context, X, {.n_components = kAtoms, .kernel = {.gamma = 3}});
  const double value = objective.value_and_gradient(W, gradient);
  EXPECT_LE(status_bytes("VmHWM") - before, std::int64_t{1} << 30);
  EXPECT_TRUE(std::isfinite(value));
  EXPECT_GT(gradient.view().norm(), 0);
}

}  // namespace
}  // namespace krica
