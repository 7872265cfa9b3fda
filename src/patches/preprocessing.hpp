// SPDX-License-Identifier: BSD-3-Clause
//
// From raw patches to the input of a basis, learned once and then applied to every patch:
//   1. contrast, optional: pixels are scaled to 0 ... 255, then
//      x ← (x - mean(x)) / sqrt(var(x) + contrast_epsilon), var with n-1
//   2. whitening: linear (whitening.hpp), or by kernel PCA (kernel_pca.hpp)
//   3. unit norm, optional
// Samples have units of their own (sample_units.hpp), so their epsilons are relative.
#pragma once

#include <optional>

#include "krica/patches/whitening.hpp"
#include "krica/runtime/library.hpp"
#include "patches/kernel_pca.hpp"
#include "runtime/large_matrix.hpp"

namespace krica {

struct PreprocessingOptions {
  bool contrast = true;
  double contrast_epsilon = 10.0;  ///< > 0, for pixels from 0 to 255
  /// The epsilons are fractions of the mean variance: of a row for the contrast, of a feature for
  /// the linear whitening. Pixels keep their range.
  bool relative = false;
  WhiteningOptions whitening = {};
  std::optional<KernelPcaOptions> kernel_pca = {};  ///< instead of linear whitening
  bool unit_norm = false;

  void validate() const;
};

class KRICA_EXPORT Preprocessing {
 public:
  /// Learns from raw patches, one per row. Throws InvalidArgument like Whitening::fit, and for
  /// patches without any contrast.
  static Preprocessing fit(const Context& context, ConstMatrixView<float> raw_patches,
                           const PreprocessingOptions& options);

  [[nodiscard]] Index inputs() const { return whitening_.inputs(); }
  [[nodiscard]] Index outputs() const {
    return kernel_pca_ ? kernel_pca_->outputs() : whitening_.outputs();
  }
  [[nodiscard]] bool unit_norm() const { return unit_norm_; }

  /// fit() in two steps, for patches that are too many to be copied: the first normalises their
  /// contrast in place, the second learns from the result.
  struct Contrast {
    float pixel_scale = 1;
    double epsilon = 0;  ///< 0: none
  };
  [[nodiscard]] const Contrast& contrast() const { return contrast_; }
  /// Null with kernel PCA.
  [[nodiscard]] const Whitening* linear_whitening() const {
    return kernel_pca_ ? nullptr : &whitening_;
  }
  static Contrast normalise_contrast(const Context& context, MatrixView<float> patches,
                                     const PreprocessingOptions& options);
  static Preprocessing fit_normalised(const Context& context, ConstMatrixView<float> patches,
                                      const Contrast& contrast,
                                      const PreprocessingOptions& options);
  /// The rest of the way from there. Changes the patches in place if their length stays.
  [[nodiscard]] LargeMatrix apply_normalised(const Context& context, LargeMatrix patches) const;
  /// The contrast alone, in place.
  void apply_contrast(const Context& context, MatrixView<float> patches) const;

  /// Atoms as patches, for display. Throws InvalidArgument after kernel PCA, whose space has no
  /// images.
  [[nodiscard]] Matrix<float> unwhiten(ConstMatrixView<float> atoms) const;
  /// Whether it is affine: no contrast normalisation, kernel PCA or unit norm.
  [[nodiscard]] bool is_affine() const;
  /// The whitening, if it is the only step. Throws InvalidArgument unless is_affine().
  [[nodiscard]] const Whitening& linear_part() const;

  /// One tile, single-threaded. Overwrites raw_patches with their contrast-normalised form.
  void apply_tile(MatrixView<float> raw_patches, MatrixView<float> result) const;

  /// All rows, on the context's threads.
  [[nodiscard]] Matrix<float> apply(const Context& context,
                                    ConstMatrixView<float> raw_patches) const;

  void save(Archive& archive) const;
  static Preprocessing load(const Archive& archive);

 private:
  Preprocessing(const Contrast& contrast, Whitening whitening,
                std::optional<KernelPca<float>> kernel_pca, bool unit_norm);
  void apply_normalised_tile(ConstMatrixView<float> patches, MatrixView<float> result) const;

  Contrast contrast_;
  Whitening whitening_;  // of kind none where there is a kernel PCA
  std::optional<KernelPca<float>> kernel_pca_;
  bool unit_norm_;
};

}  // namespace krica
