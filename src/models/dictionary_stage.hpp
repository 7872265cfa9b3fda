// SPDX-License-Identifier: BSD-3-Clause
//
// Dictionaries that classify (d-ksvd, lc-ksvd): the last stage of training on images, and what
// samples need of it.
#pragma once

#include "models/model_parts.hpp"
#include "models/training_run.hpp"

namespace krica {

/// A classifier of codes from the map that was learned with their dictionary (classes × atoms).
ClassifierParts classifier_from(const Matrix<float>& class_map, std::optional<double> temperature);

/// The temperature of a dictionary's scores, from samples held out of another one like it that is
/// learned for the purpose; none if no sample can be held out. `samples` are what the dictionary
/// codes.
std::optional<double> calibrate_dictionary(TrainingRun& run, ConstMatrixView<float> samples,
                                           std::span<const int> labels,
                                           const PipelineOptions& options);

/// Throws InvalidArgument if the dictionary cannot start from that many images of each class:
/// before anything is learned, because features take long.
void check_dictionary(const ImageSet& images, const PipelineOptions& settled);

/// Learns the dictionary on principal components of the features of images. Its status and history
/// take the place of those of its words in `parts`, and the report says if it is in trouble. Throws
/// Cancelled.
ClassifierParts fit_dictionary(TrainingRun& run, const ImageSet& images, FeatureMatrix features,
                               Model::Parts& parts);

}  // namespace krica
