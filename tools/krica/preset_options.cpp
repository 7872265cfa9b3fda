// SPDX-License-Identifier: BSD-3-Clause
//
// Options that come from elsewhere than the command line: a file, or a recipe.
#include <fmt/format.h>

#include <fstream>

#include "krica/runtime/error.hpp"
#include "runtime/nearest.hpp"
#include "session.hpp"

namespace krica::cli {

void apply_config(CLI::App& command, const SessionOptions& options) {
  if (options.config.empty()) return;
  std::ifstream file(options.config);
  if (!file) {
    throw IoError(fmt::format("[config] cannot open {}{}", options.config.string(),
                              did_you_mean_file(options.config)));
  }
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(file)) {
    CLI::Option* option = command.get_option_no_throw("--" + item.name);
    if (option == nullptr || !item.parents.empty()) {
      throw UsageError(fmt::format("[config] {}: '{}' is not an option of {}",
                                   options.config.string(), item.fullname(), command.get_name()));
    }
    if (option->count() > 0) continue;  // the command line takes precedence
    for (const std::string& input : item.inputs) option->add_result(input);
    option->run_callback();
  }
}

void apply_recipe(CLI::App& command, const std::string& name) {
  if (name.empty()) return;
  nlohmann::json values;
  check_usage([&] { values = nlohmann::json::parse(recipe(name)); });
  for (const auto& [option_name, value] : values.items()) {
    CLI::Option* option = command.get_option("--" + option_name);
    if (option->count() > 0) continue;  // what is given takes precedence
    option->add_result(value.is_string() ? value.get<std::string>() : value.dump());
    option->run_callback();
  }
}

}  // namespace krica::cli
