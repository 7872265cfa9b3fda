// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernels of max-margin training do with columns of the features Z (margin_training.hpp):
// a block has 32 neighbouring columns, a warp for every 16th row of them.
#pragma once

#include <cuda_runtime.h>

#include "device/host_device.hpp"
#include "device/pool_power.cuh"

namespace krica::device {

constexpr int kColumns = 32;
constexpr int kRowGroups = 16;

/// ẑ = ((φ(z) - mean) - rest) inverse; the rest is what float32 leaves of the mean, which matters
/// for columns that hardly vary.
struct ColumnScale {
  float mean;
  float rest;
  float inverse;
  float unused;

  KRICA_HOST_DEVICE static ColumnScale of(double mean, double variance, double floor) {
    const auto rounded = static_cast<float>(mean);
    return {rounded, static_cast<float>(mean - static_cast<double>(rounded)),
            static_cast<float>(1 / sqrt(variance + floor)), 0};
  }
  __device__ float standardised(float raised) const { return ((raised - mean) - rest) * inverse; }
};

struct FeatureMatrix {
  float* Z;
  int rows;
  int columns;
  PoolPower power;

  [[nodiscard]] __device__ float* at(int row, int column) const {
    return Z + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + column;
  }
};

/// Calls body(row, z) for the thread's rows of a column, which are read kAhead at a time.
template <int kAhead, class Body>
__device__ void for_rows(const FeatureMatrix& features, int column, int rows, Body body) {
  for (int first = static_cast<int>(threadIdx.y); first < rows; first += kAhead * kRowGroups) {
    float z[kAhead];
#pragma unroll
    for (int r = 0; r < kAhead; ++r)
      z[r] = *features.at(min(first + r * kRowGroups, rows - 1), column);
#pragma unroll
    for (int r = 0; r < kAhead; ++r) {
      if (first + r * kRowGroups < rows) body(first + r * kRowGroups, z[r]);
    }
  }
}

/// The block's sum of each column, for all of its threads, in the order of the row groups.
template <class Value>
__device__ Value sum_of_column(Value own, Value (*parts)[kColumns]) {
  __syncthreads();  // parts may still be read
  parts[threadIdx.y][threadIdx.x] = own;
  __syncthreads();
  Value sum = 0;
  for (int group = 0; group < kRowGroups; ++group) sum += parts[group][threadIdx.x];
  return sum;
}

/// Mean and Σ (x - mean)² of rows added in parts, as runtime/column_moments.hpp.
struct MomentArgs {
  FeatureMatrix features;
  double before;  ///< rows that the sums have already
  double* mean;
  double* squares;
  ColumnScale* scales;
  double floor;
};

/// Differences from the first row are summed, so that equal values have exactly that mean and no
/// variance.
__global__ void __launch_bounds__(kColumns* kRowGroups) column_moments_kernel(MomentArgs args) {
  __shared__ double parts[kRowGroups][kColumns];
  const FeatureMatrix& features = args.features;
  const int column = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  const bool inside = column < features.columns;
  const int rows = inside ? features.rows : 0;
  const auto count = static_cast<double>(features.rows);
  const auto raised = [&](float z) { return static_cast<double>(features.power.of(z)); };
  const double first = inside ? raised(*features.at(0, column)) : 0;
  double sum = 0;
  for_rows<8>(features, column, rows, [&](int, float z) { sum += raised(z) - first; });
  const double mean = first + sum_of_column(sum, parts) / count;
  double squares = 0;
  for_rows<8>(features, column, rows, [&](int, float z) {
    const double apart = raised(z) - mean;
    squares += apart * apart;
  });
  squares = sum_of_column(squares, parts);
  if (!inside || threadIdx.y > 0) return;
  double total_mean = mean;
  if (args.before > 0) {
    const double share = count / (args.before + count);
    const double apart = mean - args.mean[column];
    squares += args.squares[column] + apart * apart * args.before * share;
    total_mean = args.mean[column] + apart * share;
  }
  args.mean[column] = total_mean;
  args.squares[column] = squares;
  args.scales[column] = ColumnScale::of(total_mean, squares / (args.before + count), args.floor);
}

struct MarginBackwardArgs {
  FeatureMatrix features;  ///< in: Z, out: ∂L/∂Z
  const ColumnScale* scales;
  const float* E;  ///< rows × class_stride, zeros behind the classes
  int class_stride;
  const float* T;       ///< classes × columns
  const float* E_sums;  ///< classes
  int classes;
  float* gradient_T;
};

/// kTile classes at a time; class_stride is a multiple of it.
template <int kTile>
class ColumnBackward {
 public:
  struct Shared {
    float parts[kRowGroups][kTile][kColumns];
    double products[kTile][kColumns];
  };

