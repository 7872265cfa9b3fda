// SPDX-License-Identifier: BSD-3-Clause
//
// The descriptors of an image, and how their codes are pooled.
#pragma once

#include "krica/features/pooling.hpp"
#include "patches/local_descriptors.hpp"

namespace krica {

struct PoolingOptions {
  PoolLevels levels = {};
  PoolFunction function = PoolFunction::kSum;
  bool overlap = false;  ///< cells are one and a half steps wide; their sum becomes a mean
  double power = 1;      ///< of the pooled code (pool_power.hpp), in (0, 1]

  void validate() const;
};

struct FeatureOptions {
  LocalDescriptorOptions descriptors = {};
  PoolingOptions pooling = {};
  bool unit_length = false;  ///< scale the features of an image to length 1

  void validate() const;
};

}  // namespace krica
