// SPDX-License-Identifier: BSD-3-Clause
//
// Fits of LinearClassifier on the same samples that differ in C only: what does not depend on C
// (checks, Gram matrices) is done once. Where there are fewer samples than features (m <= 3/4 F, m
// <= 8192), the problem is solved in the span of the samples.
//
//   SvmTrainer trainer(context, features, labels, 10, {});
//   const ChosenC chosen = trainer.choose_c();
//   const LinearClassifier svm = trainer.fit(chosen.C);
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "krica/classify/linear_classifier.hpp"

namespace krica {

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

class SvmTrainer {
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

}  // namespace krica
