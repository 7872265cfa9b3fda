// SPDX-License-Identifier: BSD-3-Clause
//
// From raw patches to what a basis sees, learned once and applied to every patch thereafter:
//   1. pixels times `pixel_scale` (255 for images in [0, 1], so that the next step means the same)
//   2. contrast: x ← (x - mean(x)) / sqrt(var(x) + contrast_epsilon), var with n-1
//   3. whitening: linear (whitening.hpp), or by kernel PCA (kernel_pca.hpp)
//   4. where wanted: unit norm
#pragma once

#include <optional>

#include "krica/patches/kernel_pca.hpp"
#include "krica/patches/whitening.hpp"

namespace krica {

struct PreprocessingOptions {
  bool contrast = true;  ///< steps 1 and 2; off for samples that are not patches of images
  double contrast_epsilon = 10.0;  ///< > 0, on the scale of 0 ... 255
  WhiteningOptions whitening = {};
  std::optional<KernelPcaOptions> kernel_pca = {};  ///< instead of the linear whitening
  bool unit_norm = false;

  void validate() const;
};

class Preprocessing {
 public:
  /// From raw patches, one a row. Throws InvalidArgument as Whitening::fit, and for patches without
  /// any contrast.
  static Preprocessing fit(const Context& context, ConstMatrixView<float> raw_patches,
                           const PreprocessingOptions& options);

  [[nodiscard]] Index inputs() const { return whitening_.inputs(); }
  [[nodiscard]] Index outputs() const {
    return kernel_pca_ ? kernel_pca_->outputs() : whitening_.outputs();
  }
  [[nodiscard]] bool unit_norm() const { return unit_norm_; }
  /// Atoms as patches, for looking at them. Throws InvalidArgument after kernel PCA, whose space
  /// has no pictures.
  [[nodiscard]] Matrix<float> unwhiten(ConstMatrixView<float> atoms) const;
  /// The whitening, where that is all that happens to a patch. Throws InvalidArgument after
  /// contrast normalisation, kernel PCA or unit norm, which are not linear.
  [[nodiscard]] const Whitening& linear_part() const;

  /// One tile, one thread. Overwrites raw_patches with their contrast-normalised form on the way.
  void apply_tile(MatrixView<float> raw_patches, MatrixView<float> result) const;

  /// All rows, on the context's threads.
  [[nodiscard]] Matrix<float> apply(const Context& context,
                                    ConstMatrixView<float> raw_patches) const;

  void save(Archive& archive) const;
  static Preprocessing load(const Archive& archive);

 private:
  Preprocessing(float pixel_scale, double contrast_epsilon, Whitening whitening,
                std::optional<KernelPca<float>> kernel_pca, bool unit_norm);

  float pixel_scale_;
  double contrast_epsilon_;  // 0: no contrast normalisation
  Whitening whitening_;      // of kind none where there is a kernel PCA
  std::optional<KernelPca<float>> kernel_pca_;
  bool unit_norm_;
};

}  // namespace krica
