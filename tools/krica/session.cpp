// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <optional>
#include <utility>

#include "device/devices.hpp"
#include "device/use_device.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/words.hpp"
#include "models/model_parts.hpp"
#include "one_of.hpp"
#include "progress.hpp"
#include "runtime/launcher.hpp"
#include "runtime/printable.hpp"

namespace krica::cli {
namespace {

constexpr const char* kModelGroup = "Model";

constexpr double kLeastMemory = 0x1p20;
constexpr double kMostMemory = 0x1p50;

constexpr int kInterrupted = 130;
constexpr std::string_view kNothingSaved = "interrupted; nothing was saved yet";

std::vector<std::filesystem::path> kept_places;
std::filesystem::path saved_place;
std::optional<Context> interruptible;        // cancelled by the signal handler
std::atomic<bool> can_be_cancelled = false;  // whether it can be

std::string given_command = "krica";

std::shared_ptr<Communicator> all_ranks;  // null: this process alone

void on_signal(int /*signal*/) {
  if (can_be_cancelled) return interruptible->cancel();
  // Nothing has started yet. Only async-signal-safe functions may be called here.
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

/// An option that takes a number or "auto".
template <class Number>
CLI::Option* add_auto_number(CLI::App& command, const std::string& name, Auto<Number>& value,
                             const std::string& help) {
  const auto parse = [&value, name](const std::string& text) {
    if (text == "auto") return value.reset();
    Number number = 0;
    if (!CLI::detail::lexical_cast(text, number))
      throw CLI::ValidationError(name, "must be auto or a number, got " + text);
    value = number;
  };
  return command.add_option_function<std::string>(name, parse, help)->default_str("auto");
}

/// The bytes of a size such as 1.5G. A plain number is a number of bytes.
double memory_size(std::string_view option, const std::string& text) {
  const char* const end = text.data() + text.size();
  double size = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, size);
  const std::string unit = CLI::detail::to_lower(std::string(rest, end));
  constexpr std::string_view kUnits = "kmgt";
  const std::size_t place = unit.size() == 1 ? kUnits.find(unit[0]) : std::string::npos;
  if (error != std::errc() || !std::isfinite(size) || (!unit.empty() && place > kUnits.size())) {
    throw UsageError(
        fmt::format("{} must be a size such as 512M or 4G, with k, M, G or T, got '{}'; for no "
                    "limit, use the maximum of 1024T",
                    option, text));
  }
  if (!unit.empty()) size *= std::pow(1024.0, static_cast<double>(place + 1));
  if (size < kLeastMemory)
    throw UsageError(fmt::format("{} must be at least 1M, got {}", option, text));
  if (size > kMostMemory)
    throw UsageError(fmt::format("{} must be at most 1024T, got {}", option, text));
  return size;
}

/// Options that may be given without a value.
bool is_switch(std::string_view name) { return name == "flips" || name == "refit"; }

/// An option of any of PipelineOptions' types.
class OptionAdder {
 public:
  explicit OptionAdder(CLI::App& command) : command_(command) {}

