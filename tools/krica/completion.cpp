// SPDX-License-Identifier: BSD-3-Clause
//
// krica completion: a script that completes commands, options and their values, for each shell. The
// scripts map the words typed so far to a path such as /data/get and offer its options and words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_tree.hpp"
#include "commands.hpp"
#include "one_of.hpp"

namespace krica::cli {
namespace {

/// Replaces every occurrence of `from`.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// In single quotes, for a POSIX shell.
std::string quoted(const std::string& text) {
  return fmt::format("'{}'", replaced(text, "'", "'\\''"));
}

/// "/train|/fit|...": a pattern of all paths except the root's.
std::string path_pattern(const CommandEntry& root, const std::string& separator) {
  std::string pattern;
  for (const CommandEntry* command : all_commands(root)) {
    if (!command->path.empty()) pattern += (pattern.empty() ? "" : separator) + command->path;
  }
  return pattern;
}

std::vector<std::string> command_names(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const CommandEntry& sub : command.commands) names.push_back(sub.name);
  return names;
}

/// The words that positionals accept: names of data sets, shells, embedded.
std::vector<std::string> positional_words(const CommandEntry& command) {
  std::vector<std::string> words;
  for (const OptionEntry& positional : command.positionals)
    words.insert(words.end(), positional.values.begin(), positional.values.end());
  return words;
}

bool takes_files(const CommandEntry& command) {
  for (const OptionEntry& positional : command.positionals) {
    if (positional.takes_file) return true;
  }
  return false;
}

// --- bash

std::string bash_values(const CommandEntry& root) {
  std::string cases;
  for (const OptionEntry* option : all_options(root)) {
    if (!option->takes_value) continue;
    const std::string action = !option->values.empty()
                                   ? fmt::format("words=\"{}\"", fmt::join(option->values, " "))
                                   : std::string(option->takes_file ? "files=yes" : ":");
    cases += fmt::format("    {}) {}; place=value ;;\n", fmt::join(option->names, "|"), action);
  }
  return cases;
}

std::string bash_commands(const CommandEntry& root) {
  std::string cases;
  for (const CommandEntry* command : all_commands(root)) {
    std::vector<std::string> options;
    for (const OptionEntry& option : command->options)
      options.insert(options.end(), option.names.begin(), option.names.end());
    std::vector<std::string> words = command_names(*command);
    for (const std::string& word : positional_words(*command)) words.push_back(word);
    cases += fmt::format("      \"{}\") options=\"{}\"; words=\"{}\"{} ;;\n", command->path,
                         fmt::join(options, " "), fmt::join(words, " "),
                         takes_files(*command) ? "; files=yes" : "");
  }
  return cases;
}

constexpr const char* kBash = R"(# bash completion of krica
_krica() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}
  local command="" word place="" options="" words="" files="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=$command/${COMP_WORDS[i]}
    case $word in
      @PATHS@) command=$word ;;
    esac
  done
  # --option=value comes as three words.
  if [ "$option" = "=" ]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi
  if [ "$current" = "=" ]; then current=""; fi
  case $option in
@VALUES@  esac
  if [ "$place" != value ]; then
    case $command in
@COMMANDS@    esac
    case $current in
      -*) words=$options; files="" ;;
    esac
  fi
  local IFS=$' \t\n'
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ]; then
    IFS=$'\n'
    COMPREPLY+=($(compgen -f -- "$current"))
    compopt -o filenames 2> /dev/null
  fi
  return 0
}
complete -F _krica krica
)";

std::string bash_script(const CommandEntry& root) {
  std::string script = replaced(kBash, "@PATHS@", path_pattern(root, "|"));
  script = replaced(script, "@VALUES@", bash_values(root));
  return replaced(script, "@COMMANDS@", bash_commands(root));
}

// --- zsh

/// 'name:description', the format of _describe.
std::string described(const std::string& name, const std::string& help) {
  return quoted(replaced(name, ":", "\\:") + ":" + help);
}

