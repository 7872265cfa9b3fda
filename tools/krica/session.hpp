// SPDX-License-Identifier: BSD-3-Clause
//
// What all commands share: --threads, --memory, --device, --quiet, --json and --config; the data
// options; progress on standard error; Ctrl-C.
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
#include "runtime/communicator.hpp"

namespace krica::cli {

/// The command is invalid (exit code 2), as opposed to the data.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Under mpirun, the processes that run the same command (docs/cluster.md); contexts get them.
void set_ranks(std::shared_ptr<Communicator> ranks);
/// Of several ranks only the first writes files and prints.
bool is_first_rank();

struct SessionOptions {
  int threads = 0;
  double memory = 0x1p32;  // bytes
  std::string device = "cpu";
  std::string precision = "tf32";
  double device_memory = 0;  // bytes; 0: most of what is free
  bool quiet = false;
  bool json = false;
  std::filesystem::path config;
};

struct DataOptions {
  std::filesystem::path path;
  std::string format = "auto";
  Auto<Index> image_size = {};
  Auto<ImageSizeRule> image_size_rule = {};  ///< auto: square, or within for SIFT
  Index channels = 0;
  std::filesystem::path labels;
  std::string label_column;
  Auto<double> test_fraction = {};
  bool skip_bad = false;
  bool no_exif_orientation = false;
};

/// An option or positional that takes one or more paths, marked as such for help and completion.
template <class Paths>
CLI::Option* add_path(CLI::App& command, const std::string& name, Paths& paths,
                      const std::string& help) {
  return command.add_option(name, paths, help)->type_name("PATH");
}

void add_session_options(CLI::App& command, SessionOptions& options);
/// The positional DATA and how to read it.
void add_data_options(CLI::App& command, DataOptions& options);
void add_pipeline_options(CLI::App& command, PipelineOptions& options);

/// Sets the options from --config that are not on the command line. Throws UsageError for unknown
/// names.
void apply_config(CLI::App& command, const SessionOptions& options);

/// Sets the options of a recipe that neither the command line nor --config gives. Nothing for an
/// empty name. Throws UsageError for an unknown one.
void apply_recipe(CLI::App& command, const std::string& name);

/// A context that shows progress and is cancelled by Ctrl-C and SIGTERM.
Context make_context(const SessionOptions& options, std::uint64_t seed);

/// Fraction held out of labelled data without a test part, unless --test-fraction is given.
constexpr double kTestFraction = 0.2;

/// Prints the data set's notes on standard error.
DataSet open_data(const Context& context, const DataOptions& options);
/// The same for commands that use a model: samples become image sets, which models can read.
DataSet open_images(const Context& context, const DataOptions& options);
/// The same, with images prepared like the model's training images.
DataSet open_as_learned(const Context& context, const DataOptions& options, const Model& model);
/// "images" or "samples": what the user calls items of this shape.
std::string_view noun_of(const ImageShape& shape);

/// Checks options that need no data; throws UsageError instead of InvalidArgument.
void check_usage(const std::function<void()>& check);

/// Throws IoError if a file cannot be written there, so that this is detected before the work
/// rather than after it. Does nothing for an empty path.
void check_target(const std::filesystem::path& file);
/// The same for a directory to be created or filled.
void check_target_directory(const std::filesystem::path& directory);

/// Prevents other processes from writing the same outputs until the program ends. Throws IoError if
/// another one is. Ignores empty paths.
void hold_outputs(const std::vector<std::filesystem::path>& outputs);
/// The same as the end of the process, unless that is MPI's, which calls no destructors.
void release_outputs();

/// The files or directories that a command needs to resume.
void keep_for_resume(std::vector<std::filesystem::path> places);
/// The command's result has been saved here; an interruption loses only what comes after it.
void result_is_saved(const std::filesystem::path& place);
/// The message for an interrupted command: what it can resume from, or that there is nothing.
std::string interrupted_message();
/// From now on SIGINT and SIGTERM end the program with a message and exit code 130.
void handle_signals();
/// Whether there is a message if they come before any work.
void speak_when_interrupted(bool speak);
/// From now on they are ignored, or end the program at once and silently.
void stop_handling_signals(bool ignore);

/// The command as given, for rerunning it: "krica train embedded -o 'my model'".
void set_command_line(int argc, char** argv);
std::string command_line();

/// A word for a shell: quoted if necessary.
std::string shell_word(const std::string& word);

/// Clears the progress bar, if one is being drawn, before something else is printed.
void end_progress_line();

/// Hands on what was printed on standard output. Throws std::system_error if it cannot be written.
void flush_output();
/// Whether a pipe that nobody reads ends the program: not if the caller ignored SIGPIPE.
bool broken_pipe_ends_program();

/// Prints one JSON object on standard output.
void print_json(const nlohmann::json& object);

}  // namespace krica::cli
