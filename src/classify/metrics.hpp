// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// Samples of one class that were taken for the same class.
struct ConfusionCount {
  int truth = 0;
  int predicted = 0;
  Index count = 0;

  bool operator==(const ConfusionCount&) const = default;
};

/// How well predictions fit labels.
struct Evaluation {
  double accuracy = 0;            ///< part of all samples that are right
  double mean_per_class = 0;      ///< mean over the classes that have samples
  std::vector<double> per_class;  ///< NaN where a class has no sample
  /// The pairs of classes that occur, by truth, then prediction: of many classes, few of all pairs.
  std::vector<ConfusionCount> confusion;
};

/// Throws InvalidArgument for no samples, counts that differ, or classes outside 0 ... n_classes-1.
Evaluation evaluate_predictions(std::span<const int> predicted, std::span<const int> labels,
                                Index n_classes);

/// All counts, [true class][predicted class]: for few classes.
std::vector<std::vector<Index>> confusion_matrix(const Evaluation& evaluation);

}  // namespace krica
