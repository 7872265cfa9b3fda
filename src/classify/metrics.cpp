// SPDX-License-Identifier: BSD-3-Clause
#include "classify/metrics.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/check.hpp"

namespace krica {
namespace {

/// The pairs of label and prediction that occur, sorted and counted.
std::vector<ConfusionCount> counted(std::span<const int> predicted, std::span<const int> labels) {
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) pairs.emplace_back(labels[i], predicted[i]);
  std::sort(pairs.begin(), pairs.end());
  std::vector<ConfusionCount> counts;
  for (const auto& [truth, prediction] : pairs) {
    const bool same =
        !counts.empty() && counts.back().truth == truth && counts.back().predicted == prediction;
    if (!same) counts.push_back({truth, prediction, 0});
    ++counts.back().count;
  }
  return counts;
}

}  // namespace

Evaluation evaluate_predictions(std::span<const int> predicted, std::span<const int> labels,
                                Index n_classes) {
  require(predicted.size() == labels.size() && !labels.empty(), "evaluate",
          "{} predictions for {} labels", predicted.size(), labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(
        labels[i] >= 0 && labels[i] < n_classes && predicted[i] >= 0 && predicted[i] < n_classes,
        "evaluate", "label {} or prediction {} at sample {} is not in 0 ... {}", labels[i],
        predicted[i], i, n_classes - 1);
  }
  Evaluation evaluation;
  evaluation.confusion = counted(predicted, labels);
  const auto classes = static_cast<std::size_t>(n_classes);
  std::vector<Index> samples(classes, 0);
  std::vector<Index> hits(classes, 0);
  for (const ConfusionCount& pair : evaluation.confusion) {
    const auto truth = static_cast<std::size_t>(pair.truth);
    samples[truth] += pair.count;
    if (pair.truth == pair.predicted) hits[truth] = pair.count;
  }
  Index right = 0;
  Index present = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    right += hits[c];
    const double part = static_cast<double>(hits[c]) / static_cast<double>(samples[c]);
    const bool occurs = samples[c] > 0;
    evaluation.per_class.push_back(occurs ? part : std::numeric_limits<double>::quiet_NaN());
    if (!occurs) continue;
    evaluation.mean_per_class += part;
    ++present;
  }
  evaluation.mean_per_class /= static_cast<double>(present);
  evaluation.accuracy = static_cast<double>(right) / static_cast<double>(labels.size());
  return evaluation;
}

std::vector<std::vector<Index>> confusion_matrix(const Evaluation& evaluation) {
  const std::size_t classes = evaluation.per_class.size();
  std::vector<std::vector<Index>> matrix(classes, std::vector<Index>(classes, 0));
  for (const ConfusionCount& pair : evaluation.confusion) {
    matrix[static_cast<std::size_t>(pair.truth)][static_cast<std::size_t>(pair.predicted)] =
        pair.count;
  }
  return matrix;
}

}  // namespace krica
