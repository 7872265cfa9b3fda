// SPDX-License-Identifier: BSD-3-Clause
//
// Linear whitening learned from samples X m×n with mean μ and covariance V diag(d) Vᵀ:
//   zca    x ← (x - μ) V diag(1/sqrt(d + ε)) Vᵀ      n → n, stays in the image's space
//   pca    x ← (x - μ) V diag(1/sqrt(d + ε))         n → r, directions of falling variance
//   standardise   x_j ← (x_j - μ_j) / sqrt(σ_j² + ε)   n → n, every feature by itself
//   none   x ← x
// With a relative epsilon, ε is that fraction of the mean variance (standardise: of the median σ²
// of features that vary), so the result does not depend on the unit of the samples. Directions with
// d below 1e-7 of the largest contain no data and are dropped (r counts the others), as are
// features without variance.
#pragma once

#include <string_view>
#include <vector>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

enum class WhiteningKind { kNone, kZca, kPca, kStandardise };
KRICA_EXPORT std::string_view name_of(WhiteningKind kind);
KRICA_EXPORT WhiteningKind whitening_kind(std::string_view name);

/// How kernel PCA chooses landmarks if it does not use all samples.
enum class LandmarkChoice { kKmeans, kRandom };
KRICA_EXPORT std::string_view name_of(LandmarkChoice choice);

/// The numbers that describe a place in an image, before whitening.
enum class DescriptorKind {
  kPixels,  ///< "pixels": those of a square patch
  kSift,    ///< "sift": histograms of its gradients; images may differ in size
};
KRICA_EXPORT std::string_view name_of(DescriptorKind kind);

struct KRICA_EXPORT WhiteningOptions {
  WhiteningKind kind = WhiteningKind::kZca;
  double epsilon = 0.1;   ///< ε >= 0
  bool relative = false;  ///< epsilon is a fraction of the mean or median variance
  Index components = 0;   ///< pca: directions to keep, 0 for all that contain data

  void validate() const;
};

class KRICA_EXPORT Whitening {
 public:
  /// Throws InvalidArgument for invalid options, fewer than two samples, NaN or Inf, and samples
  /// that are all equal.
  static Whitening fit(const Context& context, ConstMatrixView<float> samples,
                       const WhiteningOptions& options);

  [[nodiscard]] Index inputs() const { return inputs_; }
  [[nodiscard]] Index outputs() const {
    return kind_ == WhiteningKind::kNone ? inputs_ : transform_.cols();
  }

  /// Whitened x is x · transform - offset; both are empty without whitening.
  [[nodiscard]] ConstMatrixView<float> transform() const { return transform_; }
  [[nodiscard]] const std::vector<float>& offset() const { return offset_; }

  /// Whitens one tile, single-threaded: samples (rows × inputs) to whitened (rows × outputs). They
  /// must not overlap.
  void apply(ConstMatrixView<float> samples, MatrixView<float> whitened) const;

  /// All rows, on the context's threads.
  [[nodiscard]] Matrix<float> apply(const Context& context, ConstMatrixView<float> samples) const;

  /// Maps atoms back to the space of the samples (without the mean), for display.
  [[nodiscard]] Matrix<float> unwhiten(ConstMatrixView<float> atoms) const;
  /// Filters a with a·(x - μ) = w·(whitened x), for atoms w: K × inputs.
  [[nodiscard]] Matrix<float> filters(ConstMatrixView<float> atoms) const;
  /// μ; 0 without whitening.
  [[nodiscard]] std::vector<float> mean() const;

  void save(Archive& archive) const;
  static Whitening load(const Archive& archive);

 private:
  Whitening() = default;
  void set_scales(const Matrix<double>& covariance, double epsilon);
  void set_directions(const std::vector<double>& values, const Matrix<double>& vectors,
                      const std::vector<Index>& kept, double epsilon);
  void set_mean(const std::vector<double>& mean);

  WhiteningKind kind_ = WhiteningKind::kNone;
  Index inputs_ = 0;
  Matrix<float> transform_;    // inputs × outputs
  Matrix<float> inverse_;      // outputs × inputs
  std::vector<float> offset_;  // μ · transform, outputs
  std::vector<float> mean_;    // μ, inputs
};

}  // namespace krica
