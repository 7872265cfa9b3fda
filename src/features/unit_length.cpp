// SPDX-License-Identifier: BSD-3-Clause
#include "features/unit_length.hpp"

#include <cmath>

#include "runtime/parallel.hpp"

namespace krica {

float row_length(const float* row, Index values) {
  const auto length = static_cast<float>(std::sqrt(ordered_dot(row, row, values)));
  return length > 0 ? length : 1.0F;
}

void scale_to_unit_length(const Context& context, MatrixView<float> features) {
  constexpr Index kRowsAtATime = 16;
  const Partition tiles(features.rows(), kRowsAtATime);
  parallel_for(context, tiles.count(), work_of(features.size(), 2 * kPerValue), [&](Index t) {
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
      float* row = features.data() + i * features.outerStride();
      const float length = row_length(row, features.cols());
      for (Index j = 0; j < features.cols(); ++j) row[j] /= length;
    }
  });
}

}  // namespace krica
