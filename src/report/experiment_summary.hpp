// SPDX-License-Identifier: BSD-3-Clause
//
// What a page of experiments opens with: the best result of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/summary.hpp"

namespace krica {

/// The best system of one table, figure or similarity experiment.
struct Finding {
  const PlannedExperiment* planned = nullptr;
  std::string title;  ///< of the experiment, with the table's where it has several
  std::string best;   ///< the system, with the swept option's value
  const Configuration* configuration = nullptr;
  double value = 0;                    ///< per cent, or the block score
  std::string text;                    ///< the same with its deviation
  std::optional<double> control = {};  ///< the control's value; nothing where it did not run
  bool is_control = false;             ///< no system beat the control
};

/// One for every table, sweep and similarity experiment that has results, in their order.
std::vector<Finding> findings_of(const std::vector<PlannedExperiment>& planned,
                                 const ResultsFile& results);

/// The finding to open a page with: the most accurate of the tables, else of the sweeps, else the
/// best block score; null where nothing succeeded.
const Finding* headline_of(const std::vector<Finding>& findings);

/// "kRICA has the highest accuracy, 84.20 ± 0.31 %, ...".
std::string sentence_of(const Finding& finding);

/// "+1.20", with a true minus sign.
std::string signed_text(double value);

}  // namespace krica
