// SPDX-License-Identifier: BSD-3-Clause
#include "classify/standardiser.hpp"

#include <cmath>
#include <limits>

#include "runtime/check.hpp"
#include "runtime/column_moments.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"

namespace krica {
namespace {

constexpr Index kTileRows = 256;
constexpr double kVarianceFloor = 0.01;  // fraction of the mean variance

}  // namespace

Standardiser Standardiser::fit(const Context& context, ConstMatrixView<float> features) {
  require_not_empty(features, "standardise", "features");
  require(features.rows() >= 2, "standardise", "at least 2 samples are needed, got {}",
          features.rows());
  const Range held = held_features(features.rows()).of(context);
  agree(context, [&] {
    require_finite(features.rows_between(held.begin, held.end), "standardise", "features");
  });
  const ColumnMoments moments = column_moments(context, features);
  const auto n = moments.mean().size();
  const double freedom = moments.count() - 1;
  const double mean_variance =
      ordered_sum(moments.squares().data(), features.cols()) / freedom / static_cast<double>(n);
  Standardiser standardiser;
  for (std::size_t j = 0; j < n; ++j) {
    const double spread = moments.squares()[j] / freedom + kVarianceFloor * mean_variance;
    const double inverse = spread > 0 ? 1 / std::sqrt(spread) : 0;
    require(inverse <= double{std::numeric_limits<float>::max()}, "standardise",
            "feature {} has a standard deviation of only {:.2g}, too small for float32; scale the "
            "data, e.g. to values around 1",
            j, std::sqrt(spread));
    standardiser.mean_.push_back(static_cast<float>(moments.mean()[j]));
    standardiser.inverse_deviation_.push_back(static_cast<float>(inverse));
  }
  return standardiser;
}

void Standardiser::apply_in_place(const Context& context, MatrixView<float> all) const {
  if (mean_.empty()) return;
  const Range held = held_features(all.rows()).of(context);
  MatrixView<float> features = all.rows_between(held.begin, held.end);
  require(features.cols() == static_cast<Index>(mean_.size()), "standardise",
          "got {} features, expected {}", features.cols(), mean_.size());
  const Partition tiles(features.rows(), kTileRows);
  parallel_for(context, tiles.count(), work_of(features.size(), kPerValue), [&](Index t) {
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
      float* row = features.data() + i * features.outerStride();
      for (std::size_t j = 0; j < mean_.size(); ++j)
        row[j] = (row[j] - mean_[j]) * inverse_deviation_[j];
    }
  });
}

void Standardiser::save(Archive& archive) const {
  archive.put_vector<float>("standardiser.mean", mean_);
  archive.put_vector<float>("standardiser.inverse_deviation", inverse_deviation_);
}

Standardiser Standardiser::load(const Archive& archive) {
  Standardiser standardiser;
  standardiser.mean_ = finite_vector<float>(archive, "standardiser.mean");
  standardiser.inverse_deviation_ = finite_vector<float>(archive, "standardiser.inverse_deviation");
  if (standardiser.mean_.size() != standardiser.inverse_deviation_.size()) {
    throw DataError("[standardise] the saved means and deviations do not fit together");
  }
  return standardiser;
}

}  // namespace krica