  template <class Value>
  void operator()(const char* name, Value& value, const char* help) const {
    command_.add_option("--" + std::string(name), value, help)
        ->capture_default_str()
        ->group(kModelGroup);
  }
  void operator()(const char* name, bool& value, const char* help) const {
    command_.add_flag("--" + std::string(name), value, help)->group(kModelGroup);
  }
  void operator()(const char* name, Auto<bool>& value, const char* help) const {
    const std::string option = "--" + std::string(name);
    const auto parse = [&value](const std::string& text) {
      if (text == "auto") return value.reset();
      value = text == "yes" || text == "true";
    };
    CLI::Option* added = command_.add_option_function<std::string>(option, parse, help);
    if (is_switch(name)) {
      added->expected(0);  // a flag; --flips=no switches it off
    } else {
      added->check(one_of({"auto", "yes", "no"}));
    }
    added->default_str("auto")->group(kModelGroup);
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(const char* name, Auto<Number>& value, const char* help) const {
    add_auto_number(command_, "--" + std::string(name), value, help)->group(kModelGroup);
  }
  template <Worded Value>
  void operator()(const char* name, Value& value, const char* help) const {
    const auto parse = [&value, name](const std::string& text) {
      check_usage([&] { value = from_words<Value>(text, name); });
    };
    command_.add_option_function<std::string>("--" + std::string(name), parse, help)
        ->default_str(to_words(value))
        ->group(kModelGroup);
  }
  template <Worded Value>
  void operator()(const char* name, Auto<Value>& value, const char* help) const {
    const auto parse = [&value, name](const std::string& text) {
      check_usage([&] { value = auto_or_words<Value>(text, name); });
    };
    command_.add_option_function<std::string>("--" + std::string(name), parse, help)
        ->default_str("auto")
        ->group(kModelGroup);
  }
  void operator()(const char* name, Auto<std::string>& value, const char* help) const {
    const auto parse = [&value](const std::string& text) {
      if (text == "auto") return value.reset();
      value = text;
    };
    command_.add_option_function<std::string>("--" + std::string(name), parse, help)
        ->default_str("auto")
        ->group(kModelGroup);
  }

 private:
  CLI::App& command_;
};

}  // namespace

void set_ranks(std::shared_ptr<Communicator> ranks) {
  all_ranks = std::move(ranks);
  if (all_ranks == nullptr) interruptible.reset();
}

bool is_first_rank() { return all_ranks == nullptr || all_ranks->rank() == 0; }

void add_session_options(CLI::App& command, SessionOptions& options) {
  const std::string group = "Running";
  command.add_option("--threads", options.threads, "number of threads; 0 uses all cores")
      ->capture_default_str()
      ->group(group);
  command
      .add_option_function<std::string>(
          "--memory",
          [&options](const std::string& text) { options.memory = memory_size("--memory", text); },
          "memory budget, e.g. 512M or 4G")
      ->type_name("SIZE")
      ->default_str("4G")
      ->group(group);
  command.add_option("--device", options.device, "cpu, cuda, or cuda:N for one of several GPUs")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--precision", options.precision,
                  "rounding of matrix products on a GPU; the CPU always uses float32")
      ->check(one_of(all_names<Precision>()))
      ->capture_default_str()
      ->group(group);
  command
      .add_option_function<std::string>(
          "--device-memory",
          [&options](const std::string& text) {
            options.device_memory = text == "auto" ? 0 : memory_size("--device-memory", text);
          },
          "memory budget on the GPU, e.g. 8G; auto is most of what is free")
      ->type_name("SIZE")
      ->default_str("auto")
      ->group(group);
  command.add_flag("--quiet", options.quiet, "do not show progress")->group(group);
  command.add_flag("--json", options.json, "print one JSON object on standard output")
      ->group(group);
  add_path(command, "--config", options.config, "TOML file with options (name = value)")
      ->group(group);
}

void add_data_options(CLI::App& command, DataOptions& options) {
  const std::string group = "Data";
  add_path(command, "DATA", options.path, "directory or file of images or samples, or 'embedded'")
      ->required();
  command.add_option("--format", options.format, "data format; auto detects it")
      ->check(one_of(all_names<DataFormat>()))
      ->capture_default_str()
      ->group(group);
  add_auto_number(
      command, "--image-size", options.image_size,
      "resize images to SIZE x SIZE; 0 keeps their size; auto keeps small images of one "
      "size and otherwise resizes to at most 48; with rule within, the longest side that images "
      "keep, auto is 300")
      ->group(group);
  std::vector<std::string> rules = all_names<ImageSizeRule>();
  rules.insert(rules.begin(), "auto");
  command
      .add_option_function<std::string>(
          "--image-size-rule",
          [&options](const std::string& text) {
            options.image_size_rule = auto_or_words<ImageSizeRule>(text, "image-size-rule");
          },
          "scale each side separately (square), crop the longer side (shorter), pad the shorter "
          "one (longer), or only shrink larger images and keep their proportions (within); auto is "
          "square, with --descriptor sift within")
      ->check(one_of(rules))
      ->default_str("auto")
      ->group(group);
  command
      .add_option("--channels", options.channels,
                  "1 for grey, 3 for colour, 0 keeps them as they are")
      ->capture_default_str()
      ->group(group);
  add_path(command, "--labels", options.labels,
           "file with the labels of a single .npy, IDX or CSV file: .npy, IDX, or text with one "
           "label per line")
      ->group(group);
  command
      .add_option("--label-column", options.label_column,
                  "CSV: name or number (from 1) of the column with the labels, or none")
      ->group(group);
  command
      .add_flag("--skip-bad", options.skip_bad,
                "skip image files that cannot be read; decodes all of them first")
      ->group(group);
  command
      .add_flag("--no-exif-orientation", options.no_exif_orientation,
                "read images as stored, ignoring their orientation tags")
      ->group(group);
  add_auto_number(
      command, "--test-fraction", options.test_fraction,
      "fraction of labelled data held out for testing if there is no test part; auto is "
      "0.2 when training")
      ->group(group);
}

void add_pipeline_options(CLI::App& command, PipelineOptions& options) {
  for_each_option(options, OptionAdder(command));
}

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
  for (const std::string& note : data.notes)
    fmt::print(stderr, "krica: note: {}\n", printable(note));
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
    if (holds_something(place))
      return fmt::format("interrupted; {} is kept: rerun the same command to resume",
                         place.string());
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
