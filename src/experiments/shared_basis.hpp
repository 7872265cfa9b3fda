// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "experiments/experiment.hpp"
#include "krica/models/training.hpp"
#include "models/model_parts.hpp"

namespace krica {

/// A model and its results on a split's test images.
struct TestedModel {
  Model model;
  TrainingReport report;
  Matrix<float> scores;
};

/// A basis learned once without labels, from the unlabelled images if there are any, and its
/// features of all images; each split fits its own classifier to them: an SVM, or for d-ksvd and
/// lc-ksvd the dictionary that codes the features.
class SharedBasis {
 public:
  /// Learns the basis and extracts the features. Throws like train().
  SharedBasis(const Context& context, const DataSet& data, const Configuration& configuration,
              const std::filesystem::path& checkpoint);

  [[nodiscard]] TestedModel test(const Context& context, const TrialSplit& split) const;

 private:
  [[nodiscard]] FeatureMatrix extracted(const Context& context, const ImageSet& images) const;
  [[nodiscard]] ClassifierParts fit(const Context& context, const ImageSet& images,
                                    FeatureMatrix features, Model::Parts& parts,
                                    TrainingReport& report) const;
  [[nodiscard]] Matrix<float> test_scores(const Context& context, const TrialSplit& split,
                                          const ClassifierParts& classifier) const;

  const DataSet& data_;
  PipelineOptions settled_;  // of features and classifier
  TrainingReport report_;
  Model basis_;
  bool mirrors_ = false;  // features have rows for mirror images, after all others
  FeatureMatrix train_features_;
  std::optional<FeatureMatrix> test_features_;  // if a split is evaluated on the test part
};

}  // namespace krica
