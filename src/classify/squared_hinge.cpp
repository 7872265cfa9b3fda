// SPDX-License-Identifier: BSD-3-Clause
#include "classify/squared_hinge.hpp"

#include <algorithm>
#include <vector>

#include "classify/class_products.hpp"
#include "device/hinge_sums.hpp"
#include "device/use_device.hpp"
#include "runtime/reduce_in_turn.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

constexpr Index kBlockRows = 32;  // few enough to stay in the cache between the two products
constexpr Index kPartRows = 128;  // minimum, to pay for adding the gradient of a part

double squared_norm(ConstMatrixView<float> W) {
  double sum = 0;
  for (Index c = 0; c < W.rows(); ++c) {
    const float* row = W.data() + c * W.outerStride();
    sum += ordered_dot(row, row, W.cols());
  }
  return sum;
}

}  // namespace

SquaredHinge::SquaredHinge(ConstMatrixView<float> Z, std::span<const int> labels, Index n_classes,
                           std::span<const float> weights, double C, device::HingeSums* on_device)
    : Z_(Z),
      labels_(labels),
      n_classes_(n_classes),
      sample_weights_(weights),
      decay_(1.0 / (C * static_cast<double>(Z.rows()))),
      on_device_(on_device) {}

/// Sums of the losses and, if it has rows, of their gradient.
struct SquaredHinge::Sums {
  double loss = 0;
  Matrix<float> gradient;

  static auto members(auto& sums) { return std::tie(sums.loss, sums.gradient); }
};

double SquaredHinge::value_and_gradient(const Context& context, ConstMatrixView<float> W,
                                        MatrixView<float> gradient) {
  const Sums sums = sums_over_samples(context, W, true);
  const double scale = 1.0 / static_cast<double>(Z_.rows());
  gradient =
      (scale * sums.gradient.view().cast<double>() + decay_ * W.cast<double>()).cast<float>();
  return scale * sums.loss + decay_ / 2 * squared_norm(W);
}

double SquaredHinge::value(const Context& context, ConstMatrixView<float> W) {
  const double loss = sums_over_samples(context, W, false).loss;
  return loss / static_cast<double>(Z_.rows()) + decay_ / 2 * squared_norm(W);
}

SquaredHinge::Sums SquaredHinge::sums_over_samples(const Context& context, ConstMatrixView<float> W,
                                                   bool with_gradient) const {
  if (on_device_ != nullptr) return sums_on_device(context, W, with_gradient);
  const auto scores = scores_of(W);
  const Partition parts = sum_parts(Z_.rows(), kPartRows);
  return ordered_reduce<Sums>(
      context, parts.count(), work_of(Z_.size(), n_classes_, with_gradient ? 4 : 2),
      [&] {
        return Sums{0, Matrix<float>(with_gradient ? n_classes_ : 0, cols())};
      },
      [&](Index part, Sums& sums) {
        for_tiles(parts[part], kBlockRows,
                  [&](Range rows) { add_block(context, rows, W, *scores, sums); });
      });
}

/// Ranks share the groups; one group is computed by all of them.
SquaredHinge::Sums SquaredHinge::sums_on_device(const Context& context, ConstMatrixView<float> W,
                                                bool with_gradient) const {
  context.check_cancelled();
  const Index groups = on_device_->groups;
  const Partition parts(Z_.rows(), (Z_.rows() + groups - 1) / groups);
  const Matrix<float> weights = Matrix<float>::copy_of(W);
  return reduce_in_turn<Sums>(
      parts.count() > 1 ? dividing(context) : context, parts.count(),
      [&] {
        return Sums{0, Matrix<float>(with_gradient ? n_classes_ : 0, cols())};
      },
      [&](Index part, Sums& sums) {
        device::use_device(context);
        const Range rows = parts[part];
        sums.loss =
            on_device_->evaluate({rows.begin, rows.size()},
                                 sample_weights_.subspan(static_cast<std::size_t>(rows.begin),
                                                         static_cast<std::size_t>(rows.size())),
                                 weights.data(), with_gradient ? sums.gradient.data() : nullptr);
      });
}

/// Scores of the weights, without the biases.
std::unique_ptr<const ClassScores> SquaredHinge::scores_of(ConstMatrixView<float> W) const {
  return ClassScores::of(ConstMatrixView<float>(W.data(), n_classes_, Z_.cols(), W.outerStride()));
}

void SquaredHinge::add_block(const Context& context, Range rows, ConstMatrixView<float> W,
                             const ClassScores& class_scores, Sums& sums) const {
  context.check_cancelled();
  const Index F = Z_.cols();
  const ConstMatrixView<float> Z = Z_.rows_between(rows.begin, rows.end);
  Matrix<float> scores(rows.size(), n_classes_);
  class_scores.compute(Z, scores);
  for (Index i = 0; i < rows.size(); ++i) sums.loss += row_loss(rows.begin + i, W, scores.row(i));
  if (sums.gradient.rows() == 0) return;
  add_class_products(scores, Z, MatrixView<float>(sums.gradient.data(), n_classes_, F, F + 1));
  for (Index i = 0; i < rows.size(); ++i) {
    for (Index c = 0; c < n_classes_; ++c) sums.gradient(c, F) += scores(i, c);
  }
}

/// In: w_c·z_i; out: the derivatives of the loss with respect to the scores.
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
