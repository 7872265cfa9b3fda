// SPDX-License-Identifier: BSD-3-Clause
//
// DeviceSamples: samples on the device, and blocks of all, of a range or of some of them. A sample
// is a row of n values, a 1 and zeros up to `width`: a product with the 1 adds an offset or gives a
// sum.
#pragma once

#include "device/device_memory.hpp"
#include "device/twin_samples.hpp"

namespace krica::device {

/// Rows of `width` values on the device, with their squared norms and labels.
struct SampleBlock {
  const float* X = nullptr;
  const float* norms = nullptr;
  const int* labels = nullptr;  ///< null: there are none
  int rows = 0;
};

class DeviceSamples {
 public:
  /// Copies them to the device. Throws what DeviceArray does.
  DeviceSamples(const TwinSamples& samples, int block_rows);

  /// What they need.
  static TwinMemory memory(const TwinSamples& samples);

  /// Those at `rows` from now on, all where there are none.
  void choose(std::span<const std::int64_t> rows);
  /// Those of a range, which must not be empty, without copying them.
  void choose(SampleRange range);
  [[nodiscard]] std::int64_t count() const { return chosen_ > 0 ? chosen_ : range_.count; }
  [[nodiscard]] bool is_range() const { return chosen_ == 0; }
  /// Where is_range().
  [[nodiscard]] SampleRange range() const { return range_; }
  /// All samples, chosen or not.
  [[nodiscard]] std::int64_t total() const { return count_; }

  /// From the first-th of the chosen on, block_rows or as many as are left. Valid until the next.
  SampleBlock block(std::int64_t first);

  [[nodiscard]] int n() const { return n_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int block_rows() const { return block_rows_; }

 private:
  void take(const TwinSamples& samples);

  std::int64_t count_;
  int n_;
  int width_;
  int block_rows_;
  std::int64_t chosen_ = 0;  // in rows_; 0: those of the range
  SampleRange range_;
  DeviceArray<float> X_;
  DeviceArray<float> norms_;
  DeviceArray<int> labels_;
  DeviceArray<std::int64_t> rows_;  // the chosen
  DeviceArray<float> block_X_;      // a block of these
  DeviceArray<float> block_norms_;
  DeviceArray<int> block_labels_;
};

}  // namespace krica::device
