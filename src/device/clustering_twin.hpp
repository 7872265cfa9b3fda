// SPDX-License-Identifier: BSD-3-Clause
//
// The twin of K-means and spherical K-means (src/clustering) on a GPU. Samples lie on the device;
// rows (centres or atoms) and the samples' assignments travel with each pass.
//
//   nearest     a(i) = argmin_u ‖x_i - w_u‖    cost ‖x_i - w_a‖²               weight 1
//   magnitude   a(i) = argmax_u |w_u·x_i|      cost ‖x_i‖² - (w_a·x_i)²        weight w_a·x_i
//
// Scores are products in float32 whatever the precision: rounding them more would stop the cost
// from decreasing monotonically, and they are a small part of a pass. Costs, weights and sums are
// in double. The same bits in every run on the same kind of device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/twin_samples.hpp"

namespace krica::device {

enum class Match { kNearest, kMagnitude };

class ClusteringTwin {
 public:
  ClusteringTwin() = default;
  ClusteringTwin(const ClusteringTwin&) = delete;
  ClusteringTwin& operator=(const ClusteringTwin&) = delete;
  virtual ~ClusteringTwin() = default;

  /// Assigns every sample of the range to one of the rows (K × n), the first one on ties, and
  /// computes its cost. All on the host. Throws DeviceError: kOutOfMemory, kFailed.
  virtual void assign(const float* rows, SampleRange range, std::span<std::int64_t> assignment,
                      std::span<double> costs) = 0;

  /// sums (K × n) ← Σ weight_i x_i over the range's samples of each row; the assignment is the last
  /// one of the range.
  virtual void add_up(SampleRange range, std::span<const std::int64_t> assignment,
                      double* sums) = 0;
};

/// Throws InvalidArgument for sizes below 1, and DeviceError: kNoDevice, kOutOfMemory, also for
/// samples that exceed the memory.
std::unique_ptr<ClusteringTwin> make_clustering_twin(const TwinSamples& samples, int K, Match match,
                                                     std::size_t memory_bytes);

/// The samples in the order of their rows, in chunks of at most `most` of one row.
struct MemberChunks {
  std::vector<int> members;      ///< samples, row by row
  std::vector<int> begins;       ///< of the chunks among the members; one more than chunks
  std::vector<int> first_chunk;  ///< of each row; one more than rows
};
MemberChunks chunks_of(std::span<const std::int64_t> assignment, int K, int most);

}  // namespace krica::device
