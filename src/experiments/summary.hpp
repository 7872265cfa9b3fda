// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of results as the tables and curves of the paper.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/runner.hpp"

namespace krica {

/// Accuracy over the splits of a configuration, in per cent.
struct Score {
  double mean = 0;
  double deviation = 0;  ///< of the splits (n - 1); NaN for a single one
  Index splits = 0;
};

/// Of the rows that did not fail; nothing where all did or there are none.
std::optional<Score> score_of(const std::vector<const ResultRow*>& rows, bool mean_per_class);

struct TableLine {
  std::string system;
  std::optional<double> paper;  ///< per cent; nothing: not in the paper
  std::optional<Score> ours;
  std::string note;                              ///< why there is no figure, or how it differs
  const Configuration* configuration = nullptr;  ///< null: there is no such system here
};

struct ResultTable {
  std::string title;  ///< empty where the experiment has one table
  std::vector<TableLine> lines;
  bool beside_paper = true;  ///< false: the images are not the paper's, nor are there its figures
  [[nodiscard]] const TableLine* best() const;     ///< of ours; null: none
  [[nodiscard]] const TableLine* control() const;  ///< null: none
};

/// The paper's systems in its order, then those that it does not have. The paper's figures are left
/// out where the experiment ran on the built-in images: they are of other data.
std::vector<ResultTable> tables_of(const PlannedExperiment& planned, const ResultsFile& results);

struct CurvePoint {
  double value = 0;
  Score score;
};

struct Curve {
  std::string system;
  bool control = false;
  std::vector<CurvePoint> points;
  std::optional<Score> level;  ///< instead of points: does not depend on the value
  std::vector<std::string> failures;
  /// The point with the highest mean, the first of equals; null: none.
  [[nodiscard]] const CurvePoint* chosen() const;
};

std::vector<Curve> curves_of(const PlannedExperiment& planned, const ResultsFile& results);

/// "84.20 ± 0.31", or without a deviation where there is none.
std::string to_text(const Score& score);

}  // namespace krica
