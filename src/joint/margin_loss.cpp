// SPDX-License-Identifier: BSD-3-Clause
#include "joint/margin_loss.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

constexpr NameTable<MarginLoss, 2> kLosses = {{
    {MarginLoss::kSquaredHinge, "squared-hinge"},
    {MarginLoss::kCrossEntropy, "cross-entropy"},
}};

/// One image; replaces the row with the derivative, not yet divided by the number of images.
template <class Scalar>
double squared_hinge(int label, Scalar* scores, Index classes) {
  double loss = 0;
  for (Index c = 0; c < classes; ++c) {
    const double y = c == label ? 1 : -1;
    // Not std::max, which would turn NaN into 0.
    const double margin = 1 - y * static_cast<double>(scores[c]);
    const double violation = margin < 0 ? 0 : margin;
    loss += violation * violation;
    scores[c] = static_cast<Scalar>(-2 * y * violation);
  }
  return loss;
}

template <class Scalar>
double cross_entropy(int label, Scalar* scores, Index classes) {
  const auto largest = static_cast<double>(*std::max_element(scores, scores + classes));
  double sum = 0;
  for (Index c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(scores[c]) - largest);
  const double loss = std::log(sum) + largest - static_cast<double>(scores[label]);
  for (Index c = 0; c < classes; ++c) {
    const double probability = std::exp(static_cast<double>(scores[c]) - largest) / sum;
    scores[c] = static_cast<Scalar>(probability - (c == label ? 1 : 0));
  }
  return loss;
}

}  // namespace

std::string_view name_of(MarginLoss loss) { return find_name(kLosses, loss); }
MarginLoss margin_loss(std::string_view name) { return find_value(kLosses, name, "loss"); }

template <class Scalar>
double loss_and_derivative(MarginLoss loss, std::span<const int> labels,
                           MatrixView<Scalar> scores) {
  require(static_cast<Index>(labels.size()) == scores.rows(), "max-margin",
          "{} labels for {} images", labels.size(), scores.rows());
  std::vector<double> losses;
  for (Index i = 0; i < scores.rows(); ++i) {
    const int label = labels[static_cast<std::size_t>(i)];
    require(label >= 0 && label < scores.cols(), "max-margin",
            "label {} at image {} is not in 0 ... {}", label, i, scores.cols() - 1);
    Scalar* row = scores.data() + i * scores.outerStride();
    losses.push_back(loss == MarginLoss::kSquaredHinge ? squared_hinge(label, row, scores.cols())
                                                       : cross_entropy(label, row, scores.cols()));
  }
  const double scale = 1 / static_cast<double>(scores.rows());
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index c = 0; c < scores.cols(); ++c)
      scores(i, c) = static_cast<Scalar>(static_cast<double>(scores(i, c)) * scale);
  }
  return tree_sum(std::move(losses)) * scale;
}

std::vector<double> best_constant_scores(MarginLoss loss, std::span<const int> labels,
                                         Index n_classes) {
  std::vector<double> scores(static_cast<std::size_t>(n_classes), 0.0);
  for (const int label : labels) scores.at(static_cast<std::size_t>(label)) += 1;
  for (double& score : scores) {
    const auto total = static_cast<double>(labels.size());
    score = loss == MarginLoss::kSquaredHinge ? 2 * score / total - 1
                                              : std::log(std::max(score, 1.0) / total);
  }
  return scores;
}

template double loss_and_derivative(MarginLoss, std::span<const int>, MatrixView<float>);
template double loss_and_derivative(MarginLoss, std::span<const int>, MatrixView<double>);

}  // namespace krica
