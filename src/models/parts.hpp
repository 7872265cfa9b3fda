// SPDX-License-Identifier: BSD-3-Clause
//
// Converts a pipeline's options to those of its parts.
#pragma once

#include "features/feature_options.hpp"
#include "joint/trainer.hpp"
#include "krica/bases/basis.hpp"
#include "krica/models/options.hpp"
#include "objectives/conv_layer.hpp"
#include "patches/image_whitening.hpp"
#include "patches/preprocessing.hpp"
#include "patches/sample_units.hpp"
#include "patches/sampling.hpp"

namespace krica {

/// The options' descriptors, wherever they fit.
LocalDescriptorsPtr descriptors_to_learn_from(const ImageShape& shape,
                                              const PipelineOptions& options);

/// Patches at random positions of the images, wherever the options' descriptors fit.
PatchSample patches_to_learn_from(const Context& context, const ImageSet& images,
                                  const PipelineOptions& options, Index count);

/// Options of the parts. For kernel methods gamma must be set.
Kernel kernel_of(const PipelineOptions& options);
EncoderOptions encoder_of(const PipelineOptions& options);
FeatureOptions features_of(const PipelineOptions& options);
PreprocessingOptions preprocessing_of(const PipelineOptions& options, const ImageShape& shape);
BasisOptions basis_of(const PipelineOptions& options);
/// The layers of a network on images of that shape, for options from resolved().
std::vector<ConvShape> conv_layers_of(const PipelineOptions& settled, const ImageShape& shape);
ImageWhiteningOptions image_whitening_of(const PipelineOptions& settled);
JointOptions joint_of(const PipelineOptions& options);
/// For options from resolved() on samples.
SampleUnits::Options units_of(const PipelineOptions& settled);

}  // namespace krica
