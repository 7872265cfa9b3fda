// SPDX-License-Identifier: BSD-3-Clause
//
// One-vs-all linear support vector machines with the squared hinge (L2-SVM), dense float32:
//
//   min over w_c, b_c of  ½ Σ_c (‖w_c‖² + b_c²) + C Σ_i a_i Σ_c max(0, 1 - y_ic (w_c·z_i + b_c))²
//
// y_ic is +1 where sample i is of class c, else -1; a_i = 1, or with balanced weights m / (classes
// · samples of i's class). The bias is penalised like the rest, as with LIBLINEAR's -s 2 -B 1; C
// has LIBLINEAR's meaning.
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
  bool balanced = false;       ///< classes weigh the same whatever their size
  Index max_iterations = 500;  ///< of L-BFGS
  double tolerance = 1e-6;     ///< stops when the objective falls by less than this part

  void validate() const;
};

class KRICA_EXPORT LinearClassifier {
 public:
  LinearClassifier() = default;

  /// n_classes × (F + 1), the bias last.
  LinearClassifier(Matrix<float> weights, double objective);

  /// features m×F, labels 0 ... n_classes-1. `state`, where not null, resumes an interrupted fit
  /// with the very same result. Throws InvalidArgument for one class, labels out of range, wrong
  /// counts, NaN or Inf; Cancelled where the context is cancelled, after hooks.checkpoint was given
  /// the state. For several fits on the same features see SvmTrainer.
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
  /// The class with the highest score (the first of equals).
  [[nodiscard]] std::vector<int> predict(const Context& context,
                                         ConstMatrixView<float> features) const;

  void save(Archive& archive) const;
  static LinearClassifier load(const Archive& archive);

 private:
  Matrix<float> weights_;
  double objective_ = 0;
};

/// The index of the largest score of every row.
KRICA_EXPORT std::vector<int> best_classes(ConstMatrixView<float> scores);

/// C chosen on held-out samples from 1/m ... 10000/m; the accuracy of each candidate is kept beside
/// it. Ties go to the smaller C.
struct ChosenC {
  double C = 0;
  std::vector<std::pair<double, double>> tried;  ///< C and held-out accuracy
};

/// Scores of samples by a classifier that was not trained on them; none where nothing could be held
/// out.
struct HeldOutScores {
  Matrix<float> scores;  ///< samples × classes
  std::vector<int> labels;
};

/// Fits of LinearClassifier on the same samples that differ in C only: what does not depend on C
/// (checks, Gram matrices) is done once. Where there are fewer samples than features (m <= 3/4 F, m
/// <= 8192), the problem is solved in the span of the samples.
///
///   SvmTrainer trainer(context, features, labels, 10, {});
///   const ChosenC chosen = trainer.choose_c();
///   const LinearClassifier svm = trainer.fit(chosen.C);
class KRICA_EXPORT SvmTrainer {
 public:
  /// The views must outlive the trainer; options.C is not used. Throws as LinearClassifier::fit.
  SvmTrainer(const Context& context, ConstMatrixView<float> features, std::span<const int> labels,
             Index n_classes, const SvmOptions& options);
  SvmTrainer(const SvmTrainer&) = delete;
  SvmTrainer& operator=(const SvmTrainer&) = delete;
  ~SvmTrainer();

  /// The samples that choose_c and held_out_scores leave out of their fits, instead of a stratified
  /// fifth by the context's seed.
  void hold_out(std::vector<Index> samples) { held_out_ = std::move(samples); }

  LinearClassifier fit(double C, const SolverHooks& hooks = {}, const Archive* state = nullptr);

  /// `checkpoint` is called after every candidate with what is known by then; given as `state`, it
  /// lets a later search resume with the very same result.
  ChosenC choose_c(const std::function<void(const Archive&)>& checkpoint = {},
                   const Archive* state = nullptr);

  /// Of the held-out samples, by a fit on the others.
  HeldOutScores held_out_scores(double C);

 private:
  struct Fit;
  class Search;
  void prepare();
  /// What is solved on: the features, or the samples' coordinates in their span.
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
  // Made when first needed:
  std::unique_ptr<class SampleSpan> span_;       // null where the features themselves are used
  std::unique_ptr<class FeatureMetric> metric_;  // of rows()
};

/// What a linear classifier that is learned together with its features minimises, as a mean over
/// the images with scores f:
///   squared-hinge    Σ_c max(0, 1 - y_c f_c)², y_c = 1 for the label's class, else -1
///   cross-entropy    -log softmax(f)_label
enum class MarginLoss { kSquaredHinge, kCrossEntropy };
KRICA_EXPORT std::string_view name_of(MarginLoss loss);
KRICA_EXPORT MarginLoss margin_loss(std::string_view name);

/// The default weight decay of such a classifier.
inline constexpr double kLearnedDecay = 0.05;

}  // namespace krica
