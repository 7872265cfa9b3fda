// SPDX-License-Identifier: BSD-3-Clause
//
// The objective of LinearClassifier, times 1/(C m), so that its scale does not depend on the size
// of the data:
//
//   1/m Σ_i a_i Σ_c max(0, 1 - y_ic (w_c·z_i + b_c))² + 1/(2 C m) Σ_c (‖w_c‖² + b_c²)
#pragma once

#include <memory>
#include <span>

#include "krica/runtime/context.hpp"
#include "krica/solvers/objective.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {

class ClassScores;
namespace device {
class HingeSums;
}

class SquaredHinge final : public Objective<float> {
 public:
  /// `weights` are the a_i. The views must outlive the object. Sums are computed by `on_device`,
  /// made of the same samples, unless it is null.
  SquaredHinge(ConstMatrixView<float> Z, std::span<const int> labels, Index n_classes,
               std::span<const float> weights, double C, device::HingeSums* on_device = nullptr);

  [[nodiscard]] Index rows() const override { return n_classes_; }
  [[nodiscard]] Index cols() const override { return Z_.cols() + 1; }
  double value_and_gradient(const Context& context, ConstMatrixView<float> W,
                            MatrixView<float> gradient) override;
  double value(const Context& context, ConstMatrixView<float> W) override;

 private:
  struct Sums;
  [[nodiscard]] std::unique_ptr<const ClassScores> scores_of(ConstMatrixView<float> W) const;
  [[nodiscard]] Sums sums_over_samples(const Context& context, ConstMatrixView<float> W,
                                       bool with_gradient) const;
  [[nodiscard]] Sums sums_on_device(const Context& context, ConstMatrixView<float> W,
                                    bool with_gradient) const;
  void add_block(const Context& context, Range rows, ConstMatrixView<float> W,
                 const ClassScores& class_scores, Sums& sums) const;
  double row_loss(Index i, ConstMatrixView<float> W, float* row) const;

  ConstMatrixView<float> Z_;
  std::span<const int> labels_;
  Index n_classes_;
  std::span<const float> sample_weights_;
  double decay_;  // 1/(C m)
  device::HingeSums* on_device_;
};

}  // namespace krica
