// SPDX-License-Identifier: BSD-3-Clause
//
// One-vs-all linear support vector machines with the squared hinge (L2-SVM), dense float32:
//
//   min over w_c, b_c of  ½ Σ_c (‖w_c‖² + b_c²) + C Σ_i a_i Σ_c max(0, 1 - y_ic (w_c·z_i + b_c))²
//
// y_ic is +1 if sample i belongs to class c, otherwise -1; a_i = 1, or with balanced weights m /
// (classes · samples of i's class). The bias is penalised like the other weights, as with
// LIBLINEAR's -s 2 -B 1; C has the same meaning as in LIBLINEAR.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

struct KRICA_EXPORT SvmOptions {
  double C = 0.01;             ///< > 0
  bool balanced = false;       ///< all classes have the same weight, whatever their size
  Index max_iterations = 500;  ///< of L-BFGS
  double tolerance = 1e-6;     ///< stops when the relative decrease of the objective is below this
  /// Multiplies the values of C that a search tries, > 0. 1 suits standardised features; others of
  /// a mean squared length L need about 100 / L.
  double c_unit = 1;

  void validate() const;
};

class KRICA_EXPORT LinearClassifier {
 public:
  LinearClassifier() = default;

  /// n_classes × (F + 1), the bias last.
  LinearClassifier(Matrix<float> weights, double objective);

  /// features m×F, labels 0 ... n_classes-1. A non-null `state` resumes an interrupted fit; the
  /// result is identical to that of an uninterrupted one. Throws InvalidArgument for a single
  /// class, labels out of range, wrong counts, NaN or Inf. When cancelled, passes its state to
  /// hooks.checkpoint and throws Cancelled. For several fits on the same features see SvmTrainer.
  static LinearClassifier fit(const Context& context, ConstMatrixView<float> features,
                              std::span<const int> labels, Index n_classes,
                              const SvmOptions& options, const SolverHooks& hooks = {},
                              const Archive* state = nullptr);

  [[nodiscard]] Index n_classes() const { return weights_.rows(); }
  [[nodiscard]] Index n_features() const { return weights_.cols() - 1; }
  /// n_classes × (F + 1), the bias last.
  [[nodiscard]] ConstMatrixView<float> weights() const { return weights_; }
  [[nodiscard]] double objective() const { return objective_; }

  /// w_c·z + b_c: samples × classes.
  [[nodiscard]] Matrix<float> scores(const Context& context, ConstMatrixView<float> features) const;
  /// The class with the highest score (the first one on ties).
  [[nodiscard]] std::vector<int> predict(const Context& context,
                                         ConstMatrixView<float> features) const;

  void save(Archive& archive) const;
  static LinearClassifier load(const Archive& archive);

 private:
  Matrix<float> weights_;
  double objective_ = 0;
};

/// The index of the largest score in each row.
KRICA_EXPORT std::vector<int> best_classes(ConstMatrixView<float> scores);

namespace device {
class HingeSums;
}

/// C chosen on held-out samples from 1/m ... 10000/m, with the accuracy of each candidate. Ties go
/// to the smaller C.
struct ChosenC {
  double C = 0;
  std::vector<std::pair<double, double>> tried;  ///< C and held-out accuracy
};

/// Scores of samples by a classifier that was not trained on them; empty if no samples could be
/// held out.
struct HeldOutScores {
  Matrix<float> scores;  ///< samples × classes
  std::vector<int> labels;
};

/// Fits of LinearClassifier on the same samples that differ only in C: everything independent of C
/// (checks, Gram matrices) is computed once. If there are fewer samples than features (m <= 3/4 F,
/// m <= 8192), the problem is solved in the span of the samples.
///
///   SvmTrainer trainer(context, features, labels, 10, {});
///   const ChosenC chosen = trainer.choose_c();
///   const LinearClassifier svm = trainer.fit(chosen.C);
class KRICA_EXPORT SvmTrainer {
 public:
  /// The views must outlive the trainer; options.C is ignored. Throws like LinearClassifier::fit.
  SvmTrainer(const Context& context, ConstMatrixView<float> features, std::span<const int> labels,
             Index n_classes, const SvmOptions& options);
  SvmTrainer(const SvmTrainer&) = delete;
  SvmTrainer& operator=(const SvmTrainer&) = delete;
  ~SvmTrainer();

  /// The samples that choose_c and held_out_scores exclude from their fits. Default: a stratified
  /// fifth, drawn with the context's seed.
  void hold_out(std::vector<Index> samples) { held_out_ = std::move(samples); }

  LinearClassifier fit(double C, const SolverHooks& hooks = {}, const Archive* state = nullptr);

  /// `checkpoint` is called after each candidate with the results so far; passed as `state`, they
  /// let a later search resume with an identical result.
  ChosenC choose_c(const std::function<void(const Archive&)>& checkpoint = {},
                   const Archive* state = nullptr);

  /// Scores of the held-out samples, from a fit on the others.
  HeldOutScores held_out_scores(double C);

 private:
  struct Fit;
  class Search;
  void prepare();
  /// The rows to solve on: the features, or the samples' coordinates in their span.
  [[nodiscard]] ConstMatrixView<float> rows() const;
  LinearClassifier solve(const Fit& fit);
  [[nodiscard]] std::vector<Index> held_out() const;
  [[nodiscard]] std::vector<float> weights_without(std::span<const Index> held_out) const;

  const Context& context_;
  ConstMatrixView<float> features_;
  std::span<const int> labels_;
  Index n_classes_;
  SvmOptions options_;
  std::vector<float> sample_weights_;
  std::vector<Index> held_out_;  // empty: a fifth
  // Created on first use:
  std::unique_ptr<class SampleSpan> span_;        // null if the features themselves are used
  std::unique_ptr<device::HingeSums> on_device_;  // null if the CPU computes
  std::unique_ptr<class FeatureMetric> metric_;   // of rows()
};

/// The loss of a linear classifier that is learned together with its features, as a mean over
/// images with scores f:
///   squared-hinge    Σ_c max(0, 1 - y_c f_c)², y_c = 1 for the label's class, else -1
///   cross-entropy    -log softmax(f)_label
enum class MarginLoss { kSquaredHinge, kCrossEntropy };
KRICA_EXPORT std::string_view name_of(MarginLoss loss);
KRICA_EXPORT MarginLoss margin_loss(std::string_view name);

/// The default weight decay of such a classifier.
inline constexpr double kLearnedDecay = 0.05;

}  // namespace krica
