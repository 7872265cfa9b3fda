// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "commands.hpp"
#include "data/convert.hpp"
#include "one_of.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct ConvertCommand {
  SessionOptions session;
  DataOptions data;
  std::filesystem::path target;
  std::string to = "npy";
};

void run_convert(CLI::App& app, ConvertCommand& command) {
  apply_config(app, command.session);
  DataFormat format = DataFormat::kNpy;
  check_usage([&] { format = data_format(command.to); });
  check_target_directory(command.target);
  const Context context = make_context(command.session, 0);
  if (!command.data.image_size) command.data.image_size = 0;  // keep their size
  convert(context, open_data(context, command.data), command.target, format);
  end_progress_line();
  if (command.session.json)
    return print_json({{"path", command.target.string()}, {"format", command.to}});
  fmt::print("{}: {}\n", command.target.string(), command.to);
}

void add_convert(CLI::App& parent) {
  auto command = std::make_shared<ConvertCommand>();
  CLI::App* sub = parent.add_subcommand("convert", "Convert a data set to another format");
  add_data_options(*sub, command->data);
  add_path(*sub, "TARGET", command->target, "new or empty directory to write to")->required();
  sub->add_option("--to", command->to, "format to write")
      ->check(one_of({"cifar10", "idx", "npy", "folder"}))
      ->capture_default_str();
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica data convert embedded clothes --to folder");
  sub->callback([sub, command] { run_convert(*sub, *command); });
}

}  // namespace

void add_data(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("data", "List, download and convert data sets");
  sub->require_subcommand(1);
  add_data_list(*sub);
  add_data_get(*sub);
  add_convert(*sub);
}

}  // namespace krica::cli
