// SPDX-License-Identifier: BSD-3-Clause
//
// The pages of train, tune and demo.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/trial.hpp"
#include "report/page.hpp"

namespace krica::cli {

/// The method that all others are compared with: it learns nothing.
inline constexpr const char* kControl = "random-patches";

/// A model that was trained and tested in this run.
struct TestedRun {
  std::string name;
  const Model& model;
  Trial trial;
};

/// A page with a title, a description of the data, the command and the seed.
ReportPage begin_page(const std::string& title, const std::string& data, std::uint64_t seed);

/// Opens the page with `sentence` and the atoms of a model.
void add_opening(ReportPage& page, const std::string& sentence, const Model& model);

/// Opens the page with the best of the runs, which share their images, and adds a table of all. If
/// the control was not run, the page says how to run it; `control` is its accuracy if it is not
/// among the runs.
void add_accuracy_table(ReportPage& page, const std::vector<TestedRun>& runs,
                        std::optional<double> control = {});

/// "gamma=3 sparsity=0.01".
std::string setting_text(const nlohmann::json& setting);

/// Rows of `krica tune` ({options, accuracy, deviation}): opens the page with the best one and a
/// plot over the option with the most numeric values, with one curve per combination of the others;
/// adds a table.
void add_tuning(ReportPage& page, const nlohmann::json& rows, const nlohmann::json& best,
                int folds);

}  // namespace krica::cli
