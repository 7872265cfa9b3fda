// SPDX-License-Identifier: BSD-3-Clause
//
// Principal components of many features: z = (x - μ) Vᵀ, scaled to length 1, with the directions V
// (p × F) of largest variance: the eigenvectors of XᵀX for centred samples X or, if they are fewer
// than their features, v_k = λ_k^(-1/2) u_kᵀ X with X Xᵀ = U diag(λ) Uᵀ. At most kMostSamples
// samples, drawn at random, determine the directions, which bounds time and memory.
#pragma once

#include <vector>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

class FeatureProjection {
 public:
  static constexpr Index kMostSamples = 4096;

  FeatureProjection() = default;  ///< leaves features as they are

  /// The directions to keep: at most `components`, one less than there are samples, and those with
  /// variance. Throws InvalidArgument for fewer than two samples, NaN, Inf or equal samples.
  static FeatureProjection fit(const Context& context, ConstMatrixView<float> features,
                               Index components);

  [[nodiscard]] Index inputs() const { return directions_.cols(); }
  [[nodiscard]] Index outputs() const { return directions_.rows(); }
  [[nodiscard]] ConstMatrixView<float> directions() const { return directions_; }

  /// Projected samples of length 1 (rows × outputs), on the context's threads; the bits depend on
  /// neither their number nor the other rows.
  void apply(const Context& context, ConstMatrixView<float> features,
             MatrixView<float> projected) const;

  void save(Archive& archive) const;
  /// Throws DataError for parts that do not fit together, NaN and Inf.
  static FeatureProjection load(const Archive& archive);

 private:
  void set_offset();

  std::vector<float> mean_;
  Matrix<float> directions_;   // V
  std::vector<float> offset_;  // V μ
};

}  // namespace krica
