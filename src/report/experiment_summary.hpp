// SPDX-License-Identifier: BSD-3-Clause
//
// The opening of a page of experiments: the best result of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/summary.hpp"

namespace krica {

/// The best system of one table, figure or similarity experiment.
struct Finding {
  const PlannedExperiment* planned = nullptr;
  std::string title;  ///< of the experiment, with that of the table if there are several
  std::string best;   ///< the system, with the value of the swept option
  const Configuration* configuration = nullptr;
  double value = 0;                    ///< per cent, or the block score
  std::string text;                    ///< the same with its deviation
  std::optional<double> control = {};  ///< the control's value; none if it did not run
  bool is_control = false;             ///< no system beat the control
};

/// One per table, sweep and similarity experiment with results, in order.
std::vector<Finding> findings_of(const std::vector<PlannedExperiment>& planned,
                                 const ResultsFile& results);

/// The finding that opens the page: the most accurate of the tables, otherwise of the sweeps,
/// otherwise the best block score; null if nothing succeeded.
const Finding* headline_of(const std::vector<Finding>& findings);

/// "kRICA has the highest accuracy, 84.20 ± 0.31 %, ...".
std::string sentence_of(const Finding& finding);

/// "+1.20", with a true minus sign.
std::string signed_text(double value);

}  // namespace krica