  __device__ ColumnBackward(const MarginBackwardArgs& args, Shared& shared)
      : args_(args),
        shared_(shared),
        column_(static_cast<int>(blockIdx.x * kColumns + threadIdx.x)),
        inside_(column_ < args.features.columns),
        rows_(inside_ ? args.features.rows : 0),
        scale_(inside_ ? args.scales[column_] : ColumnScale{}) {}

  __device__ void run() {
    double along = 0;  // N p
    for (int first = 0; first < args_.class_stride; first += kTile) along += gradient_tile(first);
    double centre = 0;  // N q̄
    for (int c = 0; c < args_.classes && inside_; ++c)
      centre += static_cast<double>(args_.E_sums[c]) * static_cast<double>(weight(c));
    const auto count = static_cast<double>(args_.features.rows);
    spread(static_cast<float>(centre / count), static_cast<float>(along / count));
  }

 private:
  [[nodiscard]] __device__ float weight(int c) const {
    if (c >= args_.classes || !inside_) return 0;
    return args_.T[static_cast<std::size_t>(c) * static_cast<std::size_t>(args_.features.columns) +
                   static_cast<std::size_t>(column_)];
  }

  /// E's row from class `first` on.
  __device__ void read_E(int row, int first, float (&e)[kTile]) const {
    const auto* from = reinterpret_cast<const float4*>(
        args_.E + static_cast<std::size_t>(row) * static_cast<std::size_t>(args_.class_stride) +
        first);
#pragma unroll
    for (int k = 0; k < kTile; k += 4) {
      const float4 four = __ldg(from + k / 4);
      e[k] = four.x;
      e[k + 1] = four.y;
      e[k + 2] = four.z;
      e[k + 3] = four.w;
    }
  }

  /// ∂L/∂T of the classes from `first` on; returns Σ_c T_c ∂L/∂T_c.
  __device__ double gradient_tile(int first) {
    float sums[kTile] = {};
    for_rows<8>(args_.features, column_, rows_, [&](int row, float z) {
      const float standardised = scale_.standardised(args_.features.power.of(z));
      float e[kTile];
      read_E(row, first, e);
#pragma unroll
      for (int k = 0; k < kTile; ++k) sums[k] += e[k] * standardised;
    });
    __syncthreads();  // what the previous tile left may still be read
#pragma unroll
    for (int k = 0; k < kTile; ++k) shared_.parts[threadIdx.y][k][threadIdx.x] = sums[k];
    __syncthreads();
    const auto k = static_cast<int>(threadIdx.y);
    if (k < kTile) {
      double sum = 0;
      for (int group = 0; group < kRowGroups; ++group)
        sum += static_cast<double>(shared_.parts[group][k][threadIdx.x]);
      const auto rounded = static_cast<float>(sum);
      const int c = first + k;
      shared_.products[k][threadIdx.x] = sum * static_cast<double>(weight(c));
      if (inside_ && c < args_.classes)
        args_.gradient_T[static_cast<std::size_t>(c) *
                             static_cast<std::size_t>(args_.features.columns) +
                         static_cast<std::size_t>(column_)] = rounded;
    }
    __syncthreads();
    double along = 0;
    for (int c = 0; c < kTile; ++c) along += shared_.products[c][threadIdx.x];
    return along;
  }

  /// Z becomes ∂L/∂Z, four rows at a time.
  __device__ void spread(float centre, float along) const {
    constexpr int kRows = 4;
    float t[kTile];
    read_T(0, t);
    for (int row = static_cast<int>(threadIdx.y); row < rows_; row += kRows * kRowGroups) {
      float z[kRows] = {};
      float q[kRows] = {};
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        if (row + r * kRowGroups < rows_) z[r] = *args_.features.at(row + r * kRowGroups, column_);
      }
      for (int first = 0; first < args_.class_stride; first += kTile) {
        if (args_.class_stride > kTile) read_T(first, t);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          float e[kTile];
          read_E(min(row + r * kRowGroups, rows_ - 1), first, e);
#pragma unroll
          for (int k = 0; k < kTile; ++k) q[r] += e[k] * t[k];
        }
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const float standardised = scale_.standardised(args_.features.power.of(z[r]));
        const float slope = args_.features.power.slope(z[r]);
        if (row + r * kRowGroups < rows_)
          *args_.features.at(row + r * kRowGroups, column_) =
              ((q[r] - centre) - standardised * along) * scale_.inverse * slope;
      }
    }
  }

  __device__ void read_T(int first, float (&t)[kTile]) const {
#pragma unroll
    for (int k = 0; k < kTile; ++k) t[k] = weight(first + k);
  }

  const MarginBackwardArgs& args_;
  Shared& shared_;
  int column_;
  bool inside_;
  int rows_;
  ColumnScale scale_;
};

template <int kTile>
__global__ void __launch_bounds__(kColumns* kRowGroups, 2)
    margin_backward_kernel(MarginBackwardArgs args) {
  __shared__ typename ColumnBackward<kTile>::Shared shared;
  ColumnBackward<kTile>(args, shared).run();
}

}  // namespace krica::device
