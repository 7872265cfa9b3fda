// SPDX-License-Identifier: BSD-3-Clause
//
// TermsOnDevice: the tables of the terms of code_terms.hpp, and what they need of whole rows.
#pragma once

#include "device/code_terms.cuh"
#include "device/device_memory.hpp"
#include "device/device_samples.hpp"

namespace krica::device {

class TermsOnDevice {
 public:
  /// Of K atoms; rows of codes are `stride` apart.
  TermsOnDevice(const ContrastSpec& contrast, const ClassSpec& classes, int K, int stride,
                int block_rows);

  /// Bytes for each sample of a block.
  static std::size_t bytes_per_row(const ContrastSpec& contrast, int stride);

  /// Of the block's codes S. Valid until the next block.
  CodeTerms of(const float* S, const SampleBlock& block);

 private:
  int K_;
  CodeTerms terms_;
  bool classes_active_;
  DeviceArray<float> signs_;
  DeviceArray<int> offsets_;  // of H
  DeviceArray<int> columns_;
  DeviceArray<float> values_;
  DeviceArray<int> transposed_offsets_;
  DeviceArray<int> transposed_columns_;
  DeviceArray<float> transposed_values_;
  DeviceArray<float> pooled_;
  DeviceArray<int> atom_class_;
  DeviceArray<float2> class_sums_;
};

}  // namespace krica::device
