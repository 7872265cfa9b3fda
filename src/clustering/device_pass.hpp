// SPDX-License-Identifier: BSD-3-Clause
//
// DevicePass: the passes of K-means and spherical K-means over the samples on the context's GPU
// (device/clustering_twin.hpp). Without one, in double, and where the samples do not fit the
// device's memory, it is false and the CPU makes them.
#pragma once

#include <memory>
#include <span>

#include "clustering/lloyd.hpp"
#include "device/clustering_twin.hpp"

namespace krica::lloyd {

template <class Scalar>
class DevicePass {
 public:
  /// Copies the samples to the device. Throws DeviceError if it is missing or fails.
  DevicePass(const Context& context, ConstMatrixView<Scalar> X, Index K, device::Match match);

  explicit operator bool() const { return twin_ != nullptr; }

  /// Assigns the samples to the rows (K × n) with their costs; returns the sum of these.
  double assign(const Matrix<Scalar>& rows, std::span<Index> assignment, std::span<double> costs);

  /// As assigned_sums(), for the last assignment; weights are 1 or the gains.
  AssignedSums sums(std::span<const Index> assignment);

 private:
  const Context& context_;
  Index K_;
  Index n_;
  std::unique_ptr<device::ClusteringTwin> twin_;
};

}  // namespace krica::lloyd
