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

#include <span>
#include <vector>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/context.hpp"
#include "krica/solvers/lbfgs.hpp"

namespace krica {

struct SvmOptions {
  double C = 0.01;             ///< > 0
  bool balanced = false;       ///< classes weigh the same whatever their size
  Index max_iterations = 500;  ///< of L-BFGS
  double tolerance = 1e-6;     ///< stops when the objective falls by less than this part

  void validate() const;
};

class LinearClassifier {
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
std::vector<int> best_classes(ConstMatrixView<float> scores);

}  // namespace krica
