// SPDX-License-Identifier: BSD-3-Clause
//
// Scores Ẑ Tᵀ + β of standardised features, their loss and its derivative (joint/margin_loss.hpp).
#pragma once

#include "device/launch.cuh"
#include "device/margin_columns.cuh"

namespace krica::device {

constexpr int kScoreRows = 64;       // of a block
constexpr int kScoreThreads = 256;   // a row for each of 4 groups of classes
constexpr int kScoreStride = 36;     // of 32 columns in shared memory: no conflicts of banks
constexpr int kFewestColumns = 512;  // that a block sums over
constexpr int kMostRanges = 128;

struct ScoreArgs {
  FeatureMatrix features;
  const ColumnScale* scales;
  const float* T;  ///< classes × columns
  int classes;
  int class_stride;
  int range;     ///< columns of a block, a multiple of 32
  float* parts;  ///< ranges × rows × class_stride
};

/// Blocks: 64 rows, a range of columns, 4 kEach classes.
template <int kEach>
__global__ void __launch_bounds__(kScoreThreads) score_parts_kernel(ScoreArgs args) {
  __shared__ alignas(16) float z[kScoreRows][kScoreStride];
  __shared__ alignas(16) float t[4 * kEach][kScoreStride];
  const FeatureMatrix& features = args.features;
  const int lane = static_cast<int>(threadIdx.x) % kColumns;
  const int warp = static_cast<int>(threadIdx.x) / kColumns;
  const int first_row = static_cast<int>(blockIdx.x) * kScoreRows;
  const int begin = static_cast<int>(blockIdx.y) * args.range;
  const int end = min(begin + args.range, features.columns);
  const int first_class = static_cast<int>(blockIdx.z) * 4 * kEach;
  const int own_row = static_cast<int>(threadIdx.x) % kScoreRows;
  const int own_class = static_cast<int>(threadIdx.x) / kScoreRows * kEach;
  float sums[kEach] = {};
  for (int at = begin; at < end; at += kColumns) {
    const int column = at + lane;
    const bool inside = column < end;
    const ColumnScale scale = inside ? args.scales[column] : ColumnScale{};
    float raw[kScoreRows / 8];
#pragma unroll
    for (int r = 0; r < kScoreRows / 8; ++r) {
      const int row = first_row + warp + 8 * r;
      raw[r] = inside && row < features.rows ? *features.at(row, column) : 0.0F;
    }
    __syncthreads();  // the last columns are used up
#pragma unroll
    for (int r = 0; r < kScoreRows / 8; ++r)
      z[warp + 8 * r][lane] = scale.standardised(features.power.of(raw[r]));
    for (int c = warp; c < 4 * kEach; c += kScoreThreads / kColumns) {
      const bool known = inside && first_class + c < args.classes;
      t[c][lane] = known ? args.T[static_cast<std::size_t>(first_class + c) *
                                      static_cast<std::size_t>(features.columns) +
                                  static_cast<std::size_t>(column)]
                         : 0.0F;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kColumns; k += 4) {
      const float4 a = *reinterpret_cast<const float4*>(&z[own_row][k]);
#pragma unroll
      for (int c = 0; c < kEach; ++c) {
        const float4 b = *reinterpret_cast<const float4*>(&t[own_class + c][k]);
        sums[c] += (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
      }
    }
  }
  const int row = first_row + own_row;
  if (row >= features.rows) return;
  float* to =
      args.parts + (static_cast<std::size_t>(blockIdx.y) * static_cast<std::size_t>(features.rows) +
                    static_cast<std::size_t>(row)) *
                       static_cast<std::size_t>(args.class_stride);
#pragma unroll
  for (int c = 0; c < kEach; ++c) to[first_class + own_class + c] = sums[c];
}

__device__ inline float warp_max(float value) {
  for (int apart = 16; apart > 0; apart /= 2)
    value = fmaxf(value, __shfl_xor_sync(~0U, value, apart));
  return value;
}

struct LossArgs {
  const float* parts;
  int ranges;
  int rows;
  int classes;
  int class_stride;
  const float* bias;
  const int* labels;  ///< null: scores alone
  bool cross_entropy;
  float* E;        ///< rows × class_stride: scores, or ∂L/∂scores
  double* losses;  ///< rows
};

/// One image, by a warp: row of E from scores to ∂L/∂scores.
__device__ inline double squared_hinge(const LossArgs& args, int label, float* E, int lane) {
  double loss = 0;
  const double scale = 1 / static_cast<double>(args.rows);
  for (int c = lane; c < args.classes; c += 32) {
    const double y = c == label ? 1 : -1;
    const double margin = 1 - y * static_cast<double>(E[c]);
    const double violation = margin < 0 ? 0 : margin;  // NaN stays NaN
    loss += violation * violation;
    E[c] = static_cast<float>(-2 * y * violation * scale);
  }
  return warp_sum(loss);
}

__device__ inline double cross_entropy(const LossArgs& args, int label, float* E, int lane) {
  float most = -INFINITY;
  for (int c = lane; c < args.classes; c += 32) most = fmaxf(most, E[c]);
  const auto largest = static_cast<double>(warp_max(most));
  double sum = 0;
  for (int c = lane; c < args.classes; c += 32) sum += exp(static_cast<double>(E[c]) - largest);
  sum = warp_sum(sum);
  const double loss = log(sum) + largest - static_cast<double>(E[label]);
  __syncwarp();  // E[label] has been read
  const double scale = 1 / static_cast<double>(args.rows);
  for (int c = lane; c < args.classes; c += 32) {
    const double probability = exp(static_cast<double>(E[c]) - largest) / sum;
    E[c] = static_cast<float>((probability - (c == label ? 1 : 0)) * scale);
  }
  return loss;
}

/// A warp an image.
__global__ void margin_loss_kernel(LossArgs args) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (row >= args.rows) return;
  const auto stride = static_cast<std::size_t>(args.class_stride);
  float* E = args.E + static_cast<std::size_t>(row) * stride;
  const float* parts = args.parts + static_cast<std::size_t>(row) * stride;
  for (int c = lane; c < args.class_stride; c += 32) {
    double score = 0;
#pragma unroll 8
    for (int range = 0; range < args.ranges; ++range)
      score += static_cast<double>(
          parts[static_cast<std::size_t>(range) * static_cast<std::size_t>(args.rows) * stride +
                static_cast<std::size_t>(c)]);
    E[c] = c < args.classes ? static_cast<float>(score) + args.bias[c] : 0.0F;
  }
  __syncwarp();
  if (args.labels == nullptr) return;
  const int label = args.labels[row];
  const double loss = args.cross_entropy ? cross_entropy(args, label, E, lane)
                                         : squared_hinge(args, label, E, lane);
  if (lane == 0) args.losses[row] = loss;
}

struct StepOutcome {
  double loss;
  int not_finite;
};

constexpr int kSumThreads = 256;

/// Block c: Σ_i E_ic; the last block: the mean of the losses.
__global__ void margin_sums_kernel(LossArgs args, float* E_sums, StepOutcome* outcome) {
  __shared__ double parts[kSumThreads];
  const auto c = static_cast<int>(blockIdx.x);
  double sum = 0;
  for (int row = static_cast<int>(threadIdx.x); row < args.rows; row += kSumThreads) {
    sum += c < args.classes
               ? static_cast<double>(args.E[static_cast<std::size_t>(row) *
                                                static_cast<std::size_t>(args.class_stride) +
                                            static_cast<std::size_t>(c)])
               : args.losses[row];
  }
  parts[threadIdx.x] = sum;
  for (unsigned apart = kSumThreads / 2; apart > 0; apart /= 2) {
    __syncthreads();
    if (threadIdx.x < apart) parts[threadIdx.x] += parts[threadIdx.x + apart];
  }
  if (threadIdx.x > 0) return;
  if (c < args.classes) {
    E_sums[c] = static_cast<float>(parts[0]);
  } else {
    outcome->loss = parts[0] / args.rows;
    if (!isfinite(outcome->loss)) outcome->not_finite = 1;
  }
}

}  // namespace krica::device
