// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "clustering/spherical_kmeans.hpp"
#include "device/clustering_twin.hpp"
#include "device/device_error.hpp"
#include "device/device_needed.hpp"
#include "krica/clustering/kmeans.hpp"
#include "support/problems.hpp"

namespace krica::device {
namespace {

Context gpu(std::int64_t memory = 0) {
  return Context({.device = "cuda", .device_memory_bytes = memory});
}

/// Unit normal values around one of `clouds` centres.
Matrix<float> samples_of(Index m, Index n, Index clouds) {
  const auto centers = support::random_matrix<float>(clouds, n, 7);
  auto X = support::random_matrix<float>(m, n, 8);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) X(i, j) += 3 * centers(i % clouds, j);
  }
  return X;
}

TwinSamples twin_samples(const Matrix<float>& X) {
  return {X.data(), X.rows(), static_cast<int>(X.cols()), X.cols()};
}

bool same_bits(const Matrix<float>& a, const Matrix<float>& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

TEST(ClusteringTwin, ChecksItsArgumentsBeforeItLooksForADevice) {
  const std::vector<float> X(6, 1.0F);
  EXPECT_THROW(make_clustering_twin({X.data(), 2, 3, 3}, 0, Match::kNearest, 1 << 20),
               std::invalid_argument);
  EXPECT_THROW(make_clustering_twin({X.data(), 2, 3, 2}, 1, Match::kNearest, 1 << 20),
               std::invalid_argument);
}

TEST(ClusteringTwin, WithoutADeviceKmeansSaysSo) {
  if (has_device()) return;
  const Matrix<float> X = samples_of(20, 3, 2);
  EXPECT_THROW(kmeans<float>(gpu(), X, {.n_clusters = 2}), DeviceError);
  EXPECT_THROW(spherical_kmeans<float>(gpu(), X, X, {.n_clusters = 20}), DeviceError);
}

TEST(ClusteringTwin, ChunksHoldTheMembersOfOneRowInOrder) {
  const std::vector<std::int64_t> assignment = {2, 0, 2, 2, 0, 3};
  const MemberChunks chunks = chunks_of(assignment, 5, 2);
  EXPECT_EQ(chunks.members, (std::vector<int>{1, 4, 0, 2, 3, 5}));
  EXPECT_EQ(chunks.begins, (std::vector<int>{0, 2, 4, 5, 6}));
  EXPECT_EQ(chunks.first_chunk, (std::vector<int>{0, 1, 1, 3, 4, 4}));
}

using OnDeviceClusteringTwin = OnDevice;

TEST_F(OnDeviceClusteringTwin, TakesTheFirstOnTiesAndAddsUpItsMembers) {
  const Matrix<float> X = samples_of(10000, 17, 5);
  Matrix<float> rows(9, 17);  // 5, and 4 of them again; the sign does not matter to magnitudes
  for (Index k = 0; k < 9; ++k) {
    for (Index j = 0; j < 17; ++j) rows(k, j) = (k >= 5 ? -1.0F : 1.0F) * X(k % 5, j);
  }
  const auto twin = make_clustering_twin(twin_samples(X), 9, Match::kMagnitude, 1 << 30);
  std::vector<Index> assignment(10000);
  std::vector<double> costs(10000);
  twin->assign(rows.data(), {0, 10000}, assignment, costs);
  Matrix<double> expected(9, 17);
  for (Index i = 0; i < X.rows(); ++i) {
    const Index row = assignment[static_cast<std::size_t>(i)];
    ASSERT_LT(row, 5);
    double gain = 0;
    for (Index j = 0; j < 17; ++j)
      gain += static_cast<double>(X(i, j)) * static_cast<double>(rows(row, j));
    for (Index j = 0; j < 17; ++j) expected(row, j) += gain * static_cast<double>(X(i, j));
  }
  Matrix<double> sums(9, 17);
  const auto expect_sums = [&] {
    for (Index e = 0; e < sums.size(); ++e)
      EXPECT_NEAR(sums.data()[e], expected.data()[e], 1e-9 * std::abs(expected.data()[e]) + 1e-6);
  };
  twin->add_up({0, 10000}, assignment, sums.data());
  expect_sums();
  sums.set_zero();
  for (const SampleRange range : {SampleRange{0, 9000}, SampleRange{9000, 1000}}) {
    const auto first = static_cast<std::size_t>(range.first);
    const auto count = static_cast<std::size_t>(range.count);
    std::vector<Index> own(count);
    std::vector<double> own_costs(count);
    twin->assign(rows.data(), range, own, own_costs);
    EXPECT_TRUE(std::equal(own.begin(), own.end(), assignment.begin() + range.first));
    EXPECT_DOUBLE_EQ(own_costs.back(), costs[first + count - 1]);
    Matrix<double> own_sums(9, 17);
    twin->add_up(range, own, own_sums.data());
    sums.view() += own_sums.view();
  }
  expect_sums();
}

TEST_F(OnDeviceClusteringTwin, KmeansEndsAsTheCpuDoes) {
  for (const Index m : {131, 20000}) {
    const Matrix<float> X = samples_of(m, 17, 40);
    const KmeansOptions options = {.n_clusters = 33, .max_iterations = 10};
    const auto on_cpu = kmeans<float>(Context(), X, options);
    const auto on_gpu = kmeans<float>(gpu(), X, options);
    EXPECT_NEAR(on_gpu.inertia, on_cpu.inertia, 1e-4 * on_cpu.inertia);
    EXPECT_TRUE(same_bits(kmeans<float>(gpu(), X, options).centers, on_gpu.centers));
    EXPECT_TRUE(same_bits(kmeans<float>(gpu(1), X, options).centers, on_cpu.centers))
        << "without memory on the device";
  }
}

TEST_F(OnDeviceClusteringTwin, SphericalKmeansEndsAsTheCpuDoes) {
  for (const Index m : {131, 20000}) {
    const Matrix<float> X = samples_of(m, 17, 40);
    const ConstMatrixView<float> start = ConstMatrixView<float>(X).rows_between(0, 33);
    const SphericalKmeansOptions options = {.n_clusters = 33, .max_iterations = 10};
    const auto on_cpu = spherical_kmeans<float>(Context(), X, start, options);
    const auto on_gpu = spherical_kmeans<float>(gpu(), X, start, options);
    EXPECT_NEAR(on_gpu.cost, on_cpu.cost, 1e-4 * on_cpu.cost);
    EXPECT_TRUE(same_bits(spherical_kmeans<float>(gpu(), X, start, options).atoms, on_gpu.atoms));
  }
}

}  // namespace
}  // namespace krica::device
