// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/paper.hpp"

namespace krica {
namespace {

/// The first reason for a failed row; empty if none failed.
std::string failure_of(const std::vector<const ResultRow*>& rows) {
  for (const ResultRow* row : rows)
    if (row->failed()) return row->error;
  return {};
}

TableLine line_of(const PlannedExperiment& planned, const ResultsFile& results,
                  const Configuration& configuration) {
  const auto rows = rows_of(results, planned, configuration);
  TableLine line{configuration.system, std::nullopt, score_of(rows, planned.plan.mean_per_class),
                 configuration.note, &configuration};
  if (planned.beside_paper()) {
    line.paper = paper_accuracy(
        planned.experiment->name, configuration.paper_group,
        configuration.paper_system.empty() ? configuration.system : configuration.paper_system);
  }
  const std::string failure = failure_of(rows);
  if (!failure.empty()) line.note = fmt::format("failed: {}", failure);
  if (rows.empty()) line.note = "not run yet";
  return line;
}

}  // namespace

std::optional<Score> score_of(const std::vector<const ResultRow*>& rows, bool mean_per_class) {
  std::vector<double> accuracies;
  for (const ResultRow* row : rows) {
    if (row->failed()) continue;
    const Evaluation evaluation = row->trial.evaluation();
    accuracies.push_back(100 * (mean_per_class ? evaluation.mean_per_class : evaluation.accuracy));
  }
  if (accuracies.empty()) return std::nullopt;
  const auto n = static_cast<double>(accuracies.size());
  Score score{0, std::numeric_limits<double>::quiet_NaN(), static_cast<Index>(accuracies.size())};
  for (const double accuracy : accuracies) score.mean += accuracy / n;
  if (accuracies.size() < 2) return score;
  double squares = 0;
  for (const double accuracy : accuracies)
    squares += (accuracy - score.mean) * (accuracy - score.mean);
  score.deviation = std::sqrt(squares / (n - 1));
  return score;
}

const TableLine* ResultTable::best() const {
  const TableLine* best = nullptr;
  for (const TableLine& line : lines) {
    if (line.ours && (best == nullptr || line.ours->mean > best->ours->mean)) best = &line;
  }
  return best;
}

const TableLine* ResultTable::control() const {
  const auto line = std::find_if(lines.begin(), lines.end(),
                                 [](const TableLine& l) { return l.configuration->control; });
  return line == lines.end() ? nullptr : &*line;
}

std::vector<ResultTable> tables_of(const PlannedExperiment& planned, const ResultsFile& results) {
  std::vector<ResultTable> tables;
  for (const Configuration& configuration : planned.plan.configurations) {
    const std::string& title = configuration.group;
    if (tables.empty() || tables.back().title != title)
      tables.push_back({title, {}, planned.beside_paper()});
    tables.back().lines.push_back(line_of(planned, results, configuration));
  }
  return tables;
}

const CurvePoint* Curve::chosen() const {
  const auto best = std::max_element(
      points.begin(), points.end(),
      [](const CurvePoint& a, const CurvePoint& b) { return a.score.mean < b.score.mean; });
  return best == points.end() ? nullptr : &*best;
}

std::vector<Curve> curves_of(const PlannedExperiment& planned, const ResultsFile& results) {
  std::vector<Curve> curves;
  for (const Configuration& configuration : planned.plan.configurations) {
    if (curves.empty() || curves.back().system != configuration.system)
      curves.push_back({configuration.system, configuration.control, {}, std::nullopt, {}});
    Curve& curve = curves.back();
    const auto rows = rows_of(results, planned, configuration);
    const std::string failure = failure_of(rows);
    if (!failure.empty()) {
      curve.failures.push_back(
          fmt::format("{} = {}: {}", planned.plan.axis, configuration.value, failure));
    }
    const auto score = score_of(rows, planned.plan.mean_per_class);
    if (!score) continue;
    if (std::isnan(configuration.value)) {
      curve.level = score;
    } else {
      curve.points.push_back({configuration.value, *score});
    }
  }
  return curves;
}

std::string to_text(const Score& score) {
  if (std::isnan(score.deviation)) return fmt::format("{:.2f}", score.mean);
  return fmt::format("{:.2f} ± {:.2f}", score.mean, score.deviation);
}

}  // namespace krica
