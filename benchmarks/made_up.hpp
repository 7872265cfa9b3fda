// SPDX-License-Identifier: BSD-3-Clause
//
// Made-up data of the usual sizes, for the programs that time the loops by themselves.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "byte_images.hpp"
#include "joint/image_batch.hpp"
#include "krica/features/extractor.hpp"
#include "krica/joint/objective.hpp"
#include "krica/patches/sampling.hpp"

namespace krica::benchmarks {

inline constexpr Index kPatchValues = 108;
inline constexpr Index kAtoms = 1600;

inline Matrix<float> random_matrix(Index rows, Index cols, const char* name) {
  Matrix<float> matrix(rows, cols);
  Random random = Context({.seed = 1}).random(name);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<float>(random.normal());
  return matrix;
}

inline Matrix<float> random_unit_rows(Index rows, Index cols, const char* name) {
  Matrix<float> matrix = random_matrix(rows, cols, name);
  matrix.view().rowwise().normalize();
  return matrix;
}

/// Made-up images, and what turns them into features.
struct Images {
  static constexpr Index kCount = 128;
  static constexpr Index kSide = 32;
  std::vector<std::uint8_t> bytes;
  ByteImages set;
  Preprocessing preprocessing;
  Matrix<float> patches;

  Images()
      : bytes(random_bytes()),
        set(bytes.data(), kCount, kSide, 3),
        preprocessing(Preprocessing::fit(Context(), raw(), {.unit_norm = true})),
        patches(preprocessing.apply(Context(), raw())) {}

  [[nodiscard]] Matrix<float> atoms(Index K) const {
    return Matrix<float>::copy_of(ConstMatrixView<float>(patches).rows_between(0, K));
  }

 private:
  static std::vector<std::uint8_t> random_bytes() {
    std::vector<std::uint8_t> made(kCount * kSide * kSide * 3);
    Random random = Context({.seed = 1}).random("images");
    for (auto& byte : made) byte = static_cast<std::uint8_t>(random.below(256));
    return made;
  }
  [[nodiscard]] Matrix<float> raw() const {
    return sample_patches(Context(), set, 6, 5000).patches;
  }
};

inline constexpr double kGamma = 3;

/// Encode and pool with K atoms.
inline FeatureExtractor make_extractor(const Images& images, Index K, Index stride) {
  return {{.receptive_field = 6, .stride = stride},
          images.set.shape(),
          images.preprocessing,
          Encoder({EncoderKind::kKernel, {.gamma = kGamma}}, images.atoms(K))};
}

/// One step of max-margin kRICA on all images.
class JointStep {
 public:
  JointStep(const Context& context, const Images& images, Index K)
      : context_(context),
        options_{.encoder = {.kernel = {.gamma = kGamma}}, .features = {6, 2, 2, 2, false, 0.5}},
        objective_(context, options_, images.set.shape()),
        batch_(images.set, images.preprocessing, objective_.grid(), options_.features),
        at_{images.atoms(K), Matrix<float>(1, K), random_matrix(10, 4 * K, "T"),
            Matrix<float>(1, 10)},
        gradient_(at_.zeros()) {
    for (Index i = 0; i < Images::kCount; ++i) {
      chosen_.push_back(i);
      labels_.push_back(static_cast<int>(i % 10));
    }
    for (Index u = 0; u < K; ++u) at_.shapes(0, u) = static_cast<float>(std::log(kGamma));
  }

  /// Forward and back.
  double run() {
    batch_.load(context_, chosen_);
    return objective_.value_and_gradient({batch_, labels_}, at_, gradient_, moments_);
  }

 private:
  const Context& context_;
  JointObjectiveOptions options_;
  JointObjective<float> objective_;
  ImageBatch batch_;
  std::vector<Index> chosen_;
  std::vector<int> labels_;
  JointParameters<float> at_;
  JointParameters<float> gradient_;
  BatchMoments moments_;
};

}  // namespace krica::benchmarks
