// SPDX-License-Identifier: BSD-3-Clause
//
// A small max-margin training to ask engines for steps of.
#pragma once

#include <utility>
#include <vector>

#include "features/patch_source.hpp"
#include "joint/engine.hpp"
#include "patches/sampling.hpp"
#include "support/features.hpp"
#include "support/images.hpp"
#include "support/problems.hpp"

namespace krica::support {

struct EngineShape {
  EncoderKind code = EncoderKind::kKernel;
  double power = 0.5;
  MarginLoss loss = MarginLoss::kSquaredHinge;
  int classes = 3;
  Index atoms = 9;
  Index grid = 2;
  bool overlap = false;
  ImageShape image = {12, 11, 1};
  Index images = 40;
  Index batch = 16;
};

struct EngineProblem {
  explicit EngineProblem(const EngineShape& asked = {})
      : shape(asked),
        images(gratings(asked.images, asked.classes, asked.image)),
        options(options_of(asked)),
        preprocessing(fitted(images)),
        source(options.features, asked.image, preprocessing) {}

  [[nodiscard]] JointTask task(const Context& context) const { return task(context, images); }
  [[nodiscard]] JointTask task(const Context& context, const ImageSet& set) const {
    return {context, set, source, options, {nullptr, 0, 0}};
  }

  /// Somewhere in the middle of a training, but with moments of 0.
  [[nodiscard]] JointState state() const {
    const EncoderOptions& encoder = options.objective.encoder;
    const Index n = preprocessing.outputs();
    JointState state;
    JointParameters<float>& at = state.now;
    at.W = random_matrix<float>(shape.atoms, n, 5);
    at.W.view() *= 1.0F / std::sqrt(static_cast<float>(n));
    if (has_shapes(encoder)) {
      at.shapes = random_matrix<float>(1, shape.atoms, 6);
      at.shapes.view() *= 0.1F;
    }
    const Index F = source.grid().cells() * channels_of(encoder, shape.atoms);
    at.T = random_matrix<float>(shape.classes, F, 7);
    at.T.view() *= 1.0F / std::sqrt(static_cast<float>(F));
    at.bias = random_matrix<float>(1, shape.classes, 8);
    state.best.parameters = at;
    state.first = at.zeros();
    state.second = at.zeros();
    return state;
  }

  EngineShape shape;
  MemoryImages images;
  JointOptions options;
  Preprocessing preprocessing;
  PatchSource source;

 private:
  static constexpr Index kField = 4;

  static JointOptions options_of(const EngineShape& asked) {
    JointOptions options;
    options.objective.encoder = {.kind = asked.code,
                                 .kernel = {.kind = KernelKind::kGaussian, .gamma = 1.5},
                                 .threshold = 0.1};
    options.objective.loss = asked.loss;
    options.features = features(kField, 1, asked.grid, asked.grid, asked.overlap, asked.power);
    options.augmentation = {.flips = true, .crops = 2};
    options.batch = asked.batch;
    return options;
  }
  static Preprocessing fitted(const ImageSet& images) {
    return Preprocessing::fit(Context(), sample_patches(Context(), images, kField, 500).patches,
                              {.unit_norm = true});
  }
};

}  // namespace krica::support
