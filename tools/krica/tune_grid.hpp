// SPDX-License-Identifier: BSD-3-Clause
//
// The search space of krica tune: combinations of option values.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "krica/models/options.hpp"
#include "models/data_facts.hpp"

namespace krica::cli {

/// All combinations of the axes' values, each as the options that it sets. An axis is
/// "name=value,value,...", or "name=value;value;..." if values contain commas; without axes there
/// is one setting, which sets nothing. Throws UsageError for any other text, or if a name is
/// repeated.
std::vector<nlohmann::json> combinations(const std::vector<std::string>& grid);

/// The method's own axes, without those fixed on the command line or without effect. With a kernel
/// other than the Gaussian, its parameter replaces gamma.
std::vector<std::string> default_grid(const CLI::App& command, const PipelineOptions& options,
                                      const DataFacts& facts);

}  // namespace krica::cli
