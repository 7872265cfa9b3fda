// SPDX-License-Identifier: BSD-3-Clause
//
// One function per subcommand: adds it to the program. Its callback runs when it is selected.
#pragma once

#include <CLI/CLI.hpp>

namespace krica::cli {

void add_demo(CLI::App& app);
void add_train(CLI::App& app);
void add_fit(CLI::App& app);
void add_encode(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_predict(CLI::App& app);
void add_tune(CLI::App& app);
void add_show(CLI::App& app);
void add_info(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_data(CLI::App& app);
void add_methods(CLI::App& app);
void add_completion(CLI::App& app);
void add_man(CLI::App& app);
/// Subcommands of `krica data`.
void add_data_list(CLI::App& data);
void add_data_get(CLI::App& data);

}  // namespace krica::cli
