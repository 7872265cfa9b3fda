// SPDX-License-Identifier: BSD-3-Clause
//
// The training stage in which max-margin kRICA learns from its initial atoms.
#pragma once

#include <memory>

#include "models/stage_results.hpp"
#include "models/training_run.hpp"

namespace krica {

/// If options.basis.init names a model file, returns that model, takes the options that its atoms
/// depend on from it, and sets init to its digest, so that model files contain no paths. Otherwise
/// null. Throws InvalidArgument for a name that is neither.
std::shared_ptr<const Model> starting_model(PipelineOptions& options);

/// Learns from labelled images, starting from the given atoms. Restores the outcome from the
/// checkpoint if it is there. When cancelled, writes the checkpoint and throws Cancelled, or
/// returns the best result so far, which is not stored.
JointOutcome learn_jointly(TrainingRun& run, const ImageSet& images, LearnedBasis start);

}  // namespace krica
