// SPDX-License-Identifier: BSD-3-Clause
#include "report/experiment_summary.hpp"

#include <fmt/format.h>

#include <cmath>

namespace krica {
namespace {

void add_table_findings(const PlannedExperiment& planned, const ResultsFile& results,
                        std::vector<Finding>& findings) {
  for (const ResultTable& table : tables_of(planned, results)) {
    const TableLine* best = table.best();
    if (best == nullptr) continue;
    Finding finding{&planned,         planned.title(),     best->system, best->configuration,
                    best->ours->mean, to_text(*best->ours)};
    if (!table.title.empty()) finding.title += ", " + table.title;
    const TableLine* control = table.control();
    finding.is_control = best == control;
    if (control != nullptr && control->ours) finding.control = control->ours->mean;
    findings.push_back(std::move(finding));
  }
}

/// The configuration of a system at a value of the swept option.
const Configuration* configuration_at(const Plan& plan, const std::string& system, double value) {
  for (const Configuration& each : plan.configurations) {
    const bool same = each.value == value || (std::isnan(each.value) && std::isnan(value));
    if (each.system == system && same) return &each;
  }
  return nullptr;
}

/// "λ" from "sparsity weight λ".
std::string letter_of(const std::string& axis) { return axis.substr(axis.rfind(' ') + 1); }

void add_sweep_findings(const PlannedExperiment& planned, const ResultsFile& results,
                        std::vector<Finding>& findings) {
  std::optional<Finding> found;
  std::optional<double> control;
  for (const Curve& curve : curves_of(planned, results)) {
    const CurvePoint* point = curve.chosen();
    if (point == nullptr && !curve.level) continue;
    const Score& score = point != nullptr ? point->score : *curve.level;
    const double at = point != nullptr ? point->value : std::nan("");
    if (curve.control) control = score.mean;
    if (found && score.mean <= found->value) continue;
    found = Finding{&planned,
                    planned.title(),
                    point == nullptr ? curve.system
                                     : fmt::format("{}, {} = {:g}", curve.system,
                                                   letter_of(planned.plan.axis), point->value),
                    configuration_at(planned.plan, curve.system, at),
                    score.mean,
                    to_text(score)};
    found->is_control = curve.control;
  }
  if (!found) return;
  found->control = control;
  findings.push_back(std::move(*found));
}

void add_similarity_findings(const PlannedExperiment& planned, const ResultsFile& results,
                             std::vector<Finding>& findings) {
  std::optional<Finding> found;
  std::optional<double> control;
  for (const Configuration& configuration : planned.plan.configurations) {
    for (const ResultRow* row : rows_of(results, planned, configuration)) {
      if (row->failed()) continue;
      if (configuration.control) control = row->block_score;
      if (found && row->block_score <= found->value) continue;
      found = Finding{&planned,       planned.title(),  configuration.system,
                      &configuration, row->block_score, fmt::format("{:.3f}", row->block_score)};
      found->is_control = configuration.control;
    }
  }
  if (!found) return;
  found->control = control;
  findings.push_back(std::move(*found));
}

}  // namespace

std::vector<Finding> findings_of(const std::vector<PlannedExperiment>& planned,
                                 const ResultsFile& results) {
  std::vector<Finding> findings;
  for (const PlannedExperiment& each : planned) {
    const ExperimentKind kind = each.experiment->kind;
    (kind == ExperimentKind::kTable   ? add_table_findings
     : kind == ExperimentKind::kSweep ? add_sweep_findings
                                      : add_similarity_findings)(each, results, findings);
  }
  return findings;
}

const Finding* headline_of(const std::vector<Finding>& findings) {
  for (const ExperimentKind kind :
       {ExperimentKind::kTable, ExperimentKind::kSweep, ExperimentKind::kSimilarity}) {
    const Finding* best = nullptr;
    for (const Finding& finding : findings) {
      if (finding.planned->experiment->kind != kind) continue;
      if (best == nullptr || finding.value > best->value) best = &finding;
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

std::string sentence_of(const Finding& finding) {
  const PlannedExperiment& planned = *finding.planned;
  const bool similarity = planned.experiment->kind == ExperimentKind::kSimilarity;
  std::string text = fmt::format("{} has the highest {}{}", finding.best,
                                 similarity ? "block score, " : "accuracy, ", finding.text);
  if (!similarity) text += " %";
  if (finding.is_control) {
    text += "; no learned basis beat it";
  } else if (finding.control) {
    text += fmt::format(", {:.{}f}{} above random patches (the control)",
                        finding.value - *finding.control, similarity ? 3 : 2,
                        similarity ? "" : " points");
  }
  return fmt::format("{}. Experiment: {}{}.", text, finding.title,
                     planned.on_papers_data() ? "" : ", run on the built-in images");
}

std::string signed_text(double value) {
  return value < 0 ? fmt::format("−{:.2f}", -value) : fmt::format("+{:.2f}", value);
}

}  // namespace krica
