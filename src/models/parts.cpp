// SPDX-License-Identifier: BSD-3-Clause
#include "models/parts.hpp"

#include "models/method_defaults.hpp"
#include "models/rica_checks.hpp"
#include "models/rules.hpp"

namespace krica {

Kernel kernel_of(const PipelineOptions& options) {
  return {.kind = options.kernel.kind,
          .gamma = options.kernel.gamma.value_or(1.0),
          .degree = options.kernel.degree,
          .scale = options.kernel.scale};
}

namespace {

/// λ of the lasso, which weighs the ℓ1 norm against the whole squared error.
double lasso_weight(const PipelineOptions& options) {
  return (basis_method(options.method).half_squares ? 2 : 1) * sparsity_of(options);
}

}  // namespace

EncoderOptions encoder_of(const PipelineOptions& options) {
  return {.kind = options.encoder.kind.value_or(EncoderKind::kKernel),
          .kernel = kernel_of(options),
          .threshold = options.encoder.threshold,
          .sparsity = lasso_weight(options),
          .nonzeros = options.encoder.nonzeros.value_or(EncoderOptions{}.nonzeros),
          .neighbours = options.encoder.neighbours.value_or(kNeighbours),
          .tangents = options.encoder.tangents.value_or(kTangents),
          .tangent_scale = options.encoder.tangent_scale.value_or(1.0)};
}

FeatureOptions features_of(const PipelineOptions& options) {
  const DescriptorKind kind = descriptor_of(options);
  const Index field = kind == DescriptorKind::kSift ? kSiftField : kField;
  return {.descriptors = {.receptive_field = options.descriptor.receptive_field.value_or(field),
                          .stride = stride_of(options),
                          .kind = kind},
          .pooling = {.levels = pool_levels_of(options),
                      .function = pool_function_of(options),
                      .overlap = options.pooling.overlap,
                      .power = options.pooling.power.value_or(1.0)},
          .unit_length = feature_scaling_of(options) == FeatureScaling::kL2};
}

LocalDescriptorsPtr descriptors_to_learn_from(const ImageShape& shape,
                                              const PipelineOptions& options) {
  return make_descriptors(features_of(options).descriptors.dense(), shape);
}

PatchSample patches_to_learn_from(const Context& context, const ImageSet& images,
                                  const PipelineOptions& options, Index count) {
  return sample_patches(context, images, *descriptors_to_learn_from(images.shape(), options),
                        count);
}

SampleUnits::Options units_of(const PipelineOptions& settled) {
  // MATLAB's objective depends on the unit of the samples, so its convention keeps it.
  return {.rescaled = !is_matlab_rica(settled),
          .centred = settled.whitening.method != WhiteningMethod::kNone,
          .by_rows = settled.descriptor.contrast == true};
}

PreprocessingOptions preprocessing_of(const PipelineOptions& options, const ImageShape& shape) {
  const double epsilon =
      options.whitening.epsilon.value_or(default_whitening_epsilon(options, shape));
  PreprocessingOptions result{
      .contrast = options.descriptor.contrast.value_or(true),
      .contrast_epsilon = options.descriptor.contrast_epsilon.value_or(kPatchContrast),
      .relative = shape.is_sample(),
      .whitening = {.epsilon = epsilon, .components = options.whitening.components},
      .unit_norm = options.descriptor.unit_norm.value_or(false)};
  const WhiteningMethod method = whitening_of(options, shape);
  if (method != WhiteningMethod::kKernelPca) {
    result.whitening.kind = whitening_kind(name_of(method));
    return result;
  }
  result.kernel_pca = {.kernel = {.gamma = options.whitening.gamma.value_or(1.0)},
                       .landmarks = options.whitening.landmarks,
                       .choice = options.whitening.landmark_choice,
                       .components = options.whitening.components,
                       .epsilon = epsilon};
  return result;
}

BasisOptions basis_of(const PipelineOptions& options) {
  return {.components = options.basis.components.value_or(0),
          .kernel = kernel_of(options),
          .sparsity = sparsity_of(options),
          .epsilon = options.basis.epsilon,
          .init = options.basis.init.value_or(BasisOptions{}.init),
          .convention = options.basis.rica.convention,
          .rica_contrast = options.basis.rica.contrast,
          .reconstruction_weight = options.basis.rica.reconstruction_weight.value_or(1.0),
          .non_gaussianity =
              options.basis.rica.non_gaussianity.of(options.basis.components.value_or(0)),
          .groups = options.basis.groups,
          .solver = options.basis.solver,
          .iterations = options.basis.iterations.value_or(BasisOptions{}.iterations),
          .epochs = options.basis.epochs.value_or(kEpochs),
          .batch = options.basis.batch,
          .rate = options.basis.rate.value_or(BasisOptions{}.rate),
          .discrimination = options.basis.discrimination,
          .sparsity_target =
              options.basis.sparsity_target.value_or(basis_method(options.method).sparsity_target),
          .weight_decay = options.basis.weight_decay,
          .untied = options.basis.untied,
          .nonzeros = options.encoder.nonzeros.value_or(BasisOptions{}.nonzeros),
          .label_terms = options.dictionary.label_terms};
}

std::vector<ConvShape> conv_layers_of(const PipelineOptions& settled, const ImageShape& shape) {
  std::vector<ConvShape> layers = {{.input = shape,
                                    .field = settled.descriptor.receptive_field.value_or(kField),
                                    .groups = settled.basis.components.value_or(1)}};
  const Index second = settled.basis.second_components.value_or(0);
  if (second > 0) {
    layers.push_back({.input = layers.front().pooled(),
                      .field = settled.basis.second_field.value_or(1),
                      .groups = second});
  }
  return layers;
}

ImageWhiteningOptions image_whitening_of(const PipelineOptions& settled) {
  return {.whiten = settled.whitening.method != WhiteningMethod::kNone,
          .epsilon = settled.whitening.epsilon.value_or(kImageWhitening),
          .contrast = settled.descriptor.contrast.value_or(true)};
}

JointOptions joint_of(const PipelineOptions& options) {
  const double rate = options.basis.rate.value_or(JointOptions{}.rate);
  JointOptions joint;
  joint.features = features_of(options);
  joint.objective = {.encoder = encoder_of(options),
                     .loss = options.max_margin.loss,
                     .reconstruction = options.max_margin.reconstruction,
                     .sparsity = sparsity_of(options),
                     .epsilon = options.basis.epsilon};
  joint.learn_shapes = options.max_margin.learn_gamma.value_or(true);
  joint.augmentation = {.flips = options.classifier.flips.value_or(false),
                        .crops = options.max_margin.crops};
  joint.epochs = options.basis.epochs.value_or(kEpochs);
  joint.batch = options.basis.batch.value_or(joint.batch);
  joint.rate = rate;
  joint.classifier_rate = rate * kClassifierRate;
  joint.decay = options.max_margin.decay;
  joint.held_out = options.max_margin.held_out.value_or(kHeldOut);
  joint.patience = options.max_margin.patience.value_or(kPatience);
  return joint;
}

}  // namespace krica
