// SPDX-License-Identifier: BSD-3-Clause
//
// Internals that the solvers share: flat vector arithmetic, histories in archives, checks of states
// to resume from.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "krica/solvers/solver.hpp"

namespace krica {

/// ‖v‖₂ over all elements.
template <class Scalar>
double norm_of(const Matrix<Scalar>& v);

/// Whether every element is finite.
template <class Scalar>
bool all_finite(const Matrix<Scalar>& v);

/// out = x + step · direction.
template <class Scalar>
void step_along(const Matrix<Scalar>& x, double step, const Matrix<Scalar>& direction,
                Matrix<Scalar>& out);

/// Throws InvalidArgument unless the start has the objective's shape and is finite.
template <class Scalar>
void check_start(const Objective<Scalar>& objective, ConstMatrixView<Scalar> start,
                 std::string_view solver);

void put_history(Archive& archive, const std::vector<HistoryRow>& history);
/// `fourth` is the meaning of the fourth column in archives of version 0.1, where it was used for
/// three quantities.
std::vector<HistoryRow> history_from(const Archive& archive,
                                     double HistoryRow::*fourth = &HistoryRow::gradient_norm);

/// Stores, or compares, the solver and options that made a state. `options` is "name=value
/// name=value ..." (option_fields.hpp); check_origin throws InvalidArgument listing the names that
/// differ. Options that the state does not contain are newer than it and are not compared.
void put_origin(Archive& archive, std::string_view solver, std::string_view options);
void check_origin(const Archive& archive, std::string_view solver, std::string_view options);

/// Throws DataError unless the state's matrix has the objective's shape.
template <class Scalar>
void check_state_shape(const Matrix<Scalar>& W, const Objective<Scalar>& objective,
                       std::string_view solver);

/// `status`, or kDiverged / kCollapsed if W is a basis in that condition.
template <class Scalar>
Status examined(const Context& context, Objective<Scalar>& objective, const Matrix<Scalar>& best,
                Status status);

/// Converged in value: f decreased from `before` to `after` by less than tolerance · max(scale,
/// |f|).
inline bool fell_too_little(double before, double after, double tolerance, double scale = 1.0) {
  return tolerance > 0 && before - after <= tolerance * std::max(scale, std::abs(after));
}

}  // namespace krica
