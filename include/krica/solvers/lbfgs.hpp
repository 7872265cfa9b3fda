// SPDX-License-Identifier: BSD-3-Clause
//
// L-BFGS with a strong Wolfe line search: the full-batch default.
//
// Nocedal and Wright, "Numerical Optimization", 2nd ed., algorithm 7.5; line search by Moré and
// Thuente, "Line Search Algorithms with Guaranteed Sufficient Decrease", ACM TOMS 20(3), 1994.
// Every accepted step decreases f. Our own implementation, because it resumes bit for bit and keeps
// the best iterate if the line search fails.
#pragma once

#include "krica/runtime/library.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

struct KRICA_EXPORT LbfgsOptions {
  Index max_iterations = 500;  ///< >= 0
  Index history = 10;          ///< number of correction pairs kept, >= 1
  /// Converged when ‖g‖₂ <= gradient_tolerance · max(1, ‖W‖₂); >= 0.
  double gradient_tolerance = 1e-5;
  /// Converged when f decreases by less than value_tolerance · max(value_scale, |f|); 0: off.
  double value_tolerance = 1e-9;
  double value_scale = 1;             ///< size of f below which differences do not matter; >= 0
  double sufficient_decrease = 1e-4;  ///< c₁ of the Wolfe conditions, 0 < c₁ < c₂
  double curvature = 0.9;             ///< c₂ < 1
  Index max_line_search = 20;         ///< evaluations per line search, >= 1

  void validate() const;
};

template <class Scalar>
class KRICA_EXPORT Lbfgs {
 public:
  explicit Lbfgs(LbfgsOptions options = {}, SolverHooks hooks = {});

  /// Starts from a matrix of the objective's shape. Throws InvalidArgument for a wrong shape, NaN
  /// or Inf.
  SolverResult<Scalar> minimize(const Context& context, Objective<Scalar>& objective,
                                ConstMatrixView<Scalar> start);

  /// Continues from a saved state. Except for max_iterations, the options must be those of the
  /// first run; the error names any that differ. Throws DataError for a state of another solver or
  /// shape.
  SolverResult<Scalar> resume(const Context& context, Objective<Scalar>& objective,
                              const Archive& state);

 private:
  LbfgsOptions options_;
  SolverHooks hooks_;
};

}  // namespace krica
