// SPDX-License-Identifier: BSD-3-Clause
#include "classify/metrics.hpp"

#include <cmath>
#include <limits>

#include "runtime/check.hpp"

namespace krica {

Evaluation evaluate_predictions(std::span<const int> predicted, std::span<const int> labels,
                                Index n_classes) {
  require(predicted.size() == labels.size() && !labels.empty(), "evaluate",
          "{} predictions for {} labels", predicted.size(), labels.size());
  const auto classes = static_cast<std::size_t>(n_classes);
  Evaluation evaluation;
  evaluation.confusion.assign(classes, std::vector<Index>(classes, 0));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(
        labels[i] >= 0 && labels[i] < n_classes && predicted[i] >= 0 && predicted[i] < n_classes,
        "evaluate", "label {} or prediction {} at sample {} is not in 0 ... {}", labels[i],
        predicted[i], i, n_classes - 1);
    ++evaluation
          .confusion[static_cast<std::size_t>(labels[i])][static_cast<std::size_t>(predicted[i])];
  }
  Index right = 0;
  Index present = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    Index count = 0;
    for (const Index cell : evaluation.confusion[c]) count += cell;
    const Index hits = evaluation.confusion[c][c];
    right += hits;
    const double part = static_cast<double>(hits) / static_cast<double>(count);
    evaluation.per_class.push_back(count > 0 ? part : std::numeric_limits<double>::quiet_NaN());
    if (count == 0) continue;
    evaluation.mean_per_class += part;
    ++present;
  }
  evaluation.mean_per_class /= static_cast<double>(present);
  evaluation.accuracy = static_cast<double>(right) / static_cast<double>(labels.size());
  return evaluation;
}

}  // namespace krica
