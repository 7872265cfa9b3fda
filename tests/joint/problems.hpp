// SPDX-License-Identifier: BSD-3-Clause
//
// Small batches of images as stored patches.
#pragma once

#include <utility>
#include <vector>

#include "features/patch_source.hpp"
#include "joint/objective.hpp"
#include "support/features.hpp"
#include "support/problems.hpp"

namespace krica::support {

/// "Images" that are their patches, position by position: the gradient in atoms of any length can
/// be checked without overlapping pixels.
class StoredPatches final : public LocalDescriptors {
 public:
  StoredPatches(Positions positions, Index n) : positions_(positions), n_(n) {}

  [[nodiscard]] Index dimensions() const override { return n_; }
  [[nodiscard]] Positions positions(const ImageShape& /*shape*/) const override {
    return positions_;
  }
  void read(const float* image, const ImageShape& /*shape*/, std::span<const PositionRun> runs,
            MatrixView<float> patches) const override {
    Index i = 0;
    for (const PositionRun& run : runs) {
      const float* first = image + (run.row * positions_.cols + run.col) * n_;
      patches.middleRows(i, run.count) = ConstMatrixView<float>(first, run.count, n_);
      i += run.count;
    }
  }

 private:
  Positions positions_;
  Index n_;
};

/// Passes patches of n values on as they are.
inline Preprocessing no_preprocessing(Index n) {
  return Preprocessing::fit(Context({.threads = 1}), random_matrix<float>(9, n, 1),
                            {.contrast = false, .whitening = {.kind = WhiteningKind::kNone}});
}

struct JointProblem {
  ImageShape shape = {9, 8, 1};
  FeatureOptions features = support::features(3, 1, 2, 2, false, 0.5);
  Kernel kernel = {.kind = KernelKind::kGaussian, .gamma = 0.7, .scale = 0.8};
  EncoderKind code = EncoderKind::kKernel;
  Index images = 6;
  Index K = 5;
  Index n = 4;
  int classes = 3;

  [[nodiscard]] Positions positions() const {
    return make_descriptors(features.descriptors, shape)->positions(shape);
  }
  [[nodiscard]] PoolingGrid grid() const { return {features.pooling, positions()}; }
  [[nodiscard]] PatchSource source() const {
    const ImageShape stored{positions().rows, positions().cols, n};
    return {std::make_shared<const StoredPatches>(positions(), n), features.pooling, stored,
            no_preprocessing(n)};
  }
  [[nodiscard]] EncoderOptions encoder() const {
    return {.kind = code, .kernel = kernel, .threshold = 0.2};
  }
  [[nodiscard]] Index channels() const { return channels_of({.kind = code}, K); }
  /// All patches and the atoms, no two values of a column near each other (see random_problem).
  [[nodiscard]] Problem samples() const {
    return random_problem({.m = images * positions().count(), .n = n, .K = K, .classes = classes});
  }

  /// A row an image: its patches, row by row of positions.
  [[nodiscard]] Matrix<float> pixels() const {
    const Matrix<float> all = cast_to<float>(samples().X);
    return Matrix<float>::copy_of(
        ConstMatrixView<float>(all.data(), images, positions().count() * n));
  }
  /// The patch at a position of an image.
  [[nodiscard]] std::vector<double> patch(Index image, Index row, Index col) const {
    const Matrix<float> all = cast_to<float>(samples().X);
    const float* x = all.row(image * positions().count() + row * positions().cols + col);
    return {x, x + n};
  }

  [[nodiscard]] std::vector<int> labels() const {
    std::vector<int> labels;
    for (Index i = 0; i < images; ++i) labels.push_back(static_cast<int>(i % classes));
    return labels;
  }

  template <class Scalar>
  [[nodiscard]] JointParameters<Scalar> parameters(bool with_shapes) const {
    JointParameters<Scalar> at;
    at.W = cast_to<Scalar>(samples().W);
    if (with_shapes) {
      at.shapes = Matrix<Scalar>(1, K);
      for (Index u = 0; u < K; ++u)
        at.shapes(0, u) = static_cast<Scalar>(-0.5 + 0.2 * static_cast<double>(u));
    }
    // Not too large: the hinge's kinks must stay away from the steps of differences.
    at.T = cast_to<Scalar>(random_matrix<double>(classes, grid().cells() * channels(), 13));
    for (Index e = 0; e < at.T.size(); ++e) at.T.data()[e] *= static_cast<Scalar>(0.3);
    at.bias = cast_to<Scalar>(random_matrix<double>(1, classes, 14));
    return at;
  }
};

}  // namespace krica::support
