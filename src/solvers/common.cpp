// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/common.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "krica/solvers/objective.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "runtime/parallel.hpp"
#include "solvers/iterations.hpp"

namespace krica {
namespace {

constexpr Index kHistoryColumns = 5;

// In addition to the five columns of "history", which older versions read.
const std::array<std::pair<double HistoryRow::*, std::string>, 2> kRarerFields = {{
    {&HistoryRow::training_value, "history.training_value"},
    {&HistoryRow::change, "history.change"},
}};

constexpr NameTable<Status, 7> kNames = {{
    {Status::kConverged, "converged"},
    {Status::kIterationLimit, "iteration-limit"},
    {Status::kLineSearchFailed, "line-search-failed"},
    {Status::kCancelled, "cancelled"},
    {Status::kNumericalTrouble, "numerical-trouble"},
    {Status::kDiverged, "diverged"},
    {Status::kCollapsed, "collapsed"},
}};

std::map<std::string, std::string> parsed(std::string_view options) {
  std::map<std::string, std::string> values;
  std::istringstream words{std::string(options)};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    values[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return values;
}

}  // namespace

std::string_view name_of(Status status) { return find_name(kNames, status); }

std::string_view explanation_of(Status status) {
  switch (status) {
    case Status::kConverged:
      return "A stopping tolerance was met.";
    case Status::kIterationLimit:
      return "The limit of iterations or epochs was reached before convergence; raise it, or "
             "resume.";
    case Status::kLineSearchFailed:
      return "No step decreases the objective, although its gradient is not small; the best "
             "iterate was kept.";
    case Status::kCancelled:
      return "Stopped on request; resume to continue.";
    case Status::kNumericalTrouble:
      return "The objective became infinite or NaN, and the best iterate before that was kept; "
             "smaller "
             "weights, a smaller rate or another start may help.";
    case Status::kDiverged:
      return "The codes of more than half of the atoms hardly vary over the samples; a smaller "
             "weight of the sparsity, a wider kernel or another start may help.";
    case Status::kCollapsed:
      return "More than half of the atoms coincide; fewer atoms, a narrower kernel or another "
             "start "
             "may help.";
  }
  return "";
}

template <class Scalar>
double norm_of(const Matrix<Scalar>& v) {
  return std::sqrt(ordered_dot(v.data(), v.data(), v.size()));
}

template <class Scalar>
bool all_finite(const Matrix<Scalar>& v) {
  return std::all_of(v.data(), v.data() + v.size(), [](Scalar x) { return std::isfinite(x); });
}

template <class Scalar>
void step_along(const Matrix<Scalar>& x, double step, const Matrix<Scalar>& direction,
                Matrix<Scalar>& out) {
  const auto t = static_cast<Scalar>(step);
  for (Index i = 0; i < x.size(); ++i) out.data()[i] = x.data()[i] + t * direction.data()[i];
}

template <class Scalar>
void check_start(const Objective<Scalar>& objective, ConstMatrixView<Scalar> start,
                 std::string_view solver) {
  require(start.rows() == objective.rows() && start.cols() == objective.cols(), solver,
          "the start is {} x {}, it must be {} x {}", start.rows(), start.cols(), objective.rows(),
          objective.cols());
  require_finite(start, solver, "the start");
}

void put_history(Archive& archive, const std::vector<HistoryRow>& history) {
  Matrix<double> rows(static_cast<Index>(history.size()), kHistoryColumns);
  for (Index i = 0; i < rows.rows(); ++i) {
    const HistoryRow& row = history[static_cast<std::size_t>(i)];
    rows(i, 0) = static_cast<double>(row.iteration);
    rows(i, 1) = static_cast<double>(row.evaluations);
    rows(i, 2) = row.value;
    rows(i, 3) = row.gradient_norm;
    rows(i, 4) = row.step;
  }
  archive.put("history", rows);
  for (const auto& [field, name] : kRarerFields) {
    std::vector<double> values;
    values.reserve(history.size());
    for (const HistoryRow& row : history) values.push_back(row.*field);
    archive.put_vector<double>(name, values);
  }
}

std::vector<HistoryRow> history_from(const Archive& archive, double HistoryRow::*fourth) {
  const auto rows = archive.matrix<double>("history");
  if (rows.cols() != kHistoryColumns) {
    throw DataError(
        fmt::format("[solver] a history of {} columns, expected {}", rows.cols(), kHistoryColumns));
  }
  const bool is_older = !archive.has(kRarerFields.front().second);
  std::vector<HistoryRow> history;
  const auto is_count = [](double number) { return number >= 0 && number < 0x1.0p62; };
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!is_count(rows(i, 0)) || !is_count(rows(i, 1)))
      throw DataError(fmt::format("[solver] row {} of the history holds no counts", i));
    HistoryRow row{static_cast<Index>(rows(i, 0)), static_cast<Index>(rows(i, 1)), rows(i, 2)};
    row.step = rows(i, 4);
    row.*(is_older ? fourth : &HistoryRow::gradient_norm) = rows(i, 3);
    history.push_back(row);
  }
  for (const auto& [field, name] : kRarerFields) {
    if (is_older) break;
    const auto values = archive.vector<double>(name);
    if (values.size() != history.size()) {
      throw DataError(
          fmt::format("[solver] {} has {} rows, expected {}", name, values.size(), history.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) history[i].*field = values[i];
  }
  return history;
}

void Iterations::keep(const HistoryRow& row) {
  history_.push_back(row);
  if (hooks_.iteration) hooks_.iteration(row);
}

void Iterations::record(const HistoryRow& row) {
  keep(row);
  context_.report({name_, row.iteration, limit_, row.value});
}

void Iterations::record(double value, double gradient_norm, double step) {
  record({.iteration = history_.empty() ? 0 : done() + 1,
          .evaluations = evaluations_,
          .value = value,
          .gradient_norm = gradient_norm,
          .step = step});
}

void put_origin(Archive& archive, std::string_view solver, std::string_view options) {
  archive.put_text("solver", std::string(solver));
  archive.put_text("solver_options", std::string(options));
}

void check_origin(const Archive& archive, std::string_view solver, std::string_view options) {
  if (archive.text("solver") != solver) {
    throw DataError(
        fmt::format("[{}] the state was made by the solver '{}'", solver, archive.text("solver")));
  }
  const auto saved = parsed(archive.text("solver_options"));
  std::string differing;
  for (const auto& [name, value] : parsed(options)) {
    const auto found = saved.find(name);
    if (found != saved.end() && found->second != value)
      differing += fmt::format(" {} (saved {}, now {})", name, found->second, value);
  }
  require(differing.empty(), solver, "the state was made with other options:{}", differing);
}

template <class Scalar>
void check_state_shape(const Matrix<Scalar>& W, const Objective<Scalar>& objective,
                       std::string_view solver) {
  if (W.rows() != objective.rows() || W.cols() != objective.cols()) {
    throw DataError(fmt::format("[{}] the state's W is {} x {}, the objective's {} x {}", solver,
                                W.rows(), W.cols(), objective.rows(), objective.cols()));
  }
}

template <class Scalar>
Status examined(const Context& context, Objective<Scalar>& objective, const Matrix<Scalar>& best,
                Status status) {
  if (status == Status::kNumericalTrouble) return status;
  auto* const basis = dynamic_cast<BasisObjective<Scalar>*>(&objective);
  if (basis == nullptr) return status;
  const BasisCondition condition = basis->condition(context, best);
  if (condition == BasisCondition::kDiverged) return Status::kDiverged;
  if (condition == BasisCondition::kCollapsed) return Status::kCollapsed;
  return status;
}

#define KRICA_INSTANTIATE(Scalar)                                                                  \
  template double norm_of(const Matrix<Scalar>&);                                                  \
  template bool all_finite(const Matrix<Scalar>&);                                                 \
  template void step_along(const Matrix<Scalar>&, double, const Matrix<Scalar>&, Matrix<Scalar>&); \
  template void check_start(const Objective<Scalar>&, ConstMatrixView<Scalar>, std::string_view);  \
  template void check_state_shape(const Matrix<Scalar>&, const Objective<Scalar>&,                 \
                                  std::string_view);                                               \
  template Status examined(const Context&, Objective<Scalar>&, const Matrix<Scalar>&, Status)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
