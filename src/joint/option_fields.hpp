// SPDX-License-Identifier: BSD-3-Clause
//
// The options of max-margin training, listed like the solvers' in solvers/option_fields.hpp.
#pragma once

#include "joint/trainer.hpp"
#include "solvers/option_fields.hpp"

namespace krica {

template <OptionsOf<EncoderOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [kind, kernel, threshold, lasso_sparsity, nonzeros, neighbours, tangents, tangent_scale] =
      options;
  auto& [kernel_kind, gamma, degree, scale] = kernel;
  visit("encoder", kind, kAny);
  visit("kernel", kernel_kind, kAny);
  visit("gamma", gamma, kAny);
  visit("degree", degree, kAny);
  visit("scale", scale, kAny);
  visit("threshold", threshold, kAny);
  visit("lasso_sparsity", lasso_sparsity, kAny);
  visit("nonzeros", nonzeros, kAny);
  visit("neighbours", neighbours, kAny);
  visit("tangents", tangents, kAny);
  visit("tangent_scale", tangent_scale, kAny);
}

template <OptionsOf<FeatureOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [descriptors, pooling, unit_length] = options;
  auto& [receptive_field, stride, kind] = descriptors;
  auto& [levels, function, overlap, power] = pooling;
  visit("field", receptive_field, kAny);
  visit("stride", stride, kAny);
  visit("pool", levels, kAny);
  visit("pool_function", function, kAny);
  visit("overlap", overlap, kAny);
  visit("power", power, kAny);
  // Only where they differ from what all options once were, so that older states are resumed.
  if (kind != DescriptorKind::kPixels) visit("descriptor", kind, kAny);
  if (unit_length) visit("unit_length", unit_length, kAny);
}

template <OptionsOf<JointOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [features, objective, learn_shapes, augmentation, epochs, batch, rate, classifier_rate,
         decay, held_out, held_out_limit, folds, fold, early_stopping, patience] = options;
  auto& [encoder, loss, reconstruction, sparsity, epsilon] = objective;
  auto& [flips, crops] = augmentation;
  each_field(features, visit);
  each_field(encoder, visit);
  visit("loss", loss, kAny);
  visit("reconstruction", reconstruction, kAny);
  visit("sparsity", sparsity, kAny);
  visit("epsilon", epsilon, kAny);
  visit("learn_gamma", learn_shapes, kAny);  // named when all shapes were widths
  visit("flips", flips, kAny);
  visit("crops", crops, kAny);
  visit("epochs", epochs, kAtLeastOne);
  visit("batch", batch, kAtLeastTwo);
  visit("rate", rate, kFinitePositive);
  visit("classifier_rate", classifier_rate, kFinitePositive);
  visit("decay", decay, kFiniteNotNegative);
  visit("held_out", held_out, kFromZeroBelowOne);
  visit("held_out_limit", held_out_limit, kAtLeastOne);
  visit("folds", folds, kAny);
  visit("fold", fold, kAny);
  visit("early_stopping", early_stopping, kAny);
  visit("patience", patience, kAtLeastOne);
}

}  // namespace krica
