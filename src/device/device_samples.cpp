// SPDX-License-Identifier: BSD-3-Clause
#include "device/device_samples.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "device/check_cuda.hpp"
#include "device/sample_kernels.hpp"
#include "runtime/large_matrix.hpp"

namespace krica::device {
namespace {

constexpr std::size_t kStagedBytes = std::size_t{64} << 20;

std::int64_t staged_rows(const TwinSamples& samples) {
  const auto rows = kStagedBytes / sizeof(float) / static_cast<std::size_t>(samples.n);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(rows), 1, samples.count);
}

}  // namespace

DeviceSamples::DeviceSamples(const TwinSamples& samples, int block_rows)
    : count_(samples.count),
      n_(samples.n),
      width_(filled_up(samples.n + 1)),
      block_rows_(block_rows),
      range_{0, samples.count} {
  take(samples);
}

TwinMemory DeviceSamples::memory(const TwinSamples& samples) {
  const auto row = static_cast<std::size_t>(filled_up(samples.n + 1) + 2) * sizeof(float);
  const std::size_t staged = static_cast<std::size_t>(staged_rows(samples)) *
                             static_cast<std::size_t>(samples.n) * sizeof(float);
  return {static_cast<std::size_t>(samples.count) * (row + sizeof(std::int64_t)) + staged, row};
}

void DeviceSamples::take(const TwinSamples& samples) {
  const auto values = static_cast<std::size_t>(n_);
  const auto wide = static_cast<std::size_t>(width_);
  const std::int64_t at_a_time = staged_rows(samples);
  DeviceArray<float> staged;
  staged.fit(static_cast<std::size_t>(at_a_time) * values);
  X_.fit(static_cast<std::size_t>(count_) * wide);
  norms_.fit(static_cast<std::size_t>(count_));
  for (std::int64_t first = 0; first < count_; first += at_a_time) {
    release_pages_when_due();
    const std::int64_t rows = std::min(at_a_time, count_ - first);
    check(cudaMemcpy2D(staged.data(), values * sizeof(float), samples.X + first * samples.stride,
                       static_cast<std::size_t>(samples.stride) * sizeof(float),
                       values * sizeof(float), static_cast<std::size_t>(rows), cudaMemcpyDefault),
          "copying samples");
    widen(staged.data(), rows, n_, width_, 1.0F, nullptr,
          X_.data() + static_cast<std::size_t>(first) * wide, norms_.data() + first);
  }
  check(cudaDeviceSynchronize(), "samples");
  if (samples.labels.empty()) return;
  labels_.fit(samples.labels.size());
  copy(labels_.data(), samples.labels.data(), samples.labels.size_bytes());
}

void DeviceSamples::choose(std::span<const std::int64_t> rows) {
  chosen_ = static_cast<std::int64_t>(rows.size());
  range_ = {0, count_};
  if (rows.empty()) return;
  const auto block = static_cast<std::size_t>(block_rows_);
  rows_.fit(rows.size());
  copy(rows_.data(), rows.data(), rows.size_bytes());
  block_X_.fit(block * static_cast<std::size_t>(width_));
  block_norms_.fit(block);
  if (labels_.size() > 0) block_labels_.fit(block);
}

void DeviceSamples::choose(SampleRange range) {
  chosen_ = 0;
  range_ = range;
}

SampleBlock DeviceSamples::block(std::int64_t first) {
  const auto rows = static_cast<int>(std::min<std::int64_t>(block_rows_, count() - first));
  const int* labels = labels_.size() > 0 ? labels_.data() : nullptr;
  if (is_range()) {
    const std::int64_t at = range_.first + first;
    return {X_.data() + static_cast<std::size_t>(at) * static_cast<std::size_t>(width_),
            norms_.data() + at, labels == nullptr ? nullptr : labels + at, rows};
  }
  gather({X_.data(), norms_.data(), labels, rows}, rows_.data() + first, rows, width_,
         block_X_.data(), block_norms_.data(), block_labels_.data());
  return {block_X_.data(), block_norms_.data(), labels == nullptr ? nullptr : block_labels_.data(),
          rows};
}

}  // namespace krica::device
