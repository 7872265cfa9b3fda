// SPDX-License-Identifier: BSD-3-Clause
//
// The pages of train, tune and demo.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "krica/experiments/trial.hpp"
#include "krica/report/page.hpp"

namespace krica::cli {

/// A model that was trained and tested here.
struct TestedRun {
  std::string name;
  const Model& model;
  Trial trial;
};

/// A page with a title, what it is of, the command and the seed.
ReportPage begin_page(const std::string& title, const std::string& data, std::uint64_t seed);

/// Accuracies of runs on the same images, the control among them where it was run; the page says
/// how to get it where not.
void add_accuracy_table(ReportPage& page, const std::vector<TestedRun>& runs);

/// "gamma=3 sparsity=0.01".
std::string setting_text(const nlohmann::json& setting);

/// Rows of `krica tune` ({options, accuracy, deviation}) as a curve over the option that has most
/// numeric values, one for every combination of the others, and as a table.
void add_tuning(ReportPage& page, const nlohmann::json& rows, const nlohmann::json& best,
                int folds);

}  // namespace krica::cli
