// SPDX-License-Identifier: BSD-3-Clause
//
// The stage of training in which max-margin kRICA turns its first atoms into learned ones.
#pragma once

#include <memory>

#include "models/stage_results.hpp"
#include "models/training_run.hpp"

namespace krica {

/// Where options.basis.init names a model file: that model; the options that its atoms depend on
/// are taken from it, and init becomes its digest, so that a model file holds no path. Null
/// otherwise. Throws InvalidArgument for a name that is neither.
std::shared_ptr<const Model> starting_model(PipelineOptions& options);

/// Learns from labelled images, beginning with the given atoms. Restored from the checkpoint where
/// it holds the outcome. Throws Cancelled after the checkpoint is written, or gives the best so
/// far, though not to the file.
JointOutcome learn_jointly(TrainingRun& run, const ImageSet& images, LearnedBasis start);

}  // namespace krica
