// SPDX-License-Identifier: BSD-3-Clause
//
// Feature options in one line.
#pragma once

#include "features/feature_options.hpp"

namespace krica::support {

inline FeatureOptions features(Index field, Index stride, Index rows, Index cols,
                               bool overlap = false, double power = 1) {
  return {{field, stride}, {{{{rows, cols}}}, PoolFunction::kSum, overlap, power}};
}

}  // namespace krica::support
