// SPDX-License-Identifier: BSD-3-Clause
//
// The results of one trained and tested model: everything that a report shows except the pictures,
// which are drawn from the model and the images.
#pragma once

#include <string>
#include <vector>

#include "classify/metrics.hpp"
#include "krica/models/training.hpp"

namespace krica {

/// A misclassified image, ranked by how much the predicted class's score exceeds the true one's.
struct Mistake {
  Index image = 0;  ///< in the test set
  int truth = 0;
  int predicted = 0;
  double margin = 0;
};

/// The distribution of the codes of single patches, sampled from some test images.
struct CodeStatistics {
  double lowest = 0;
  double highest = 0;
  std::vector<Index> counts;  ///< in bins of equal width from lowest to highest; empty: no codes
  double small = 0;  ///< fraction of codes below a hundredth of the largest, in absolute value
  double sparsity = 0;  ///< Hoyer's (√K - ‖s‖₁/‖s‖₂)/(√K - 1), mean: 0 all equal, 1 one active
};

struct Trial {
  PipelineOptions options;  ///< resolved: gamma and svm_c as used
  std::string fingerprint;  ///< of the images that the basis was learned from
  Index train_images = 0;
  std::vector<std::string> class_names;
  std::vector<int> labels;        ///< of the test images; empty: not tested
  std::vector<int> predictions;   ///< for them
  std::vector<Mistake> mistakes;  ///< most confident first
  std::string basis_status;
  std::vector<double> objective;          ///< of the basis solver, one per iteration or epoch
  std::vector<double> held_out_accuracy;  ///< max-margin-krica: one per epoch
  CodeStatistics codes;
  std::vector<StageTime> stages;
  bool resumed = false;  ///< the stages are only those since resuming
  std::string warning;

  /// From labels and predictions. Throws InvalidArgument if there are none.
  [[nodiscard]] Evaluation evaluation() const;
};

/// The trial of a model whose training gave `report`, without a test.
Trial trial_of(const Model& model, const TrainingReport& report, Index train_images);

/// Adds the test results from `scores` (images × classes), and the codes of some test images.
/// Throws InvalidArgument if the images are unlabelled or have other classes.
void add_test(const Model& model, const Matrix<float>& scores, const ImageSet& test, Trial& trial);

}  // namespace krica
