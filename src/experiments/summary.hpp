// SPDX-License-Identifier: BSD-3-Clause
//
// Result rows as the tables and curves of the paper.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/runner.hpp"

namespace krica {

/// Accuracy over the splits of a configuration, in per cent.
struct Score {
  double mean = 0;
  double deviation = 0;  ///< over the splits (n - 1); NaN for a single one
  Index splits = 0;
};

/// Over the rows that did not fail; none if all did or there are none.
std::optional<Score> score_of(const std::vector<const ResultRow*>& rows, bool mean_per_class);

struct TableLine {
  std::string system;
  std::optional<double> paper;  ///< per cent; none: not in the paper
  std::optional<Score> ours;
  std::string note;  ///< why there is no figure, or how it differs
  const Configuration* configuration = nullptr;
};

struct ResultTable {
  std::string title;  ///< empty if the experiment has a single table
  std::vector<TableLine> lines;
  bool beside_paper = true;  ///< false: the data is not the paper's, so its figures are omitted
  [[nodiscard]] const TableLine* best() const;     ///< of ours; null: none
  [[nodiscard]] const TableLine* control() const;  ///< null: none
};

/// The paper's systems in its order, then the others. Omits the paper's figures if the experiment
/// ran on the built-in images: they are for other data.
std::vector<ResultTable> tables_of(const PlannedExperiment& planned, const ResultsFile& results);

struct CurvePoint {
  double value = 0;
  Score score;
};

struct Curve {
  std::string system;
  bool control = false;
  std::vector<CurvePoint> points;
  std::optional<Score> level;  ///< instead of points, if independent of the value
  std::vector<std::string> failures;
  /// The point with the highest mean, the first one on ties; null: none.
  [[nodiscard]] const CurvePoint* chosen() const;
};

std::vector<Curve> curves_of(const PlannedExperiment& planned, const ResultsFile& results);

/// "84.20 ± 0.31", or without a deviation if there is none.
std::string to_text(const Score& score);

}  // namespace krica
