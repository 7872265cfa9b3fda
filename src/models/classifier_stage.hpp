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

/// If the SVM sees mirror images (trains_on_mirrors), makes the trainer hold out a stratified fifth
/// of the images, each with its mirror: the one would give the other away. `labels` are those of
/// the images, then those of their mirrors (WithMirrors). Returns whether there are images to hold
/// out; throws InvalidArgument if there are none and C is open.
bool hold_out_pairs(const Context& context, const std::vector<int>& labels,
                    const PipelineOptions& options, SvmTrainer& trainer);

/// Scales the features in place, unless they already are, and fits the SVM to them. Chooses
/// options.classifier.C if it is open. `images` have their mirrors if the SVM is to see them
/// (trains_on_mirrors). `temperature`: used if known; otherwise fitted if there are
/// images to hold out.
ClassifierParts fit_classifier(TrainingRun& run, const ImageSet& images, FeatureMatrix features,
                               std::optional<double> temperature, PipelineOptions& options);

}  // namespace krica
