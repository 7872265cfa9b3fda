// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a check with every instruction set that this processor and the build have.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace krica::support {

/// Uses one instruction set only, for as long as it lives.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;
  ~OnlyTarget() { hwy::SetSupportedTargetsForTest(0); }
};

template <class Check>
void with_every_instruction_set(Check check) {
  int sets = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const OnlyTarget only(target);
    check();
    ++sets;
  }
  EXPECT_GE(sets, 1);
}

}  // namespace krica::support
