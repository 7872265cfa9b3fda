// SPDX-License-Identifier: BSD-3-Clause
//
// Units of a convolutional layer, one by one.
#pragma once

#include <vector>

#include "objectives/conv_layer.hpp"
#include "support/problems.hpp"

namespace krica {

template <class Scalar>
Matrix<Scalar> as(const Matrix<double>& matrix) {
  return Matrix<Scalar>::copy_of(matrix.view().template cast<Scalar>());
}

inline Matrix<double> parameters(const ConvShape& shape, std::uint64_t seed, double size = 0.7) {
  Matrix<double> packed =
      support::random_matrix<double>(shape.groups + 1, shape.window() + 1, seed);
  packed.view() *= size;
  return packed;
}

/// I_k at position (y, x), without reading windows. mean: μ, none for 0.
inline double input_at(const ConvShape& shape, const Matrix<double>& packed, const double* v,
                       Index k, Index y, Index x, const std::vector<double>& mean = {}) {
  double sum = packed(k, shape.window());
  Index j = 0;
  for (Index c = 0; c < shape.input.channels; ++c) {
    for (Index dy = 0; dy < shape.field; ++dy) {
      for (Index dx = 0; dx < shape.field; ++dx) {
        const double value = v[c * shape.input.pixels() + (y + dy) * shape.input.width + x + dx];
        sum += packed(k, j++) * (value - (mean.empty() ? 0 : mean[static_cast<std::size_t>(c)]));
      }
    }
  }
  return sum;
}

struct Unit {
  Index row;
  Index col;
};
inline Unit unit_of(const ConvShape& shape, Index block, int state) {
  return {block / shape.pooled().width * 2 + (state - 1) / 2,
          block % shape.pooled().width * 2 + (state - 1) % 2};
}

/// Small enough to sum over all states.
inline constexpr ConvShape kTwoBlocks{{3, 6, 2}, 2, 2};

}  // namespace krica
