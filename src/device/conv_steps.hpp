// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of convolutional layers and machines (objectives/conv_rbm.hpp) between the matrix
// products. Each is called once per (row, column) of its grid, in any order, and writes what no
// other call reads or writes; sums have a fixed order. They are for host and device, so that tests
// run them without a GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/conv_spec.hpp"
#include "device/philox.hpp"

namespace krica::device {

/// Sums over units or pixels are taken in so many parts, which are added to so many, and these.
inline constexpr int kConvParts = 4096;
inline constexpr int kFoldedParts = 64;

/// The value of a map, counted from its first, that is the j-th of a unit's window.
KRICA_HOST_DEVICE inline int window_value(const ConvSpec& shape, int unit, int j) {
  const int block = unit / kUnitsOfBlock;
  const int in_block = unit % kUnitsOfBlock;
  const int area = shape.field * shape.field;
  const int row =
      block / shape.block_cols() * kBlockSide + in_block / kBlockSide + j % area / shape.field;
  const int col =
      block % shape.block_cols() * kBlockSide + in_block % kBlockSide + j % area % shape.field;
  return j / area * shape.pixels() + row * shape.width + col;
}

/// The unit whose window begins at this row and column; -1 if there is none.
KRICA_HOST_DEVICE inline int unit_at(const ConvSpec& shape, int row, int col) {
  if (row < 0 || col < 0 || row >= kBlockSide * shape.block_rows() ||
      col >= kBlockSide * shape.block_cols())
    return -1;
  const int block = row / kBlockSide * shape.block_cols() + col / kBlockSide;
  return block * kUnitsOfBlock + row % kBlockSide * kBlockSide + col % kBlockSide;
}

/// p(h = 1 | v) of the units of a block, and p(no unit is on | v).
struct BlockStates {
  float unit[kUnitsOfBlock];
  float off;
};
/// inputs: the first unit's I - b; the others follow `stride` values apart.
KRICA_HOST_DEVICE inline BlockStates block_states(const float* inputs, int stride, float bias) {
  BlockStates states{};
  float highest = 0;
  for (int u = 0; u < kUnitsOfBlock; ++u) {
    states.unit[u] = inputs[static_cast<std::size_t>(u) * static_cast<std::size_t>(stride)] + bias;
    highest = fmaxf(highest, states.unit[u]);
  }
  states.off = expf(-highest);
  float sum = states.off;
  for (float& unit : states.unit) {
    unit = expf(unit - highest);
    sum += unit;
  }
  for (float& unit : states.unit) unit /= sum;
  states.off /= sum;
  return states;
}

/// Maps on the device, one per image.
struct ConvMaps {
  const float* data = nullptr;
  std::int64_t stride = 0;  ///< from image to image

  [[nodiscard]] KRICA_HOST_DEVICE const float* of(int image) const { return data + image * stride; }
};

/// Rows: the units of all images; columns: window_stride, zeros behind the window.
struct ReadWindows {
  ConvSpec shape;
  ConvMaps maps;
  const float* mean;  // μ per channel; null: 0
  float* windows;
  int stride;

  KRICA_HOST_DEVICE void operator()(int row, int j) const {
    float value = 0;
    if (j < shape.window()) {
      value = maps.of(row / shape.units())[window_value(shape, row % shape.units(), j)];
      if (mean != nullptr) value -= mean[j / (shape.field * shape.field)];
    }
    windows[static_cast<std::int64_t>(row) * stride + j] = value;
  }
};

/// From I - b to the pooled map: 1 - p(off). Rows: the blocks of all images; columns: the groups.
struct PoolBlocks {
  ConvSpec shape;
  const float* units;
  int stride;
  const float* bias;
  float* pooled;  // images × K × blocks

  KRICA_HOST_DEVICE void operator()(int row, int k) const {
    const std::int64_t first = static_cast<std::int64_t>(row) * kUnitsOfBlock * stride + k;
    const int image = row / shape.blocks();
    const int block = row % shape.blocks();
    const std::int64_t place = static_cast<std::int64_t>(k) * shape.blocks() + block;
    pooled[static_cast<std::int64_t>(image) * shape.pooled() + place] =
        1 - block_states(units + first, stride, bias[k]).off;
  }
};

/// From I - b to p(h = 1 | v), in place. Rows: blocks; columns: unit_stride, zeros behind K.
struct UnitProbabilities {
  ConvSpec shape;
  float* units;
  int stride;
  const float* bias;

  KRICA_HOST_DEVICE void operator()(int row, int k) const {
    float* first = units + static_cast<std::int64_t>(row) * kUnitsOfBlock * stride + k;
    BlockStates states{};
    if (k < shape.groups) states = block_states(first, stride, bias[k]);
    for (int u = 0; u < kUnitsOfBlock; ++u)
      first[static_cast<std::int64_t>(u) * stride] = states.unit[u];
  }
};

/// From p(h = 1 | v) to h, in place, with the draws that the CPU makes. Rows: blocks; columns: K.
struct DrawUnits {
  ConvSpec shape;
  RandomStreams random;
  const std::int64_t* samples;  // each image's number among all; null: first + image
  std::int64_t first_sample;
  float* units;
  int stride;

