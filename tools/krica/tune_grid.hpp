// SPDX-License-Identifier: BSD-3-Clause
//
// What krica tune searches: the combinations of values of some options.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "krica/models/options.hpp"
#include "models/data_facts.hpp"

namespace krica::cli {

/// All combinations of the axes' values, each as the options that it sets. An axis is
/// "name=value,value,..."; without any there is one setting, which sets nothing. Throws UsageError
/// for other texts.
std::vector<nlohmann::json> combinations(const std::vector<std::string>& grid);

/// The method's own axes, without those that the command line settles or that would change nothing.
/// With another kernel than the Gaussian its own parameter is searched in place of gamma.
std::vector<std::string> default_grid(const CLI::App& command, const PipelineOptions& options,
                                      const DataFacts& facts);

/// The options with those of a combination. Throws UsageError for what options do not take.
PipelineOptions with_setting(const PipelineOptions& base, const nlohmann::json& setting);

}  // namespace krica::cli
