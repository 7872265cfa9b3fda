// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// The number of samples with this pair of true and predicted class.
struct ConfusionCount {
  int truth = 0;
  int predicted = 0;
  Index count = 0;

  bool operator==(const ConfusionCount&) const = default;
};

/// How well predictions match labels.
struct Evaluation {
  double accuracy = 0;            ///< fraction of correct samples
  double mean_per_class = 0;      ///< mean over the classes that have samples
  std::vector<double> per_class;  ///< NaN for classes without samples
  /// The pairs that occur, by true, then predicted class: with many classes, few of all pairs.
  std::vector<ConfusionCount> confusion;
};

/// Throws InvalidArgument for no samples, differing counts, or classes outside 0 ... n_classes-1.
Evaluation evaluate_predictions(std::span<const int> predicted, std::span<const int> labels,
                                Index n_classes);

/// All counts, [true class][predicted class]: for few classes.
std::vector<std::vector<Index>> confusion_matrix(const Evaluation& evaluation);

}  // namespace krica
