// SPDX-License-Identifier: BSD-3-Clause
//
// From images to atoms: the first stages of training.
#pragma once

#include "models/stage_results.hpp"
#include "models/training_run.hpp"

namespace krica {

/// Learns the atoms of the job's method from `input`: images, or samples in the units that the
/// basis is learned in. Restores them from the checkpoint if it holds them, or takes them from
/// job.start if there is one and no stream. Throws Cancelled, unless the job wants the best atoms
/// so far.
LearnedBasis learn_basis(TrainingRun& run, const ImageSet& input);

}  // namespace krica
