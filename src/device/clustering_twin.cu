// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "device/blas.hpp"
#include "device/check_cuda.hpp"
#include "device/clustering_twin.hpp"
#include "device/device_samples.hpp"
#include "device/devices.hpp"
#include "device/sample_kernels.hpp"
#include "device/tiles.cuh"

namespace krica::device {
namespace {

constexpr std::int64_t kBlockRows = 8192;  // whose scores stay in the cache
constexpr int kChunk = 256;                // members added one after another

/// -‖w‖²/2, which added to w·x gives the score of the nearest row.
__global__ void offsets_kernel(const float* rows, int K, int n, float* offsets) {
  const int row = blockIdx.x * kWarps + threadIdx.x / 32;
  if (row >= K) return;
  double squares = 0;
  for (int k = threadIdx.x % 32; k < n; k += 32) {
    const auto w = static_cast<double>(rows[static_cast<std::size_t>(row) * n + k]);
    squares += w * w;
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) offsets[row] = static_cast<float>(-squares / 2);
}

/// The first of the largest scores of a row, or of their magnitudes; 0 if none is a number.
template <bool kMagnitudes>
__device__ __forceinline__ int best_of(const float* scores, int K) {
  float best = kMagnitudes ? -1.0F : -INFINITY;
  int at = 0;
  for (int u = threadIdx.x % 32; u < K; u += 32) {
    const float score = kMagnitudes ? fabsf(scores[u]) : scores[u];
    if (score > best) {
      best = score;
      at = u;
    }
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    const float other = __shfl_xor_sync(0xFFFFFFFFU, best, mask);
    const int other_at = __shfl_xor_sync(0xFFFFFFFFU, at, mask);
    if (other > best || (other == best && other_at < at)) {
      best = other;
      at = other_at;
    }
  }
  return at;
}

/// Assignments, costs and weights of a block from its scores; a warp has a sample.
template <bool kMagnitudes>
__global__ void __launch_bounds__(kThreads)
    assign_kernel(const float* scores, int stride, const SampleBlock block, int width,
                  const float* rows, int K, int n, std::int64_t* assignment, double* costs,
                  double* weights) {
  const int i = blockIdx.x * kWarps + threadIdx.x / 32;
  if (i >= block.rows) return;
  const int best = best_of<kMagnitudes>(scores + static_cast<std::size_t>(i) * stride, K);
  double dot = 0;
  double squares = 0;
  for (int k = threadIdx.x % 32; k < n; k += 32) {
    const auto x = static_cast<double>(block.X[static_cast<std::size_t>(i) * width + k]);
    const auto w = static_cast<double>(rows[static_cast<std::size_t>(best) * n + k]);
    dot += x * w;
    squares += kMagnitudes ? x * x : (x - w) * (x - w);
  }
  dot = warp_sum(dot);
  squares = warp_sum(squares);
  if (threadIdx.x % 32 != 0) return;
  assignment[i] = best;
  costs[i] = kMagnitudes ? fmax(0.0, squares - dot * dot) : squares;
  weights[i] = kMagnitudes ? dot : 1.0;
}

/// The sum over one chunk of members; a thread has one or more of the n values.
__global__ void add_members_kernel(const float* X, int width, int n, const int* members,
                                   const int* begins, const double* weights, double* parts) {
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    double sum = 0;
    for (int e = begins[blockIdx.x]; e < begins[blockIdx.x + 1]; ++e) {
      const auto i = static_cast<std::size_t>(members[e]);
      sum += weights[i] * static_cast<double>(X[i * width + k]);
    }
    parts[static_cast<std::size_t>(blockIdx.x) * n + k] = sum;
  }
}
__global__ void add_chunks_kernel(const double* parts, const int* first_chunk, int n,
                                  double* sums) {
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    double sum = 0;
    for (int c = first_chunk[blockIdx.x]; c < first_chunk[blockIdx.x + 1]; ++c)
      sum += parts[static_cast<std::size_t>(c) * n + k];
    sums[static_cast<std::size_t>(blockIdx.x) * n + k] = sum;
  }
}

int rows_at_a_time(const TwinSamples& samples, int K, std::size_t memory_bytes) {
  TwinMemory memory = DeviceSamples::memory(samples);
  const auto count = static_cast<std::size_t>(samples.count);
  const auto rows = static_cast<std::size_t>(K);
  const auto row_bytes = static_cast<std::size_t>(samples.n) * sizeof(double);
  memory.fixed += count * 4 * sizeof(double) + rows * 4 * row_bytes + count / kChunk * row_bytes;
  memory.per_row += static_cast<std::size_t>(filled_up(K)) * sizeof(float);
  return block_rows_that_fit(memory, memory_bytes, kBlockRows, samples.count);
}

