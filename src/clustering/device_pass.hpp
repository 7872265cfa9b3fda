// SPDX-License-Identifier: BSD-3-Clause
//
// DevicePass: the passes of K-means and spherical K-means over the samples on the context's GPU
// (device/clustering_twin.hpp). Without one, in double, and where the samples do not fit the
// device's memory, it is false and the CPU makes them.
//
// Ranks share a pass in groups of samples (device/device_groups.hpp), if there is enough work for
// several; otherwise each makes all of it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "clustering/lloyd.hpp"
#include "device/clustering_twin.hpp"

namespace krica::lloyd {

template <class Scalar>
class DevicePass {
 public:
  /// Copies the samples to the device. Throws DeviceError if it is missing or fails.
  DevicePass(const Context& context, ConstMatrixView<Scalar> X, Index K, device::Match match);

  explicit operator bool() const { return twin_ != nullptr; }

  /// Assigns the samples to the rows (K × n) with their costs; returns the sum of these. A rank
  /// gets the assignments and costs of its groups.
  double assign(const Matrix<Scalar>& rows, std::span<Index> assignment, std::span<double> costs);

  /// As assigned_sums(), for the last assignment; weights are 1 or the gains.
  AssignedSums sums(std::span<const Index> assignment);

  /// Completes the assignments or costs: every rank then has those of all samples.
  template <class Value>
  void gather(std::vector<Value>& values) const {
    if (twin_) gather_parts(sharing_, values.data(), groups_);
  }

 private:
  Context context_;
  Partition groups_;
  Context sharing_;  // the groups, if there are several
  Index K_;
  Index n_;
  std::unique_ptr<device::ClusteringTwin> twin_;
};

}  // namespace krica::lloyd
