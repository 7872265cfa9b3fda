// SPDX-License-Identifier: BSD-3-Clause
#include "krica/classify/standardiser.hpp"

#include <cmath>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr Index kTileRows = 256;
constexpr Index kTileColumns = 512;
constexpr double kVarianceFloor = 0.01;  // part of the mean variance

}  // namespace

Standardiser Standardiser::fit(const Context& context, ConstMatrixView<float> features) {
  require_not_empty(features, "standardise", "features");
  require(features.rows() >= 2, "standardise", "at least 2 samples are needed, got {}",
          features.rows());
  require_finite(features, "standardise", "features");
  const auto n = static_cast<std::size_t>(features.cols());
  const auto m = static_cast<double>(features.rows());
  std::vector<double> means(n);
  std::vector<double> variances(n);
  const Partition tiles(features.cols(), kTileColumns);
  parallel_for(context, tiles.count(), work_of(features.size(), 2 * kPerValue), [&](Index t) {
    const Range tile = tiles[t];
    for (Index i = 0; i < features.rows(); ++i) {
      const float* row = features.data() + i * features.outerStride();
      for (Index j = tile.begin; j < tile.end; ++j)
        means[static_cast<std::size_t>(j)] += static_cast<double>(row[j]);
    }
    for (Index j = tile.begin; j < tile.end; ++j) means[static_cast<std::size_t>(j)] /= m;
    for (Index i = 0; i < features.rows(); ++i) {
      const float* row = features.data() + i * features.outerStride();
      for (Index j = tile.begin; j < tile.end; ++j) {
        const double difference = static_cast<double>(row[j]) - means[static_cast<std::size_t>(j)];
        variances[static_cast<std::size_t>(j)] += difference * difference;
      }
    }
  });
  const double mean_variance =
      ordered_sum(variances.data(), features.cols()) / (m - 1) / static_cast<double>(n);
  Standardiser standardiser;
  for (std::size_t j = 0; j < n; ++j) {
    const double spread = variances[j] / (m - 1) + kVarianceFloor * mean_variance;
    standardiser.mean_.push_back(static_cast<float>(means[j]));
    standardiser.inverse_deviation_.push_back(spread > 0 ? static_cast<float>(1 / std::sqrt(spread))
                                                         : 0.0F);
  }
  return standardiser;
}

void Standardiser::apply_in_place(const Context& context, MatrixView<float> features) const {
  if (mean_.empty()) return;
  require(features.cols() == static_cast<Index>(mean_.size()), "standardise",
          "{} features where {} were learned", features.cols(), mean_.size());
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
  standardiser.mean_ = archive.vector<float>("standardiser.mean");
  standardiser.inverse_deviation_ = archive.vector<float>("standardiser.inverse_deviation");
  if (standardiser.mean_.size() != standardiser.inverse_deviation_.size()) {
    throw DataError("[standardise] the saved means and deviations do not fit together");
  }
  return standardiser;
}

}  // namespace krica
