// SPDX-License-Identifier: BSD-3-Clause
//
// A pipeline's options, translated for its parts.
#pragma once

#include "krica/bases/basis.hpp"
#include "krica/joint/trainer.hpp"
#include "krica/models/options.hpp"
#include "krica/patches/sample_units.hpp"
#include "krica/patches/sampling.hpp"

namespace krica {

/// At random positions of the images, wherever the options' descriptors fit.
PatchSample patches_to_learn_from(const Context& context, const ImageSet& images,
                                  const PipelineOptions& options, Index count);

BasisOptions basis_of(const PipelineOptions& options);
JointOptions joint_of(const PipelineOptions& options);
/// For options that resolved() gave for samples.
SampleUnits::Options units_of(const PipelineOptions& settled);

}  // namespace krica
