// SPDX-License-Identifier: BSD-3-Clause
//
// krica man: the manual page krica(1), in roff, from the same texts as --help.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "krica/runtime/library.hpp"

namespace krica::cli {
namespace {

/// Text that roff displays unchanged.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'' || c == '.') {
      result += fmt::format("\\&{}", c);  // not a request, even at the start of a line
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(const std::string& text) { return fmt::format("\\fB{}\\fR", plain(text)); }
std::string italic(const std::string& text) { return fmt::format("\\fI{}\\fR", plain(text)); }

/// Help headings whose options many commands share: listed once, in a separate section.
bool is_shared(const OptionEntry& option) { return option.group != "Options"; }
bool is_help(const OptionEntry& option) { return option.name().starts_with("--help"); }

std::string command_line(const CommandEntry& command) {
  std::string words = "krica" + command.path;
  std::replace(words.begin(), words.end(), '/', ' ');
  return words;
}

std::string synopsis(const CommandEntry& command) {
  std::string line = bold(command_line(command));
  for (const OptionEntry& positional : command.positionals) {
    const std::string name = italic(positional.name()) + (positional.repeats ? " ..." : "");
    line += positional.required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
  }
  bool has_optional = false;
  for (const OptionEntry& option : command.options) {
    if (option.required)
      line += fmt::format(" {} {}", bold(option.names.front()), italic(option.type));
    has_optional = has_optional || !(option.required || is_help(option));
  }
  return has_optional ? fmt::format("{} [{}]", line, italic("options")) : line;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Whether the help text itself names all words that the option accepts.
bool help_has_values(const OptionEntry& option) {
  return std::all_of(option.values.begin(), option.values.end(), [&](const std::string& word) {
    return option.help.find(word) != std::string::npos;
  });
}

/// Names, type, help, words and default; `note` comes last.
std::string option_text(const OptionEntry& option, const std::string& note = "") {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  if (option.takes_value && option.names.front().starts_with('-'))
    names += fmt::format(" {}", italic(option.type));
  std::string text = fmt::format(".TP\n{}\n{}", names, plain(option.help));
  if (!help_has_values(option)) text += fmt::format("; one of: {}", plain(joined(option.values)));
  if (!option.default_value.empty())
    text += fmt::format(". Default: {}", plain(option.default_value));
  if (!option.environment.empty())
    text += fmt::format(". Environment variable: {}", bold(option.environment));
  return text + plain(note) + "\n";
}

/// Footers are formatted by hand.
std::string footer_text(const std::string& footer) {
  std::string text = footer;
  text.erase(0, text.find_first_not_of('\n'));
  if (text.empty()) return "";
  return fmt::format(".PP\n.nf\n{}\n.fi\n", plain(text));
}

std::vector<std::string> groups_of(const CommandEntry& command) {
  std::vector<std::string> groups;
  for (const OptionEntry& option : command.options) {
    if (is_shared(option) && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  }
  return groups;
}

std::string command_text(const CommandEntry& command) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n{}\n", plain(command_line(command)),
                                 synopsis(command), plain(command.summary) + ".");
  for (const OptionEntry& positional : command.positionals) text += option_text(positional);
  for (const OptionEntry& option : command.options) {
    if (!is_shared(option) && !is_help(option)) text += option_text(option);
  }
  const std::vector<std::string> groups = groups_of(command);
  if (!groups.empty())
    text += fmt::format(".PP\nShared options, below: {}.\n", plain(joined(groups)));
  return text + footer_text(command.footer);
}

/// " (train, fit)" if some commands with the option's group lack the option.
std::string owners(const CommandEntry& root, const OptionEntry& option) {
  std::vector<std::string> having;
  std::size_t with_group = 0;
  for (const CommandEntry* command : all_commands(root)) {
    const auto is_same = [&](const OptionEntry& other) { return other.name() == option.name(); };
    const std::vector<std::string> groups = groups_of(*command);
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) continue;
    ++with_group;
    if (std::any_of(command->options.begin(), command->options.end(), is_same))
      having.push_back(command->name);
  }
  return having.size() == with_group ? "" : fmt::format(" ({})", joined(having));
}

/// The options under each heading, each once, in the order of help.
std::map<std::string, std::vector<const OptionEntry*>> options_by_group(const CommandEntry& root) {
  std::map<std::string, std::vector<const OptionEntry*>> groups;
  for (const CommandEntry* command : all_commands(root)) {
    for (const OptionEntry& option : command->options) {
      auto& group = groups[option.group];
      const auto is_same = [&](const OptionEntry* other) { return other->name() == option.name(); };
      if (is_shared(option) && std::none_of(group.begin(), group.end(), is_same))
        group.push_back(&option);
    }
  }
  return groups;
}

std::string shared_options(const CommandEntry& root) {
  std::string text;
  for (const auto& [group, options] : options_by_group(root)) {
    if (options.empty()) continue;
    text += fmt::format(".SS {}\n", plain(group));
    for (const OptionEntry* option : options) text += option_text(*option, owners(root, *option));
  }
  return text;
}

std::string exit_statuses() {
  std::string text;
  for (const ExitStatus& status : kExitStatuses)
    text += fmt::format(".TP\n.B {}\n{}.\n", status.code, plain(status.meaning));
  return text;
}

std::string page(const CommandEntry& root) {
  const std::string summary = root.summary.substr(0, root.summary.find('\n'));
  std::string text = fmt::format(".TH KRICA 1 \"\" \"krica {}\" \"User Commands\"\n", version());
  text += ".SH NAME\nkrica \\- sparse, nonlinear and class\\-aware representations\n";
  text += ".SH SYNOPSIS\n";
  for (const CommandEntry* command : all_commands(root)) {
    if (command->commands.empty()) text += synopsis(*command) + "\n.br\n";
  }
  text += fmt::format(".SH DESCRIPTION\n{}\n", plain(summary));
  text += ".SH COMMANDS\n";
  for (const CommandEntry* command : all_commands(root)) {
    if (command->commands.empty()) text += command_text(*command);
  }
  text += fmt::format(".SH SHARED OPTIONS\n{}", shared_options(root));
  text += fmt::format(".SH EXIT STATUS\n{}", exit_statuses());
  return text;
}

}  // namespace

void add_man(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("man", "Print the manual page krica(1) in roff");
  sub->footer("\nExample: krica man | man -l -");
  sub->callback([&app] { fmt::print("{}", page(command_tree(app))); });
}

}  // namespace krica::cli
