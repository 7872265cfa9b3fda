// SPDX-License-Identifier: BSD-3-Clause
#include "krica/classify/linear_svm.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "krica/classify/splits.hpp"
#include "krica/data/views.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "svm";
constexpr Index kBlockRows = 256;
constexpr double kTrialTolerance = 1e-4;  // enough to compare values of C
constexpr Index kGroups = 16;             // partial gradients: fixed, so that bits are

/// a_i of every sample.
std::vector<float> sample_weights(std::span<const int> labels, Index n_classes, bool balanced) {
  std::vector<float> weights(labels.size(), 1.0F);
  if (!balanced) return weights;
  std::vector<double> counts(static_cast<std::size_t>(n_classes), 0.0);
  for (const int label : labels) counts[static_cast<std::size_t>(label)] += 1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double count = counts[static_cast<std::size_t>(labels[i])];
    weights[i] = static_cast<float>(static_cast<double>(labels.size()) /
                                    (static_cast<double>(n_classes) * count));
  }
  return weights;
}

/// The objective of the header, times 1/(C m), so that its scale does not depend on the data's
/// size.
class SquaredHinge final : public Objective<float> {
 public:
  SquaredHinge(const Context& context, ConstMatrixView<float> Z, std::span<const int> labels,
               Index n_classes, std::span<const float> weights, double C)
      : context_(context),
        Z_(Z),
        labels_(labels),
        n_classes_(n_classes),
        sample_weights_(weights),
        decay_(1.0 / (C * static_cast<double>(Z.rows()))) {}

  [[nodiscard]] Index rows() const override { return n_classes_; }
  [[nodiscard]] Index cols() const override { return Z_.cols() + 1; }

  double value_and_gradient(ConstMatrixView<float> W, MatrixView<float> gradient) override {
    const Partition groups(Z_.rows(), (Z_.rows() + kGroups - 1) / kGroups);
    std::vector<Matrix<float>> sums(static_cast<std::size_t>(groups.count()));
    const double loss = parallel_sum(context_, groups.count(), [&](Index g) {
      Matrix<float>& sum = sums[static_cast<std::size_t>(g)] = Matrix<float>(n_classes_, cols());
      return group_loss(groups[g], W, &sum);
    });
    const double scale = 1.0 / static_cast<double>(Z_.rows());
    parallel_for(context_, n_classes_, [&](Index c) {
      for (Index j = 0; j < cols(); ++j) {
        double total = 0;
        for (const auto& sum : sums) total += static_cast<double>(sum(c, j));
        gradient(c, j) = static_cast<float>(scale * total + decay_ * static_cast<double>(W(c, j)));
      }
    });
    return scale * loss + decay_ / 2 * squared_norm(W);
  }

  double value(ConstMatrixView<float> W) override {
    const Partition groups(Z_.rows(), (Z_.rows() + kGroups - 1) / kGroups);
    const double loss = parallel_sum(context_, groups.count(),
                                     [&](Index g) { return group_loss(groups[g], W, nullptr); });
    return loss / static_cast<double>(Z_.rows()) + decay_ / 2 * squared_norm(W);
  }

 private:
  static double squared_norm(ConstMatrixView<float> W) {
    double sum = 0;
    for (Index c = 0; c < W.rows(); ++c) {
      const float* row = W.data() + c * W.outerStride();
      sum += ordered_dot(row, row, W.cols());
    }
    return sum;
  }

