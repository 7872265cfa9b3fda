// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

/// z = (x - mean) / sqrt(var + 0.01 · mean variance), per feature, as in Coates, Lee and Ng's code.
class Standardiser {
 public:
  Standardiser() = default;  ///< leaves features unchanged
  /// One value per feature.
  Standardiser(std::vector<float> mean, std::vector<float> inverse_deviation)
      : mean_(std::move(mean)), inverse_deviation_(std::move(inverse_deviation)) {}

  /// Throws InvalidArgument for fewer than two rows, NaN or Inf.
  static Standardiser fit(const Context& context, ConstMatrixView<float> features);

  void apply_in_place(const Context& context, MatrixView<float> all) const;

  [[nodiscard]] std::span<const float> mean() const { return mean_; }
  [[nodiscard]] std::span<const float> inverse_deviation() const { return inverse_deviation_; }

  void save(Archive& archive) const;
  static Standardiser load(const Archive& archive);

 private:
  std::vector<float> mean_;
  std::vector<float> inverse_deviation_;
};

}  // namespace krica
