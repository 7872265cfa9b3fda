// SPDX-License-Identifier: BSD-3-Clause
//
// Made-up data of the usual sizes, for the programs that time the loops by themselves.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "byte_images.hpp"
#include "features/extractor.hpp"
#include "features/patch_source.hpp"
#include "joint/image_batch.hpp"
#include "joint/objective.hpp"
#include "patches/sampling.hpp"

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

/// Images of ten classes, each with a pattern of its own under noise. Made before the image set
/// that refers to them.
struct RandomBytes {
  std::vector<std::uint8_t> bytes;

  RandomBytes(Index count, Index values) : bytes(static_cast<std::size_t>(count * values)) {
    Random random = Context({.seed = 1}).random("images");
    std::vector<std::uint8_t> patterns(static_cast<std::size_t>(10 * values));
    for (auto& byte : patterns) byte = static_cast<std::uint8_t>(random.below(64));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(patterns[i % patterns.size()] + random.below(192));
  }
};

class RandomImages final : RandomBytes, public ByteImages {
 public:
  RandomImages(Index count, Index side, Index channels)
      : RandomBytes(count, side * side * channels),
        ByteImages(bytes.data(), count, side, channels) {}
};

/// Images, and what turns them into features.
struct Images {
  ImageSetPtr set;
  Preprocessing preprocessing;
  Matrix<float> patches;

  /// `count` images of 32 x 32 pixels in colour, as CIFAR-10's.
  static Images in_colour(Index count) {
    return Images(std::make_shared<RandomImages>(count, 32, 3));
  }
  /// `count` images of 28 x 28 grey pixels, as the built-in set's.
  static Images in_grey(Index count) {
    return Images(std::make_shared<RandomImages>(count, 28, 1));
  }

  /// The classes go round.
  [[nodiscard]] std::vector<int> labels() const {
    std::vector<int> classes;
    for (Index i = 0; i < set->size(); ++i) classes.push_back(static_cast<int>(i % 10));
    return classes;
  }
  [[nodiscard]] Matrix<float> atoms(Index K) const {
    return Matrix<float>::copy_of(ConstMatrixView<float>(patches).rows_between(0, K));
  }

 private:
  explicit Images(ImageSetPtr images) : Images(images, raw(*images)) {}
  Images(ImageSetPtr images, const Matrix<float>& raw)
      : set(std::move(images)),
        preprocessing(Preprocessing::fit(Context(), raw, {.unit_norm = true})),
        patches(preprocessing.apply(Context(), raw)) {}
  static Matrix<float> raw(const ImageSet& images) {
    return sample_patches(Context(), images, 6, 5000).patches;
  }
};

inline constexpr double kGamma = 3;

/// Encode and pool with K atoms.
inline FeatureExtractor make_extractor(const Images& images, Index K, Index stride) {
  return {{{.receptive_field = 6, .stride = stride}},
          images.set->shape(),
          images.preprocessing,
          Encoder({EncoderKind::kKernel, {.gamma = kGamma}}, images.atoms(K))};
}

/// One step of max-margin kRICA on the first 128 images.
class JointStep {
 public:
  static constexpr Index kBatch = 128;

  JointStep(const Context& context, const Images& images, Index K)
      : context_(context),
        images_(*images.set),
        source_({{6, 2}, {.power = 0.5}}, images.set->shape(), images.preprocessing),
        objective_({.encoder = {.kernel = {.gamma = kGamma}}}, source_),
        at_{images.atoms(K), Matrix<float>(1, K), random_matrix(10, 4 * K, "T"),
            Matrix<float>(1, 10)},
        gradient_(at_.zeros()) {
    for (Index i = 0; i < kBatch; ++i) {
      chosen_.push_back(i);
      labels_.push_back(static_cast<int>(i % 10));
    }
    for (Index u = 0; u < K; ++u) at_.shapes(0, u) = static_cast<float>(std::log(kGamma));
  }

  /// Forward and back.
  double run() {
    const Matrix<float> batch = read_batch(context_, images_, chosen_);
    return objective_.value_and_gradient(context_, {batch, labels_}, at_, gradient_, moments_);
  }

 private:
  const Context& context_;
  const ImageSet& images_;
  PatchSource source_;
  JointObjective<float> objective_;
  std::vector<Index> chosen_;
  std::vector<int> labels_;
  JointParameters<float> at_;
  JointParameters<float> gradient_;
  BatchMoments moments_;
};

}  // namespace krica::benchmarks
