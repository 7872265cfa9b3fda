// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// How well predictions fit labels.
struct Evaluation {
  double accuracy = 0;                        ///< part of all samples that are right
  double mean_per_class = 0;                  ///< mean over the classes that have samples
  std::vector<double> per_class;              ///< NaN where a class has no sample
  std::vector<std::vector<Index>> confusion;  ///< [true class][predicted class]
};

/// Throws InvalidArgument for no samples, counts that differ, or classes outside 0 ... n_classes-1.
Evaluation evaluate_predictions(std::span<const int> predicted, std::span<const int> labels,
                                Index n_classes);

}  // namespace krica
