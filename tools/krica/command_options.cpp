// SPDX-License-Identifier: BSD-3-Clause
//
// The options that commands share, as the command line takes them (session.hpp).
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "krica/runtime/words.hpp"
#include "one_of.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

constexpr const char* kModelGroup = "Model";

constexpr double kLeastMemory = 0x1p20;
constexpr double kMostMemory = 0x1p50;

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

}  // namespace krica::cli
