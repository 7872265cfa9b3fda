// SPDX-License-Identifier: BSD-3-Clause
//
// L-BFGS with a strong Wolfe line search: the full-batch default.
//
// Nocedal and Wright, "Numerical Optimization", 2nd ed., algorithm 7.5; line search by Moré and
// Thuente, "Line Search Algorithms with Guaranteed Sufficient Decrease", ACM TOMS 20(3), 1994.
// Every accepted step lowers f. Own code rather than a library's, because it resumes bit for bit
// and keeps the best iterate when the line search fails.
#pragma once

#include "krica/runtime/library.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

struct KRICA_EXPORT LbfgsOptions {
  Index max_iterations = 500;  ///< >= 0
  Index history = 10;          ///< pairs kept, >= 1
  double gradient_tolerance =
      1e-5;  ///< converged when ‖g‖₂ <= gradient_tolerance · max(1, ‖W‖₂); >= 0
  double value_tolerance =
      1e-9;  ///< converged when f falls by less than this part of max(value_scale, |f|); 0: off
  double value_scale = 1;             ///< size of f below which differences do not matter; >= 0
  double sufficient_decrease = 1e-4;  ///< c₁ of the Wolfe conditions, 0 < c₁ < c₂
  double curvature = 0.9;             ///< c₂ < 1
  Index max_line_search = 20;         ///< evaluations in one line search, >= 1

  void validate() const;
};

template <class Scalar>
class KRICA_EXPORT Lbfgs {
 public:
  explicit Lbfgs(LbfgsOptions options = {}, SolverHooks hooks = {});

  /// From a start of the objective's shape. Throws InvalidArgument for a wrong shape, NaN or Inf.
  SolverResult<Scalar> minimize(const Context& context, Objective<Scalar>& objective,
                                ConstMatrixView<Scalar> start);

  /// From a saved state. The options must be those of the first run, max_iterations excepted:
  /// others are refused by name. Throws DataError for a state of another solver or shape.
  SolverResult<Scalar> resume(const Context& context, Objective<Scalar>& objective,
                              const Archive& state);

 private:
  LbfgsOptions options_;
  SolverHooks hooks_;
};

}  // namespace krica