class DeviceClustering final : public ClusteringTwin {
 public:
  DeviceClustering(const TwinSamples& samples, int K, Match match, std::size_t memory_bytes)
      : K_(K),
        stride_(filled_up(K)),
        match_(match),
        samples_(samples, rows_at_a_time(samples, K, memory_bytes)) {
    const auto count = static_cast<std::size_t>(samples.count);
    rows_.fit(static_cast<std::size_t>(K) * static_cast<std::size_t>(samples.n));
    W_.fit(static_cast<std::size_t>(K) * static_cast<std::size_t>(samples_.width()));
    offsets_.fit(static_cast<std::size_t>(K));
    scores_.fit(static_cast<std::size_t>(samples_.block_rows()) *
                static_cast<std::size_t>(stride_));
    assignment_.fit(count);
    costs_.fit(count);
    weights_.fit(count);
  }

  void assign(const float* rows, SampleRange range, std::span<std::int64_t> assignment,
              std::span<double> costs) override {
    samples_.choose(range);
    const bool nearest = match_ == Match::kNearest;
    copy(rows_.data(), rows, rows_.size() * sizeof(float));
    if (nearest)
      offsets_kernel<<<blocks_for(static_cast<std::size_t>(K_), kWarps), kThreads>>>(
          rows_.data(), K_, samples_.n(), offsets_.data());
    widen(rows_.data(), K_, samples_.n(), samples_.width(), 0, nearest ? offsets_.data() : nullptr,
          W_.data(), nullptr);
    for (std::int64_t first = 0; first < samples_.count(); first += samples_.block_rows())
      assign_block(first);
    check(cudaGetLastError(), "assignment");
    copy(assignment.data(), assignment_.data() + range.first, assignment.size_bytes());
    copy(costs.data(), costs_.data() + range.first, costs.size_bytes());
  }

  void add_up(SampleRange range, std::span<const std::int64_t> assignment, double* sums) override {
    samples_.choose(range);
    const MemberChunks chunks = chunks_of(assignment, K_, kChunk);
    const auto n = static_cast<std::size_t>(samples_.n());
    const std::size_t count = chunks.begins.size() - 1;
    members_.assign(chunks.members);
    begins_.assign(chunks.begins);
    first_chunk_.assign(chunks.first_chunk);
    parts_.fit(count * n);
    sums_.fit(static_cast<std::size_t>(K_) * n);
    const int threads = std::min(kThreads, (samples_.n() + 31) / 32 * 32);
    add_members_kernel<<<static_cast<unsigned>(count), threads>>>(
        samples_.block(0).X, samples_.width(), samples_.n(), members_.data(), begins_.data(),
        weights_.data() + range.first, parts_.data());
    add_chunks_kernel<<<K_, threads>>>(parts_.data(), first_chunk_.data(), samples_.n(),
                                       sums_.data());
    check(cudaGetLastError(), "sums");
    copy(sums, sums_.data(), sums_.size() * sizeof(double));
  }

 private:
  void assign_block(std::int64_t first) {
    const std::int64_t at = samples_.range().first + first;
    const SampleBlock block = samples_.block(first);
    const int width = samples_.width();
    Blas::current().product(Products::kFloat32, {block.rows, K_, width}, Op::kPlain,
                            {block.X, width}, Op::kTransposed, {W_.data(), width},
                            {scores_.data(), stride_});
    const auto kernel = match_ == Match::kNearest ? assign_kernel<false> : assign_kernel<true>;
    kernel<<<blocks_for(static_cast<std::size_t>(block.rows), kWarps), kThreads>>>(
        scores_.data(), stride_, block, width, rows_.data(), K_, samples_.n(),
        assignment_.data() + at, costs_.data() + at, weights_.data() + at);
  }

  int K_;
  int stride_;
  Match match_;
  DeviceSamples samples_;
  DeviceArray<float> rows_;  // K × n
  DeviceArray<float> W_;     // K × width, with their offsets
  DeviceArray<float> offsets_;
  DeviceArray<float> scores_;  // of a block
  DeviceArray<std::int64_t> assignment_;
  DeviceArray<double> costs_;
  DeviceArray<double> weights_;
  DeviceArray<int> members_;
  DeviceArray<int> begins_;
  DeviceArray<int> first_chunk_;
  DeviceArray<double> parts_;  // of the chunks
  DeviceArray<double> sums_;
};

}  // namespace

std::unique_ptr<ClusteringTwin> make_clustering_twin(const TwinSamples& samples, int K, Match match,
                                                     std::size_t memory_bytes) {
  require_usable(samples, K);
  static_cast<void>(device_facts());
  return std::make_unique<DeviceClustering>(samples, K, match, memory_bytes);
}

}  // namespace krica::device
