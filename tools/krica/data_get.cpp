// SPDX-License-Identifier: BSD-3-Clause
//
// krica data list: the public data sets. krica data get: downloads, verifies and unpacks one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands.hpp"
#include "data/download.hpp"
#include "one_of.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

namespace fs = std::filesystem;

struct GetCommand {
  SessionOptions session;
  std::string name;
  fs::path directory;
  std::string mirror;
};

fs::path usual_directory(const std::string& name) { return fs::path("data") / name; }

std::vector<std::string> set_names() {
  std::vector<std::string> names;
  for (const DownloadInfo& set : downloads()) names.push_back(set.name);
  return names;
}

DownloadInfo set_named(const std::string& name) {
  const std::vector<DownloadInfo> sets = downloads();
  return *std::find_if(sets.begin(), sets.end(), [&](const auto& set) { return set.name == name; });
}

nlohmann::json download_json(const DownloadInfo& set) {
  return {{"name", set.name},
          {"description", set.description},
          {"images", set.images},
          {"megabytes", set.megabytes},
          {"licence", set.licence},
          {"citation", set.citation},
          {"addresses", set.addresses},
          {"files", set.files},
          {"directory", usual_directory(set.name).string()}};
}

void run_list(bool json) {
  if (json) {
    nlohmann::json sets = nlohmann::json::array();
    for (const DownloadInfo& set : downloads()) sets.push_back(download_json(set));
    return print_json({{"sets", sets}});
  }
  for (const DownloadInfo& set : downloads()) {
    fmt::print("{:<14} {:>6} images, {} MB: {}\n", set.name, set.images, set.megabytes,
               set.description);
    fmt::print("    licence  {}\n    cite     {}\n    from     {}\n    path     {}\n", set.licence,
               set.citation, fmt::join(set.addresses, " or "), usual_directory(set.name).string());
  }
}

/// A mirror has one directory per set, because file names repeat across sets.
DownloadOptions options_of(const GetCommand& command) {
  if (command.mirror.empty()) return {};
  return {.address = command.mirror + (command.mirror.ends_with('/') ? "" : "/") + command.name};
}

void run_get(CLI::App& app, GetCommand& command) {
  apply_config(app, command.session);
  if (command.directory.empty()) command.directory = usual_directory(command.name);
  check_target_directory(command.directory);
  const Context context = make_context(command.session, 0);
  keep_for_resume({command.directory});
  const fs::path place = download(context, command.name, command.directory, options_of(command));
  end_progress_line();
  const DownloadInfo set = set_named(command.name);
  if (command.session.json) {
    nlohmann::json result = download_json(set);
    result["directory"] = command.directory.string();
    result["path"] = place.string();
    return print_json(result);
  }
  fmt::print("{}: {}, {} images\nlicence: {}\ncite: {}\n", place.string(), set.name, set.images,
             set.licence, set.citation);
}

}  // namespace

void add_data_list(CLI::App& data) {
  auto json = std::make_shared<bool>(false);
  CLI::App* sub =
      data.add_subcommand("list", "List the public data sets: size, licence, citation and source");
  sub->add_flag("--json", *json, "print one JSON object on standard output");
  sub->footer("\nExample: krica data list");
  sub->callback([json] { run_list(*json); });
}

void add_data_get(CLI::App& data) {
  auto command = std::make_shared<GetCommand>();
  CLI::App* sub = data.add_subcommand(
      "get", "Download a public data set from its authors, verify its checksums and unpack it");
  sub->add_option("NAME", command->name, "name of the data set")
      ->required()
      ->check(one_of(set_names()));
  add_path(*sub, "DIRECTORY", command->directory, "directory to download to; default data/NAME");
  sub->add_option("--mirror", command->mirror,
                  "download from ADDRESS/NAME/ instead (http, https or file)")
      ->envname("KRICA_DATA_MIRROR");
  add_session_options(*sub, command->session);
  sub->footer(
      "\nFiles that are complete are not downloaded again; rerun the same command to resume an "
      "interrupted download.\n"
      "Without a network, copy the files into DIRECTORY by hand: they are verified and unpacked.\n"
      "\nExample: krica data get cifar10");
  sub->callback([sub, command] { run_get(*sub, *command); });
}

}  // namespace krica::cli