std::string zsh_values(const CommandEntry& root) {
  std::string cases;
  for (const OptionEntry* option : all_options(root)) {
    if (!option->takes_value) continue;
    const std::string action = !option->values.empty()
                                   ? fmt::format("compadd -- {}", fmt::join(option->values, " "))
                                   : std::string(option->takes_file ? "_files" : ":");
    cases += fmt::format("    {}) {}; return ;;\n", fmt::join(option->names, "|"), action);
  }
  return cases;
}

std::string zsh_commands(const CommandEntry& root) {
  std::string cases;
  for (const CommandEntry* command : all_commands(root)) {
    std::string options;
    std::string words;
    for (const OptionEntry& option : command->options) {
      for (const std::string& name : option.names)
        options += fmt::format("\n        {}", described(name, option.help));
    }
    for (const CommandEntry& sub : command->commands)
      words += fmt::format("\n        {}", described(sub.name, sub.summary));
    for (const std::string& word : positional_words(*command))
      words += fmt::format(" {}", quoted(word));
    cases +=
        fmt::format("    '{}')\n      options=({})\n      words_here=({})\n      files={} ;;\n",
                    command->path, options, words, takes_files(*command) ? "yes" : "");
  }
  return cases;
}

constexpr const char* kZsh = R"(#compdef krica
# zsh completion of krica
_krica() {
  local command="" word="" option=${words[CURRENT-1]} files=""
  local -a options words_here
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    word=$command/${words[i]}
    case $word in
      (@PATHS@) command=$word ;;
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    option=${PREFIX%%\=*}
    compset -P '*='
  fi
  case $option in
@VALUES@  esac
  case $command in
@COMMANDS@  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
    return
  fi
  (( $#words_here )) && _describe command words_here
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _krica ]]; then
  _krica "$@"
else
  compdef _krica krica
fi
)";

std::string zsh_script(const CommandEntry& root) {
  std::string script = replaced(kZsh, "@PATHS@", path_pattern(root, "|"));
  script = replaced(script, "@VALUES@", zsh_values(root));
  return replaced(script, "@COMMANDS@", zsh_commands(root));
}

// --- fish

std::string fish_quoted(const std::string& text) {
  return fmt::format("'{}'", replaced(replaced(text, "\\", "\\\\"), "'", "\\'"));
}

std::string fish_option(const OptionEntry& option) {
  std::string line;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  }
  if (!option.values.empty()) {
    line += fmt::format(" -x -a '{}'", fmt::join(option.values, " "));
  } else if (option.takes_value) {
    line += option.takes_file ? " -r -F" : " -x";
  }
  return fmt::format("{} -d {}", line, fish_quoted(option.help));
}

constexpr const char* kFish = R"(# fish completion of krica
function __krica_at
    set -l command ''
    for word in (commandline -opc)[2..-1]
        switch "$command/$word"
            case @PATHS@
                set command "$command/$word"
        end
    end
    test "$command" = "$argv[1]"
end
complete -c krica -f
)";

std::string fish_script(const CommandEntry& root) {
  std::string script = replaced(kFish, "@PATHS@", path_pattern(root, " "));
  for (const CommandEntry* command : all_commands(root)) {
    const std::string start =
        fmt::format("complete -c krica -n '__krica_at \"{}\"'", command->path);
    for (const CommandEntry& sub : command->commands)
      script += fmt::format("{} -a {} -d {}\n", start, sub.name, fish_quoted(sub.summary));
    for (const std::string& word : positional_words(*command))
      script += fmt::format("{} -a {}\n", start, word);
    if (takes_files(*command)) script += start + " -F\n";
    for (const OptionEntry& option : command->options) script += start + fish_option(option) + "\n";
  }
  return script;
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("completion", "Print a completion script for a shell");
  sub->add_option("SHELL", *shell, "shell to complete for")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  sub->footer("\nExample: source <(krica completion bash)");
  sub->callback([&app, shell] {
    const CommandEntry root = command_tree(app);
    const std::string script = *shell == "bash"  ? bash_script(root)
                               : *shell == "zsh" ? zsh_script(root)
                                                 : fish_script(root);
    fmt::print("{}", script);
  });
}

}  // namespace krica::cli
