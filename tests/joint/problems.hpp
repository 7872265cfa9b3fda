// SPDX-License-Identifier: BSD-3-Clause
//
// Small batches of images as stored patches, in float64 or float32.
#pragma once

#include <utility>
#include <vector>

#include "krica/joint/objective.hpp"
#include "support/problems.hpp"

namespace krica::support {

/// Patches held in memory: images × positions rows.
template <class Scalar>
class StoredPatches final : public PatchTiles<Scalar> {
 public:
  StoredPatches(Matrix<Scalar> patches, Index images)
      : patches_(std::move(patches)), images_(images) {}

  [[nodiscard]] Index images() const override { return images_; }
  void read(Index image, Index first, MatrixView<Scalar> patches) const override {
    const Index row = image * (patches_.rows() / images_) + first;
    patches = patches_.view().middleRows(row, patches.rows());
  }

 private:
  Matrix<Scalar> patches_;
  Index images_;
};

struct JointProblem {
  ImageShape shape = {9, 8, 1};
  FeatureOptions features = {3, 1, 2, 2, false, 0.5};
  Kernel kernel = {.kind = KernelKind::kGaussian, .gamma = 0.7, .scale = 0.8};
  EncoderKind code = EncoderKind::kKernel;
  Index images = 6;
  Index K = 5;
  Index n = 4;
  int classes = 3;

  [[nodiscard]] PoolingGrid grid() const { return {features, shape}; }
  [[nodiscard]] EncoderOptions encoder() const {
    return {.kind = code, .kernel = kernel, .threshold = 0.2};
  }
  [[nodiscard]] Index channels() const { return channels_of(code, K); }
  /// All patches and the atoms, no two values of a column near each other (see random_problem).
  [[nodiscard]] Problem samples() const {
    return random_problem({.m = images * grid().positions(), .n = n, .K = K, .classes = classes});
  }

  template <class Scalar>
  [[nodiscard]] StoredPatches<Scalar> patches() const {
    return {cast_to<Scalar>(samples().X), images};
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
