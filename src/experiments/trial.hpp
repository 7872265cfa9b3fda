// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of one trained and tested model: everything that a report shows of it except the
// pictures, which are drawn from the model and the images.
#pragma once

#include <string>
#include <vector>

#include "classify/metrics.hpp"
#include "krica/models/training.hpp"

namespace krica {

/// A wrong answer, by how far the predicted class' score lay above the true one's.
struct Mistake {
  Index image = 0;  ///< in the test set
  int truth = 0;
  int predicted = 0;
  double margin = 0;
};

/// How codes of single patches are distributed, over patches spread over some test images.
struct CodeStatistics {
  double lowest = 0;
  double highest = 0;
  std::vector<Index> counts;  ///< of bins of equal width from lowest to highest; empty: no codes
  double small = 0;  ///< part of the codes below a hundredth of the largest, in absolute value
  double sparsity = 0;  ///< Hoyer's (√K - ‖s‖₁/‖s‖₂)/(√K - 1), mean: 0 all equal, 1 one active
};

struct Trial {
  PipelineOptions options;  ///< settled: gamma and svm_c as they were used
  std::string fingerprint;  ///< of the images that the basis was learned from
  Index train_images = 0;
  std::vector<std::string> class_names;
  std::vector<int> labels;        ///< of the test images; empty: nothing was tested
  std::vector<int> predictions;   ///< for them
  std::vector<Mistake> mistakes;  ///< the most confident ones, worst first
  std::string basis_status;
  std::vector<double> objective;          ///< of the basis' solver, one an iteration or epoch
  std::vector<double> held_out_accuracy;  ///< max-margin-krica: one an epoch
  CodeStatistics codes;
  std::vector<StageTime> stages;
  bool resumed = false;  ///< the stages are those since it went on
  std::string warning;

  /// From labels and predictions. Throws InvalidArgument where there are none.
  [[nodiscard]] Evaluation evaluation() const;
};

/// The trial of a model whose training gave `report`, without test.
Trial trial_of(const Model& model, const TrainingReport& report, Index train_images);

/// Adds what `scores` (images × classes) say of the test images, and the codes of some of them.
/// Throws InvalidArgument where the images have no labels or others than the classes.
void add_test(const Model& model, const Matrix<float>& scores, const ImageSet& test, Trial& trial);

}  // namespace krica
