// SPDX-License-Identifier: BSD-3-Clause
//
// From features to a classifier: the last stages of training.
#pragma once

#include "models/model_parts.hpp"
#include "models/stage_results.hpp"
#include "models/training_run.hpp"

namespace krica {

/// The features of every image, kept in a file beside the checkpoint where there is one; raw pixels
/// without an extractor.
FeatureMatrix extract_features(TrainingRun& run, const FeatureExtractor* extractor,
                               const ImageSet& input);

/// Standardises the features in place and fits the SVM to them. Settles options.classifier.C where
/// it is open. `temperature`: known already, else it is fitted where there are images to hold out.
ClassifierParts fit_classifier(TrainingRun& run, const ImageSet& images, FeatureMatrix features,
                               std::optional<double> temperature, PipelineOptions& options);

}  // namespace krica
