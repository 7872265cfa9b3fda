// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "classify/metrics.hpp"
#include "krica/models/training.hpp"

namespace krica::cli {

/// accuracy, mean_per_class, per_class, confusion and class_names. Confusion is the matrix [true
/// class][predicted class]; for more than 1,000 classes, the list of pairs that occur: {true,
/// predicted, count}.
nlohmann::json to_json(const Evaluation& evaluation, const std::vector<std::string>& class_names);

/// The same as a human-readable table.
std::string to_text(const Evaluation& evaluation, const std::vector<std::string>& class_names);

/// "patches 0.4 s, basis 12.0 s, ...", with stages of the same name added.
std::string stage_times(const std::vector<StageTime>& stages);
nlohmann::json stage_times_json(const std::vector<StageTime>& stages);

}  // namespace krica::cli
