// SPDX-License-Identifier: BSD-3-Clause
//
// The commands and their options as plain data, collected from CLI11: the source of completion and
// the manual page, so that they agree with --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace krica::cli {

struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--output"; one name without dashes for a positional
  std::string help;
  std::string group;                ///< the heading in --help
  std::string type;                 ///< PATH, TEXT, INT ...; empty for a flag
  std::string default_value;        ///< empty: none
  std::string environment;          ///< the variable that sets it; empty: none
  std::vector<std::string> values;  ///< the accepted words; empty: any value
  bool takes_value = true;
  bool takes_file = false;  ///< the value may be a path
  bool required = false;
  bool repeats = false;

  /// The longest name.
  [[nodiscard]] const std::string& name() const { return names.back(); }
};

struct CommandEntry {
  std::string path;  ///< "" for krica itself, "/train", "/data/get"
  std::string name;
  std::string summary;
  std::string footer;
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> positionals;
  std::vector<CommandEntry> commands;
};

CommandEntry command_tree(const CLI::App& app);

/// The command and all its subcommands, in the order of help.
std::vector<const CommandEntry*> all_commands(const CommandEntry& root);

/// Every option of any command, once: an option means the same everywhere.
std::vector<const OptionEntry*> all_options(const CommandEntry& root);

}  // namespace krica::cli
