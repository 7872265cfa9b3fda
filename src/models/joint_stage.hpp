// SPDX-License-Identifier: BSD-3-Clause
//
// The stage of training in which max-margin kRICA turns its first atoms into learned ones.
#pragma once

#include <memory>

#include "krica/models/training.hpp"
#include "models/checkpoint.hpp"

namespace krica {

/// Where options.init names a model file: that model; the options that its atoms depend on are
/// taken from it, and init becomes its digest, so that a model file holds no path. Null otherwise.
/// Throws InvalidArgument for a name that is neither.
std::shared_ptr<const Model> starting_model(PipelineOptions& options);

/// Learns from the checkpoint's atoms and preprocessing, and keeps the result there: atoms, their
/// widths, settled options, status, history and, unless it is to be fitted anew, the classifier.
/// Does nothing where that was done before. Throws Cancelled after the checkpoint is written, or
/// keeps the best so far, though not in the file.
void learn_jointly(const Context& context, const ImageSet& images, bool best_when_cancelled,
                   Checkpoint& checkpoint, TrainingReport& report);

/// Whether the checkpoint holds the classifier that was learned with the basis.
bool has_joint_classifier(const Checkpoint& checkpoint);

}  // namespace krica
