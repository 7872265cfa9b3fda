// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/summary.hpp"
#include "report/page.hpp"

namespace krica {

/// The page for experiments whose rows are in `results` and whose models are in `directory`. All
/// numbers come from the rows; `command` reproduces them.
ReportPage experiment_report(const std::vector<PlannedExperiment>& planned,
                             const ResultsFile& results, const std::filesystem::path& directory,
                             const std::string& command);

}  // namespace krica
