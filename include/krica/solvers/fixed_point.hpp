// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's fixed-point iteration, modified to descend.
//
// For distance kernels ∂f/∂w_p = D_p (w_p - w*_p). The paper steps to w*_p, which ascends wherever
// D_p < 0 (docs/math.md, errata). Here every row steps along -∂f/∂w_p / |D_p|: the paper's step if
// it descends, its reverse otherwise. The step is halved until f decreases sufficiently (Armijo),
// so f never increases.
#pragma once

#include "krica/runtime/library.hpp"
#include "krica/solvers/objective.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

struct KRICA_EXPORT FixedPointOptions {
  Index max_iterations = 200;  ///< >= 0
  /// Converged when ‖g‖₂ <= gradient_tolerance · max(1, ‖W‖₂); >= 0.
  double gradient_tolerance = 1e-5;
  /// Converged when f decreases by less than value_tolerance · max(1, |f|); 0: off.
  double value_tolerance = 1e-9;
  double sufficient_decrease = 1e-4;  ///< in (0, 1)
  Index max_halvings = 40;            ///< per step, >= 1

  void validate() const;
};

template <class Scalar>
class KRICA_EXPORT FixedPoint {
 public:
  explicit FixedPoint(FixedPointOptions options = {}, SolverHooks hooks = {});

  /// As Lbfgs::minimize. Throws InvalidArgument for kernels without a fixed-point form.
  SolverResult<Scalar> minimize(const Context& context, CurvedObjective<Scalar>& objective,
                                ConstMatrixView<Scalar> start);
  /// As Lbfgs::resume.
  SolverResult<Scalar> resume(const Context& context, CurvedObjective<Scalar>& objective,
                              const Archive& state);

 private:
  FixedPointOptions options_;
  SolverHooks hooks_;
};

}  // namespace krica
