// SPDX-License-Identifier: BSD-3-Clause
#include "classify/squared_hinge.hpp"

#include <algorithm>
#include <vector>

#include "classify/class_products.hpp"

namespace krica {
namespace {

constexpr Index kBlockRows = 32;  // few enough to stay in the cache between the two products
constexpr Index kGroups = 16;     // partial gradients: fixed, so that bits are

double squared_norm(ConstMatrixView<float> W) {
  double sum = 0;
  for (Index c = 0; c < W.rows(); ++c) {
    const float* row = W.data() + c * W.outerStride();
    sum += ordered_dot(row, row, W.cols());
  }
  return sum;
}

}  // namespace

SquaredHinge::SquaredHinge(const Context& context, ConstMatrixView<float> Z,
                           std::span<const int> labels, Index n_classes,
                           std::span<const float> weights, double C)
    : context_(context),
      Z_(Z),
      labels_(labels),
      n_classes_(n_classes),
      sample_weights_(weights),
      decay_(1.0 / (C * static_cast<double>(Z.rows()))) {}

double SquaredHinge::value_and_gradient(ConstMatrixView<float> W, MatrixView<float> gradient) {
  const Partition groups(Z_.rows(), (Z_.rows() + kGroups - 1) / kGroups);
  std::vector<Matrix<float>> sums(static_cast<std::size_t>(groups.count()));
  const auto scores = scores_of(W);
  const double loss = parallel_sum(context_, groups.count(), Work{2 * operations()}, [&](Index g) {
    Matrix<float>& sum = sums[static_cast<std::size_t>(g)] = Matrix<float>(n_classes_, cols());
    return group_loss(groups[g], W, *scores, &sum);
  });
  const double scale = 1.0 / static_cast<double>(Z_.rows());
  parallel_for(context_, n_classes_, work_of(groups.count(), gradient.size()), [&](Index c) {
    for (Index j = 0; j < cols(); ++j) {
      double total = 0;
      for (const auto& sum : sums) total += static_cast<double>(sum(c, j));
      gradient(c, j) = static_cast<float>(scale * total + decay_ * static_cast<double>(W(c, j)));
    }
  });
  return scale * loss + decay_ / 2 * squared_norm(W);
}

double SquaredHinge::value(ConstMatrixView<float> W) {
  const Partition groups(Z_.rows(), (Z_.rows() + kGroups - 1) / kGroups);
  const auto scores = scores_of(W);
  const double loss = parallel_sum(context_, groups.count(), Work{operations()}, [&](Index g) {
    return group_loss(groups[g], W, *scores, nullptr);
  });
  return loss / static_cast<double>(Z_.rows()) + decay_ / 2 * squared_norm(W);
}

/// Of all scores.
double SquaredHinge::operations() const {
  return 2.0 * static_cast<double>(Z_.size()) * static_cast<double>(n_classes_);
}

/// Of the weights without the biases.
std::unique_ptr<const ClassScores> SquaredHinge::scores_of(ConstMatrixView<float> W) const {
  return ClassScores::of(ConstMatrixView<float>(W.data(), n_classes_, Z_.cols(), W.outerStride()));
}

/// The loss of some samples; their gradient is added to `sum` where wanted.
double SquaredHinge::group_loss(Range group, ConstMatrixView<float> W,
                                const ClassScores& class_scores, Matrix<float>* sum) const {
  const Partition blocks(group.size(), kBlockRows);
  const Index F = Z_.cols();
  Matrix<float> scores(blocks.largest(), n_classes_);
  double loss = 0;
  for (Index b = 0; b < blocks.count(); ++b) {
    context_.check_cancelled();
    const Range rows{group.begin + blocks[b].begin, group.begin + blocks[b].end};
    const ConstMatrixView<float> Z = Z_.rows_between(rows.begin, rows.end);
    const MatrixView<float> S = MatrixView<float>(scores).rows_between(0, rows.size());
    class_scores.compute(Z, S);
    for (Index i = 0; i < rows.size(); ++i) loss += row_loss(rows.begin + i, W, scores.row(i));
    if (sum == nullptr) continue;
    add_class_products(S, Z, MatrixView<float>(sum->data(), n_classes_, F, F + 1));
    for (Index i = 0; i < rows.size(); ++i) {
      for (Index c = 0; c < n_classes_; ++c) (*sum)(c, F) += scores(i, c);
    }
  }
  return loss;
}

/// On entry `row` holds w_c·z_i; on return the derivatives of the loss in the scores.
double SquaredHinge::row_loss(Index i, ConstMatrixView<float> W, float* row) const {
  const float weight = sample_weights_[static_cast<std::size_t>(i)];
  const int label = labels_[static_cast<std::size_t>(i)];
  double loss = 0;
  for (Index c = 0; c < n_classes_; ++c) {
    const float y = c == label ? 1.0F : -1.0F;
    const float margin = std::max(0.0F, 1.0F - y * (row[c] + W(c, Z_.cols())));
    loss += static_cast<double>(weight) * static_cast<double>(margin) * static_cast<double>(margin);
    row[c] = -2.0F * weight * y * margin;
  }
  return loss;
}

}  // namespace krica