  /// The loss of some samples; their gradient is added to `sum` where wanted.
  double group_loss(Range group, ConstMatrixView<float> W, Matrix<float>* sum) const {
    const Partition blocks(group.size(), kBlockRows);
    const Index F = Z_.cols();
    const ConstMatrixView<float> weights(W.data(), n_classes_, F, W.outerStride());
    Matrix<float> scores(blocks.largest(), n_classes_);
    double loss = 0;
    for (Index b = 0; b < blocks.count(); ++b) {
      context_.check_cancelled();
      const Range rows{group.begin + blocks[b].begin, group.begin + blocks[b].end};
      const ConstMatrixView<float> Z = Z_.rows_between(rows.begin, rows.end);
      const MatrixView<float> S = MatrixView<float>(scores).rows_between(0, rows.size());
      blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F, Z, weights, 0.0F, S);
      for (Index i = 0; i < rows.size(); ++i) loss += row_loss(rows.begin + i, W, scores.row(i));
      if (sum == nullptr) continue;
      const MatrixView<float> weight_sum(sum->data(), n_classes_, F, F + 1);
      blas::gemm<float>(blas::Op::kTransposed, blas::Op::kPlain, 1.0F, S, Z, 1.0F, weight_sum);
      for (Index i = 0; i < rows.size(); ++i) {
        for (Index c = 0; c < n_classes_; ++c) (*sum)(c, F) += scores(i, c);
      }
    }
    return loss;
  }

  /// On entry `row` holds w_c·z_i; on return the derivatives of the loss in the scores.
  double row_loss(Index i, ConstMatrixView<float> W, float* row) const {
    const float weight = sample_weights_[static_cast<std::size_t>(i)];
    const int label = labels_[static_cast<std::size_t>(i)];
    double loss = 0;
    for (Index c = 0; c < n_classes_; ++c) {
      const float y = c == label ? 1.0F : -1.0F;
      const float margin = std::max(0.0F, 1.0F - y * (row[c] + W(c, Z_.cols())));
      loss +=
          static_cast<double>(weight) * static_cast<double>(margin) * static_cast<double>(margin);
      row[c] = -2.0F * weight * y * margin;
    }
    return loss;
  }

  const Context& context_;
  ConstMatrixView<float> Z_;
  std::span<const int> labels_;
  Index n_classes_;
  std::span<const float> sample_weights_;
  double decay_;  // 1/(C m)
};

void check_training_data(ConstMatrixView<float> features, std::span<const int> labels,
                         Index n_classes) {
  require_not_empty(features, kName, "features");
  require(static_cast<Index>(labels.size()) == features.rows(), kName, "{} labels for {} samples",
          labels.size(), features.rows());
  require(n_classes >= 2, kName, "at least 2 classes are needed, got {}", n_classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] >= 0 && labels[i] < n_classes, kName,
            "label {} at sample {} is not in 0 ... {}", labels[i], i, n_classes - 1);
  }
  const bool one_class =
      std::all_of(labels.begin(), labels.end(), [&](int label) { return label == labels[0]; });
  require(!one_class, kName, "all {} samples are of class {}", labels.size(), labels[0]);
  require_finite(features, kName, "features");
}

}  // namespace

void SvmOptions::validate() const {
  require(std::isfinite(C) && C > 0, kName, "C must be finite and > 0, got {}", C);
  require(max_iterations >= 0, kName, "max_iterations must be >= 0, got {}", max_iterations);
  require(tolerance >= 0, kName, "tolerance must be >= 0, got {}", tolerance);
}

LinearSvm LinearSvm::fit(const Context& context, ConstMatrixView<float> features,
                         std::span<const int> labels, Index n_classes, const SvmOptions& options,
                         const LinearSvm* start, const SolverHooks& hooks, const Archive* state) {
  check_training_data(features, labels, n_classes);
  const std::vector<float> weights = sample_weights(labels, n_classes, options.balanced);
  return fit_weighted(context, features, labels, n_classes, options, weights, start, hooks, state);
}

LinearSvm LinearSvm::fit_weighted(const Context& context, ConstMatrixView<float> features,
                                  std::span<const int> labels, Index n_classes,
                                  const SvmOptions& options, std::span<const float> weights,
                                  const LinearSvm* start, const SolverHooks& hooks,
                                  const Archive* state) {
  options.validate();
  SquaredHinge objective(context, features, labels, n_classes, weights, options.C);
  Lbfgs<float> solver({.max_iterations = options.max_iterations,
                       .gradient_tolerance = 1e-7,
                       .value_tolerance = options.tolerance},
                      hooks);
  const Matrix<float> zeros(n_classes, features.cols() + 1);
  const ConstMatrixView<float> from =
      start != nullptr ? start->weights() : ConstMatrixView<float>(zeros);
  SolverResult<float> result = state != nullptr ? solver.resume(context, objective, *state)
                                                : solver.minimize(context, objective, from);
  if (result.status == Status::kCancelled) {
    if (hooks.checkpoint) hooks.checkpoint(result.state);
    throw Cancelled();
  }
  LinearSvm svm;
  svm.weights_ = std::move(result.best);
  svm.objective_ = result.value * options.C * static_cast<double>(features.rows());
  return svm;
}

