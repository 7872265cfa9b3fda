// SPDX-License-Identifier: BSD-3-Clause
//
// From images to atoms: the first stages of training.
#pragma once

#include "models/stage_results.hpp"
#include "models/training_run.hpp"

namespace krica {

/// The atoms of the job's method, learned from `input`: images, or samples in the units that the
/// basis is learned in. Restored from the checkpoint where it holds them, taken from job.start
/// where there is one and no stream. Throws Cancelled, unless the job wants the best so far.
LearnedBasis learn_basis(TrainingRun& run, const ImageSet& input);

}  // namespace krica
