// SPDX-License-Identifier: BSD-3-Clause
#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace krica::cli {
namespace {

/// The options that most users need, from groups with many.
constexpr std::array<std::string_view, 13> kCommon = {
    "--image-size",      "--labels", "--test-fraction", "--method", "--components",
    "--receptive-field", "--stride", "--pool",          "--seed",   "--threads",
    "--device",          "--quiet",  "--json"};
constexpr std::array<std::string_view, 3> kLongGroups = {"Data", "Model", "Running"};
constexpr std::size_t kMany = 25;    // a command with fewer options shows them all
constexpr std::size_t kWidth = 100;  // columns

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_common(const CLI::Option& option) {
  return !contains(kLongGroups, option.get_group()) || contains(kCommon, option.get_name());
}

/// Wraps text to `width` columns, indenting all but the first line by `indent`.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0) result += ' ';
    result += word;
    column += word.size() + (column > 0 ? 1 : 0);
  }
  return result;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  short_ = mode == CLI::AppFormatMode::Normal && app->get_options().size() >= kMany;
  return CLI::Formatter::make_help(app, std::move(name), mode);
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  if (short_ && !is_positional)
    std::erase_if(options, [](const CLI::Option* option) { return !is_common(*option); });
  return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string footer = CLI::Formatter::make_footer(app);
  if (!short_) return footer;
  return fmt::format(
      "All options: krica {} --help-all. The methods and their own options: krica "
      "methods.\n{}",
      app->get_name(), footer);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  const std::size_t column = get_column_width();
  const std::string name = make_option_name(option, is_positional) + make_option_opts(option);
  const std::string description = wrapped(make_option_desc(option), kWidth - column, column);
  std::string text = fmt::format("  {:<{}}", name, column - 2);
  if (name.size() + 2 >= column) text += "\n" + std::string(column, ' ');
  return text + description + "\n";
}

}  // namespace krica::cli
