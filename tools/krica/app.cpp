// SPDX-License-Identifier: BSD-3-Clause
#include "app.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "help.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/library.hpp"
#include "runtime/launcher.hpp"
#include "runtime/nearest.hpp"
#include "runtime/out_of_memory.hpp"
#include "runtime/printable.hpp"
#include "session.hpp"
#include "tell.hpp"

namespace krica::cli {
namespace {

enum ExitCode {
  kSuccess = 0,
  kInternal = 1,
  kUsage = 2,
  kBadData = 3,
  kFileSystem = 4,
  kInterrupted = 130
};

std::string complaint;  // the last one

int complain(int code, const std::string& what) {
  end_progress_line();
  complaint = what;
  tell("krica: {}\n", printable(what));
  return code;
}

void describe(CLI::App& app) {
  app.description(
      "Learn sparse, over-complete, nonlinear and class-aware representations from images or "
      "samples.\n"
      "Example: krica train embedded -o clothes.krica --components 400");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("krica {}", version()));
  app.set_help_all_flag("--help-all", "Show help for all commands");
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(32);
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// "Did you mean --components?" for the first unknown command or option; empty if all are known, or
/// nothing is similar.
std::string hint_for(const CLI::App& root, int argc, char** argv) {
  const CLI::App* app = &root;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const bool is_option = word.starts_with("--");
    word = word.substr(0, word.find('='));
    const std::vector<std::string> known = is_option ? option_names(*app) : subcommand_names(*app);
    const bool is_known = std::find(known.begin(), known.end(), word) != known.end();
    if (!is_option && is_known) app = app->get_subcommand(word);
    if (is_known || known.empty()) continue;
    const std::string meant = nearest(word, known);
    if (!meant.empty()) return fmt::format("Did you mean {}?", meant);
    if (!is_option && app == &root) return {};
  }
  return {};
}

int complain_of_output(int error) {
  if (error == EPIPE && broken_pipe_ends_program()) {  // as in krica info MODEL | head: no fault
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return complain(kFileSystem,
                  fmt::format("[output] cannot write standard output{}{}", error == 0 ? "" : ": ",
                              error == 0 ? "" : std::generic_category().message(error)));
}

/// Buffered output may fail only when flushed, for example on a full disk.
int finished_output() {
  errno = 0;
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return written ? kSuccess : complain_of_output(errno);
}

/// Some destructors, such as those of JSON values, allocate memory and must not fail: without this
/// handler, the program would abort. Nothing may be allocated here.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kWords = "krica: out of memory\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords.data(), kWords.size());
    ::_exit(kFileSystem);
  } catch (...) {  // aborted, as it would be without this handler
  }
  std::abort();
}

/// Several processes under mpirun or srun, of which this is one (docs/cluster.md).
std::shared_ptr<Communicator> ranks;

/// Commands whose work is divided among ranks. Others need only one process.
constexpr std::array<std::string_view, 6> kDivided = {"train",    "fit",  "encode",
                                                      "evaluate", "tune", "reproduce"};
/// Long ones, whose ranks would wait for the first in vain.
constexpr std::array<std::string_view, 1> kUndivided = {"demo"};

bool is_among(std::span<const std::string_view> commands, std::string_view command) {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

/// Ranks other than the first print nothing, except an error that the first does not know of.
int quiet_errors = -1;  // a copy of their standard error

void be_quiet() {
  quiet_errors = ::dup(STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  ::close(nothing);
}

/// False if this process has nothing to do.
bool join_ranks(std::string_view command) {
  speak_when_interrupted(false);  // of several ranks, each would
  check_usage([] { ranks = launched_ranks(); });
  if (ranks == nullptr) {
    speak_when_interrupted(true);
    return true;
  }
  if (ranks->rank() > 0) be_quiet();
  check_usage([] { require_alike(*ranks); });
  if (is_among(kUndivided, command)) {
    throw UsageError(
        fmt::format("krica {} does not divide its work among processes; start one, "
                    "without mpirun (train, fit, encode, evaluate, tune and reproduce do)",
                    command));
  }
  if (!is_among(kDivided, command)) return ranks->rank() == 0;
  set_ranks(ranks);
  return true;
}

/// Ends the processes of all ranks. After most errors all of them come here: the first then tells
/// of it. If it does not within a few seconds, the error is of this rank alone.
int ended_ranks(int code, const std::string& what) {
  // The launcher ends all ranks by SIGTERM when one of them aborts, which is not worth a message.
  stop_handling_signals(ranks->rank() == 0);
  if (ranks->rank() > 0) {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    ::dup2(quiet_errors, STDERR_FILENO);
    tell("krica: process {}: {}\n", ranks->rank(), printable(what));
  }
  std::fflush(stderr);
  release_outputs();
  ranks->abort(code);
  return code;
}

/// Handles usage errors; other exceptions pass through.
int run_command(int argc, char** argv) {
  set_command_line(argc, argv);
  if (!join_ranks(argc > 1 ? argv[1] : "")) return kSuccess;
  CLI::App app;
  describe(app);
  add_demo(app);
  add_train(app);
  add_fit(app);
  add_encode(app);
  add_evaluate(app);
  add_predict(app);
  add_tune(app);
  add_show(app);
  add_info(app);
  add_reproduce(app);
  add_data(app);
  add_methods(app);
  add_completion(app);
  add_man(app);
  try {
    app.parse(argc, argv);
    return kSuccess;
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    const int code = app.exit(help, text, text);
    fmt::print("{}", text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    if (const std::string hint = hint_for(app, argc, argv); !hint.empty()) tell("{}\n", hint);
    return kUsage;
  }
}

int run_reporting_errors(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const Cancelled&) {
    return complain(kInterrupted, interrupted_message());
  } catch (const UsageError& error) {
    return complain(kUsage, error.what());
  } catch (const InvalidArgument& error) {
    return complain(kBadData,
                    error.what());  // the options were checked before: the data does not fit them
  } catch (const DataError& error) {
    return complain(kBadData, error.what());
  } catch (const IoError& error) {
    return complain(kFileSystem, error.what());
  } catch (const DeviceError& error) {
    const bool missing = error.trouble() == DeviceError::Trouble::kNoDevice;
    return complain(missing ? kUsage : kFileSystem, error.what());
  } catch (const OutOfMemory& error) {
    return complain(kFileSystem, error.what());
  } catch (const std::bad_alloc&) {
    return complain(kFileSystem, "out of memory; lower --memory, --components or --patches");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return complain_of_output(error.code().value());
    return complain(kFileSystem, fmt::format("[system] {}", error.what()));
  } catch (const std::exception& error) {
    return complain(kInternal, fmt::format("internal error: {}", error.what()));
  }
}

/// A file that is opened while standard output or error is closed would take its number, and what
/// is meant for the user would be written to that file. Here it cannot be written at all.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int run(int argc, char** argv) {
  std::set_terminate(end_without_memory);
  occupy_closed_streams();
  handle_signals();
  int code = run_reporting_errors(argc, argv);
  if (code == kSuccess) code = finished_output();
  // Ranks agree on being interrupted, and end one by one.
  if (ranks != nullptr && code != kSuccess && code != kInterrupted)
    return ended_ranks(code, complaint);
  stop_handling_signals(true);  // the result is what it is, and its context is about to go
  set_ranks(nullptr);
  ranks.reset();
  return code;
}

}  // namespace krica::cli
