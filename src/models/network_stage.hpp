// SPDX-License-Identifier: BSD-3-Clause
//
// From images to the layers of a network: the first stages of training for methods that learn from
// whole images.
#pragma once

#include "models/model_parts.hpp"
#include "models/training_run.hpp"

namespace krica {

/// Learns the layers of the job's method, one after the other, and sets network, status and history
/// of the parts. Restores finished layers from the checkpoint. Throws Cancelled, unless the job
/// wants the best so far and only the last layer is unfinished.
void learn_network(TrainingRun& run, const ImageSet& images, Model::Parts& parts);

}  // namespace krica
