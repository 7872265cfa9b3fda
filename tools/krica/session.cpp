// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "device/devices.hpp"
#include "device/use_device.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/words.hpp"
#include "models/model_parts.hpp"
#include "progress.hpp"
#include "runtime/launcher.hpp"
#include "runtime/printable.hpp"
#include "tell.hpp"

namespace krica::cli {
namespace {

constexpr int kInterrupted = 130;
constexpr std::string_view kNothingSaved = "interrupted; nothing was saved yet";

std::vector<std::filesystem::path> kept_places;
std::filesystem::path saved_place;
std::optional<Context> interruptible;        // cancelled by the signal handler
std::atomic<bool> can_be_cancelled = false;  // whether it can be
std::atomic<bool> speaks = true;    // whether the signal handler says that it ends the process
bool broken_pipe_was_fatal = true;  // before handle_signals()

std::string given_command = "krica";

std::shared_ptr<Communicator> all_ranks;  // null: this process alone

void on_signal(int /*signal*/) {
  if (can_be_cancelled) return interruptible->cancel();
  // Nothing has started yet. Only async-signal-safe functions may be called here.
  if (!speaks) ::_exit(kInterrupted);
  for (const std::string_view part : {std::string_view("krica: "), kNothingSaved, {"\n"}}) {
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  }
  ::_exit(kInterrupted);
}

/// Whether there is a file, or a non-empty directory.
bool holds_something(const std::filesystem::path& place) {
  std::error_code missing;
  if (!std::filesystem::exists(place, missing)) return false;
  return !std::filesystem::is_directory(place, missing) ||
         !std::filesystem::is_empty(place, missing);
}

}  // namespace

void set_ranks(std::shared_ptr<Communicator> ranks) {
  all_ranks = std::move(ranks);
  if (all_ranks == nullptr) interruptible.reset();
}

bool is_first_rank() { return all_ranks == nullptr || all_ranks->rank() == 0; }

namespace {

/// --device cuda: of several ranks on a machine, each has a GPU of its own if there are enough.
std::string device_for_this_rank(const std::string& device) {
  if (all_ranks == nullptr || device != "cuda") return device;
  const auto devices = static_cast<int>(device::list_devices().devices.size());
  return devices > 1 ? fmt::format("cuda:{}", rank_on_machine() % devices) : device;
}

}  // namespace

Context make_context(const SessionOptions& options, std::uint64_t seed) {
  if (options.threads < 0 || options.threads > 256) {
    throw UsageError(fmt::format("--threads must be 0 to 256, got {}", options.threads));
  }
  ContextOptions context{.threads = options.threads,
                         .seed = seed,
                         .memory_bytes = static_cast<std::int64_t>(options.memory),
                         .device = device_for_this_rank(options.device),
                         .precision = from_words<Precision>(options.precision, "precision"),
                         .device_memory_bytes = static_cast<std::int64_t>(options.device_memory),
                         .ranks = all_ranks};
  if (!options.quiet && is_first_rank()) context.progress = ProgressPrinter();
  check_usage([&] { interruptible.emplace(std::move(context)); });
  device::use_device(*interruptible);  // so that a missing one is told before the work
  can_be_cancelled = true;
  return *interruptible;
}

namespace {

OpenOptions open_options(const DataOptions& options) {
  OpenOptions open;
  check_usage([&] {
    open.format = data_format(options.format);
    open.image_size_rule = options.image_size_rule.value_or(ImageSizeRule::kSquare);
    open.image_size = options.image_size;
    open.channels = options.channels;
    open.labels = options.labels;
    open.label_column = options.label_column;
    open.skip_bad = options.skip_bad;
    open.exif_orientation = !options.no_exif_orientation;
    open.test_fraction = options.test_fraction.value_or(0);
    open.validate();
  });
  return open;
}

DataSet open_with_notes(const Context& context, const std::filesystem::path& path,
                        const OpenOptions& options) {
  DataSet data = open_dataset(context, path, options);
  for (const std::string& note : data.notes) tell("krica: note: {}\n", printable(note));
  return data;
}

/// Samples as an image set, which models can read.
DataSet as_images(DataSet data) {
  if (!data.is_samples()) return data;
  data.train = krica::as_images(std::exchange(data.train_samples, nullptr));
  data.test = krica::as_images(std::exchange(data.test_samples, nullptr));
  return data;
}

}  // namespace

DataSet open_data(const Context& context, const DataOptions& options) {
  return open_with_notes(context, options.path, open_options(options));
}

DataSet open_images(const Context& context, const DataOptions& options) {
  return as_images(open_data(context, options));
}

DataSet open_as_learned(const Context& context, const DataOptions& options, const Model& model) {
  OpenOptions open = open_options(options);
  const ImageShape shape = model.shape();
  open.one_class_allowed = true;
  if (!shape.is_sample()) {
    open.image_size_rule = model.parts().preparation.size_rule;
    open.exif_orientation =
        model.parts().preparation.exif_orientation && !options.no_exif_orientation;
    if (!options.image_size && open.image_size_rule == ImageSizeRule::kWithin) {
      open.image_size = model.parts().preparation.longest_side;
    } else if (!options.image_size) {
      open.image_size = shape.height == shape.width ? shape.height : 0;
    }
    if (options.channels == 0) open.channels = shape.channels;
  }
  return as_images(open_with_notes(context, options.path, open));
}

std::string_view noun_of(const ImageShape& shape) {
  return shape.is_sample() ? "samples" : "images";
}

void check_usage(const std::function<void()>& check) {
  try {
    check();
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what());
  }
}

void keep_for_resume(std::vector<std::filesystem::path> places) { kept_places = std::move(places); }
void result_is_saved(const std::filesystem::path& place) { saved_place = place; }

std::string interrupted_message() {
  if (!saved_place.empty()) return fmt::format("interrupted; {} is saved", saved_place.string());
  for (const std::filesystem::path& place : kept_places) {
    if (holds_something(place)) {
      return fmt::format("interrupted; {} is kept: rerun the same command to resume",
                         place.string());
    }
  }
  return std::string(kNothingSaved);
}

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESETHAND;  // a second Ctrl-C ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding ulimit -f then becomes an error of write()
  // So does a pipe that nobody reads: a lost log ends no training.
  broken_pipe_was_fatal = std::signal(SIGPIPE, SIG_IGN) == SIG_DFL;
}

void speak_when_interrupted(bool speak) { speaks = speak; }

void stop_handling_signals(bool ignore) {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, ignore ? SIG_IGN : SIG_DFL);
}

bool broken_pipe_ends_program() { return broken_pipe_was_fatal; }

void flush_output() {
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "standard output");
}

std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void set_command_line(int argc, char** argv) {
  given_command = "krica";
  for (int i = 1; i < argc; ++i) given_command += fmt::format(" {}", shell_word(argv[i]));
}
std::string command_line() { return given_command; }

void print_json(const nlohmann::json& object) {
  // File names need not be UTF-8, but JSON must be.
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  fmt::print("{}\n", printable_json(object.dump(2, ' ', false, kReplace)));
}

}  // namespace krica::cli
