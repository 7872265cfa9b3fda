// SPDX-License-Identifier: BSD-3-Clause
//
// What all commands share: --threads, --memory, --quiet, --json and --config; the data options;
// progress on standard error; Ctrl-C.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "krica/data/dataset.hpp"
#include "krica/models/model.hpp"
#include "krica/runtime/context.hpp"
#include "models/option_list.hpp"

namespace krica::cli {

/// The command is wrong (exit code 2), as opposed to the data.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SessionOptions {
  int threads = 0;
  double memory = 0x1p32;  // bytes
  bool quiet = false;
  bool json = false;
  std::filesystem::path config;
};

struct DataOptions {
  std::filesystem::path path;
  std::string format = "auto";
  Auto<Index> image_size = {};
  std::string image_size_rule = "square";
  Index channels = 0;
  std::filesystem::path labels;
  std::string label_column;
  Auto<double> test_fraction = {};
  bool skip_bad = false;
  bool no_exif_orientation = false;
};

/// An option or positional whose value is one path or several: help and completion tell.
template <class Paths>
CLI::Option* add_path(CLI::App& command, const std::string& name, Paths& paths,
                      const std::string& help) {
  return command.add_option(name, paths, help)->type_name("PATH");
}

void add_session_options(CLI::App& command, SessionOptions& options);
/// The positional DATA and how to read it.
void add_data_options(CLI::App& command, DataOptions& options);
void add_pipeline_options(CLI::App& command, PipelineOptions& options);

/// Sets the options that --config names and the command line does not. Throws UsageError for
/// unknown names.
void apply_config(CLI::App& command, const SessionOptions& options);

/// A context that shows progress and is cancelled by Ctrl-C and SIGTERM.
Context make_context(const SessionOptions& options, std::uint64_t seed);

/// Held out of labelled data without a test part, unless --test-fraction says otherwise.
constexpr double kTestFraction = 0.2;

/// Prints the data set's notes on standard error.
DataSet open_data(const Context& context, const DataOptions& options);
/// The same for commands that go through a model: samples come as the sets that models read.
DataSet open_images(const Context& context, const DataOptions& options);
/// The same, with images prepared as those that the model learned from.
DataSet open_as_learned(const Context& context, const DataOptions& options, const Model& model);
/// "images" or "samples": what images of this shape are to the user.
std::string_view noun_of(const ImageShape& shape);

/// Checks options that need no data; UsageError instead of InvalidArgument.
void check_usage(const std::function<void()>& check);

/// Throws IoError where a file cannot be written there, so that this is found before the work and
/// not after it. Does nothing for an empty path.
void check_target(const std::filesystem::path& file);
/// The same for a directory that is to be made or filled.
void check_target_directory(const std::filesystem::path& directory);

/// Keeps other processes from writing the same outputs until the program ends. Throws IoError where
/// another one does. Empty paths are left out.
void hold_outputs(const std::vector<std::filesystem::path>& outputs);

/// Where a command keeps what it needs to resume: files or directories.
void keep_for_resume(std::vector<std::filesystem::path> places);
/// The command's result is at this place; an interruption loses only what comes after it.
void result_is_saved(const std::filesystem::path& place);
/// What to say when a command is interrupted: what is there to resume from, or that nothing is.
std::string interrupted_message();
/// From now on SIGINT and SIGTERM end the program with a message and exit code 130.
void handle_signals();

/// The command as it was given, to be rerun: "krica train embedded -o 'my model'".
void set_command_line(int argc, char** argv);
std::string command_line();

/// A word as a shell reads it back: quoted where it needs to be.
std::string shell_word(const std::string& word);

/// Clears the progress bar, if one is being drawn, before something else is printed.
void end_progress_line();

/// Prints one JSON object on standard output.
void print_json(const nlohmann::json& object);

}  // namespace krica::cli
