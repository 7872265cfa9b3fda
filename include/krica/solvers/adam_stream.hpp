// SPDX-License-Identifier: BSD-3-Clause
//
// Adam (adam.hpp) on samples that arrive in parts: every part is passed over once, in steps of at
// most `batch` samples and at a constant rate; W and the gradient's moments go on from part to
// part. Nothing is held out, so the last W is the result.
//
//   krica::AdamStream<float> stream;
//   for (part...) { objective of the part; stream.pass(context, objective, options, start); }
#pragma once

#include <functional>
#include <vector>

#include "krica/solvers/adam.hpp"

namespace krica {

template <class Scalar>
class AdamStream {
 public:
  AdamStream() = default;
  explicit AdamStream(const Archive& archive);

  /// Begins at W instead of the first pass's start().
  void begin(ConstMatrixView<Scalar> W);

  /// Passes over the objective's samples, in an order that follows from the seed and the number of
  /// passes; the first one begins at start(). Of the options batch, rate, betas and epsilon count.
  /// Gives kIterationLimit; kCancelled or kNumericalTrouble, where the steps before stand.
  Status pass(const Context& context, SampledObjective<Scalar>& objective,
              const AdamOptions& options, const std::function<Matrix<Scalar>()>& start);

  [[nodiscard]] bool begun() const { return W_.size() > 0; }
  [[nodiscard]] const Matrix<Scalar>& W() const { return W_; }
  /// A row a pass; value and training_value are the mean minibatch value.
  [[nodiscard]] const std::vector<HistoryRow>& history() const { return history_; }

  [[nodiscard]] Archive saved() const;

 private:
  Matrix<Scalar> W_;
  Matrix<Scalar> first_moment_;
  Matrix<Scalar> second_moment_;
  std::vector<HistoryRow> history_;
  Index step_ = 0;
};

}  // namespace krica