  KRICA_HOST_DEVICE void operator()(int row, int k) const {
    const int image = row / shape.blocks();
    const int block = row % shape.blocks();
    const std::int64_t sample = samples != nullptr ? samples[image] : first_sample + image;
    double left = random.uniform(
        static_cast<std::uint64_t>(sample),
        static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(shape.groups) +
            static_cast<std::uint64_t>(k));
    float* unit = units + static_cast<std::int64_t>(row) * kUnitsOfBlock * stride + k;
    for (int u = 0; u < kUnitsOfBlock; ++u, unit += stride) {
      const auto p = static_cast<double>(*unit);
      *unit = left >= 0 && left < p ? 1.0F : 0.0F;
      left -= p;
    }
  }
};

/// The mean of p(v | h). Rows: images; columns: the values of a map.
struct Reconstruct {
  ConvSpec shape;
  const float* windows;  // Σ_k h_k w_k of each unit
  int stride;
  const float* visible_bias;  // c per channel
  float variance;             // τ²; 0: binary units
  float* maps;                // images × values

  KRICA_HOST_DEVICE void operator()(int image, int j) const {
    const int channel = j / shape.pixels();
    const int row = j % shape.pixels() / shape.width;
    const int col = j % shape.pixels() % shape.width;
    const std::int64_t first = static_cast<std::int64_t>(image) * shape.units();
    float sum = 0;
    for (int y = 0; y < shape.field; ++y) {
      for (int x = 0; x < shape.field; ++x) {
        const int unit = unit_at(shape, row - y, col - x);
        const int in_window = (channel * shape.field + y) * shape.field + x;
        if (unit >= 0) sum += windows[(first + unit) * stride + in_window];
      }
    }
    const float bias = visible_bias[channel];
    maps[static_cast<std::int64_t>(image) * shape.values() + j] =
        variance > 0 ? bias + variance * sum : 1 / (1 + expf(-bias - sum));
  }
};

/// Σ p over every kConvParts-th unit. Rows: parts; columns: the groups.
struct SumUnits {
  const float* units;
  int stride;
  std::int64_t rows;
  double* parts;  // groups × kConvParts

  KRICA_HOST_DEVICE void operator()(int part, int k) const {
    double sum = 0;
    for (std::int64_t row = part; row < rows; row += kConvParts)
      sum += static_cast<double>(units[row * stride + k]);
    parts[static_cast<std::int64_t>(k) * kConvParts + part] = sum;
  }
};

/// Σ v, Σ v' and Σ (v' - v)² over every kConvParts-th pixel of a channel, in all images. Rows:
/// channels; columns: parts.
struct SumMaps {
  ConvSpec shape;
  ConvMaps data;   // v
  ConvMaps model;  // v'
  int images;
  double* parts;  // 3 × channels × kConvParts

  KRICA_HOST_DEVICE void operator()(int channel, int part) const {
    double of_data = 0;
    double of_model = 0;
    double squares = 0;
    const std::int64_t pixels = shape.pixels();
    for (std::int64_t pixel = part; pixel < images * pixels; pixel += kConvParts) {
      const auto image = static_cast<int>(pixel / pixels);
      const std::int64_t at = channel * pixels + pixel % pixels;
      const auto v = static_cast<double>(data.of(image)[at]);
      const auto v_model = static_cast<double>(model.of(image)[at]);
      of_data += v;
      of_model += v_model;
      squares += (v_model - v) * (v_model - v);
    }
    const std::int64_t kind = static_cast<std::int64_t>(shape.channels) * kConvParts;
    double* to = parts + static_cast<std::int64_t>(channel) * kConvParts + part;
    to[0] = of_data;
    to[kind] = of_model;
    to[2 * kind] = squares;
  }
};

/// Adds every kFoldedParts-th of the parts of a sum. Rows: sums; columns: kFoldedParts.
struct FoldParts {
  const double* parts;
  double* folded;  // sums × kFoldedParts

  KRICA_HOST_DEVICE void operator()(int sum, int column) const {
    const double* of_sum = parts + static_cast<std::int64_t>(sum) * kConvParts;
    double total = 0;
    for (int part = column; part < kConvParts; part += kFoldedParts) total += of_sum[part];
    folded[static_cast<std::int64_t>(sum) * kFoldedParts + column] = total;
  }
};

/// Adds the folded parts of each sum to its total. One row; columns: sums.
struct AddFolded {
  const double* folded;
  double* totals;

  KRICA_HOST_DEVICE void operator()(int /*row*/, int sum) const {
    double total = 0;
    for (int part = 0; part < kFoldedParts; ++part)
      total += folded[static_cast<std::int64_t>(sum) * kFoldedParts + part];
    totals[sum] += total;
  }
};

/// How the cells of a grid take the values of a map.
enum class CellFunction { kSum, kMean, kMax };

/// Pools a map over the cells of a grid. Rows: images; columns: cells × groups.
struct PoolCells {
  ConvMaps maps;
  int blocks;  // values of a channel
  int groups;
  const int* offsets;    // cell c has the positions offsets[c] ... offsets[c + 1]
  const int* positions;  // in a channel
  CellFunction function;
  float* features;  // of the layer in the first image
  std::int64_t stride;

  KRICA_HOST_DEVICE void operator()(int image, int column) const {
    const int cell = column / groups;
    const float* channel = maps.of(image) + static_cast<std::int64_t>(column % groups) * blocks;
    const int begin = offsets[cell];
    const int end = offsets[cell + 1];
    float result = function == CellFunction::kMax ? channel[positions[begin]] : 0.0F;
    for (int p = begin; p < end; ++p) {
      const float value = channel[positions[p]];
      result = function == CellFunction::kMax ? fmaxf(result, value) : result + value;
    }
    if (function == CellFunction::kMean) result /= static_cast<float>(end - begin);
    features[image * stride + column] = result;
  }
};

}  // namespace krica::device