Matrix<float> LinearSvm::scores(const Context& context, ConstMatrixView<float> features) const {
  require(features.cols() == n_features(), kName, "{} features where {} were learned",
          features.cols(), n_features());
  Matrix<float> scores(features.rows(), n_classes());
  const ConstMatrixView<float> weights(weights_.data(), n_classes(), n_features(), weights_.cols());
  const Partition tiles(features.rows(), kBlockRows);
  parallel_for(context, tiles.count(), [&](Index t) {
    const Range tile = tiles[t];
    blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F,
                      features.rows_between(tile.begin, tile.end), weights, 0.0F,
                      MatrixView<float>(scores).rows_between(tile.begin, tile.end));
    for (Index i = tile.begin; i < tile.end; ++i) {
      for (Index c = 0; c < n_classes(); ++c) scores(i, c) += weights_(c, n_features());
    }
  });
  return scores;
}

std::vector<int> best_classes(ConstMatrixView<float> scores) {
  std::vector<int> classes;
  for (Index i = 0; i < scores.rows(); ++i) {
    const float* row = scores.data() + i * scores.outerStride();
    classes.push_back(static_cast<int>(std::max_element(row, row + scores.cols()) - row));
  }
  return classes;
}

std::vector<int> LinearSvm::predict(const Context& context, ConstMatrixView<float> features) const {
  return best_classes(scores(context, features));
}

void LinearSvm::save(Archive& archive) const { archive.put("svm.weights", weights_); }

LinearSvm LinearSvm::load(const Archive& archive) {
  LinearSvm svm;
  svm.weights_ = archive.matrix<float>("svm.weights");
  if (svm.weights_.rows() < 2 || svm.weights_.cols() < 2)
    throw DataError("[svm] the saved weights are too small");
  return svm;
}

ChosenC choose_svm_c(const Context& context, ConstMatrixView<float> features,
                     std::span<const int> labels, Index n_classes, const SvmOptions& options) {
  // C times the samples.
  constexpr std::array<double, 9> kCandidates = {0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};
  check_training_data(features, labels, n_classes);
  const Split split = stratified_split({labels.begin(), labels.end()}, 0.2, context.seed());
  require(!split.test.empty(), kName,
          "no class has two samples, so none can be held out to choose C; give a C");
  // Held-out samples weigh nothing, which saves a copy of the features.
  std::vector<float> weights = sample_weights(labels, n_classes, options.balanced);
  for (const Index i : split.test) weights[static_cast<std::size_t>(i)] = 0;
  const std::vector<int> held_labels = values_at(labels, split.test);
  // A fall of two standard errors, and of at least a point, ends the search: a larger C only
  // overfits more.
  const double past_the_peak =
      std::max(0.01, 1 / std::sqrt(static_cast<double>(held_labels.size())));
  ChosenC chosen;
  double best = -1;
  LinearSvm svm;
  for (const double candidate : kCandidates) {
    SvmOptions trial = options;
    trial.tolerance = kTrialTolerance;
    trial.C = candidate / static_cast<double>(features.rows());
    const LinearSvm* start = chosen.tried.empty() ? nullptr : &svm;
    svm = LinearSvm::fit_weighted(context, features, labels, n_classes, trial, weights, start, {},
                                  nullptr);
    const double accuracy =
        accuracy_of(values_at(svm.predict(context, features), split.test), held_labels);
    chosen.tried.emplace_back(trial.C, accuracy);
    context.report(
        {"svm-c", static_cast<Index>(chosen.tried.size()), kCandidates.size(), accuracy});
    if (accuracy > best) {
      best = accuracy;
      chosen.C = trial.C;
    } else if (accuracy < best - past_the_peak) {
      break;
    }
  }
  return chosen;
}

}  // namespace krica
