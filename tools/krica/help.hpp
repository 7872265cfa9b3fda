// SPDX-License-Identifier: BSD-3-Clause
//
// --help shows the options that most users need, --help-all shows all.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace krica::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;

 private:
  mutable bool short_ = false;  // which help make_help was called for, for the functions it calls
};

}  // namespace krica::cli
