// SPDX-License-Identifier: BSD-3-Clause
#include "command_tree.hpp"

#include <set>

#include "krica/models/options.hpp"
#include "models/option_list.hpp"

namespace krica::cli {
namespace {

/// CLI11 displays the words of IsMember as "TEXT:{a,b}".
std::vector<std::string> members(const std::string& type_name) {
  const std::size_t open = type_name.find('{');
  const std::size_t close = type_name.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type_name.substr(open + 1, close - open - 1), ',');
}

std::vector<std::string> values_of(const CLI::Option& option, const std::string& name) {
  std::vector<std::string> values = members(option.get_type_name());
  if (name == "DATA") return {"embedded"};
  if (values.empty() && name.starts_with("--")) values = choices_of(name.substr(2));
  const bool may_be_left_open = option.get_default_str() == "auto";
  const bool listed = !values.empty() && values.front() == "auto";
  if (may_be_left_open && !listed) values.insert(values.begin(), "auto");
  return values;
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_name(true));
  entry.help = option.get_description();
  entry.group = option.get_group();
  entry.default_value = option.get_default_str();
  entry.environment = option.get_envname();
  entry.takes_value = option.get_type_size() != 0;
  if (entry.takes_value) entry.values = values_of(option, entry.name());
  entry.type = option.get_type_name().substr(0, option.get_type_name().find(':'));
  entry.takes_file = entry.type == "PATH";
  entry.required = option.get_required();
  entry.repeats = option.get_expected_max() > 1;
  return entry;
}

CommandEntry walk(const CLI::App& app, const std::string& path) {
  CommandEntry command;
  command.path = path;
  command.name = app.get_name();
  command.summary = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? command.positionals : command.options).push_back(entry_of(*option));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(walk(*sub, path + "/" + sub->get_name()));
  return command;
}

}  // namespace

CommandEntry command_tree(const CLI::App& app) { return walk(app, ""); }

std::vector<const CommandEntry*> all_commands(const CommandEntry& root) {
  std::vector<const CommandEntry*> commands = {&root};
  for (const CommandEntry& sub : root.commands) {
    const std::vector<const CommandEntry*> below = all_commands(sub);
    commands.insert(commands.end(), below.begin(), below.end());
  }
  return commands;
}

std::vector<const OptionEntry*> all_options(const CommandEntry& root) {
  std::vector<const OptionEntry*> options;
  std::set<std::string> seen;
  for (const CommandEntry* command : all_commands(root)) {
    for (const OptionEntry& option : command->options) {
      if (seen.insert(option.name()).second) options.push_back(&option);
    }
  }
  return options;
}

}  // namespace krica::cli
