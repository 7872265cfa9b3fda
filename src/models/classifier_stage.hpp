// SPDX-License-Identifier: BSD-3-Clause
//
// From features to a classifier: the last stages of training.
#pragma once

#include "models/model_parts.hpp"
#include "models/stage_results.hpp"
#include "models/training_run.hpp"

namespace krica {

/// The features of every image, stored in a file next to the checkpoint if there is one; raw pixels
/// without an extractor.
FeatureMatrix extract_features(TrainingRun& run, const ImageFeatures* extractor,
                               const ImageSet& input);

/// Those of the SVM, for features as it sees them: unless they are standardised, the search for C
/// goes by their mean length.
SvmOptions svm_options_of(const Context& context, const PipelineOptions& options,
                          ConstMatrixView<float> features);

/// Scales the features in place, unless they already are, and fits the SVM to them. Chooses
/// options.classifier.C if it is open. `temperature`: used if known; otherwise fitted if there are
/// images to hold out.
ClassifierParts fit_classifier(TrainingRun& run, const ImageSet& images, FeatureMatrix features,
                               std::optional<double> temperature, PipelineOptions& options);

}  // namespace krica
