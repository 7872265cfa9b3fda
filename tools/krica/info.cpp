// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <fstream>

#include "commands.hpp"
#include "device/devices.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "runtime/printable.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct InfoCommand {
  SessionOptions session;
  DataOptions data;
  bool devices = false;
};

/// An archive begins with its header length, whose upper bytes are 0, and a brace.
bool looks_like_model(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(9, '\0');
  file.read(head.data(), 9);
  return file.gcount() == 9 && head[8] == '{' && head[7] == '\0' && head[6] == '\0' &&
         head[5] == '\0';
}

nlohmann::json describe_model(const Model& model) {
  const ImageShape shape = model.shape();
  nlohmann::json result = {{"kind", "model"},
                           {"options", nlohmann::json::parse(to_json(model.options()))},
                           {"class_names", model.class_names()},
                           {"features", model.n_features()},
                           {"classifier", model.has_classifier()},
                           {"basis_status", model.parts().basis_status},
                           {"basis_iterations", model.parts().history.size()},
                           {"fingerprint", model.parts().fingerprint}};
  if (!model.parts().precision.empty()) result["precision"] = model.parts().precision;
  if (model.accepts_any_size()) result["any_size"] = true;
  if (shape.is_sample()) {
    result["sample_values"] = shape.values();
  } else {
    result["image_shape"] = {shape.height, shape.width, shape.channels};
  }
  return result;
}

nlohmann::json describe_images(const ImageSetPtr& set) {
  if (!set) return nullptr;
  return {{"images", set->size()},
          {"shape", {set->shape().height, set->shape().width, set->shape().channels}},
          {"sizes_differ", set->varied()},
          {"labelled", !set->labels().empty()},
          {"class_names", set->class_names()},
          {"label_type", name_of(set->info().label_type)},
          {"description", set->description()}};
}

nlohmann::json describe_samples(const SampleSetPtr& set) {
  if (!set) return nullptr;
  nlohmann::json result = {{"samples", set->rows()},
                           {"values", set->cols()},
                           {"labelled", !set->labels().empty()},
                           {"class_names", set->class_names()},
                           {"label_type", name_of(set->info().label_type)},
                           {"description", set->description()}};
  if (!set->info().column_names.empty()) result["column_names"] = set->info().column_names;
  if (set->info().channels > 1) {
    result["channels"] = set->info().channels;
    result["steps"] = set->info().steps();
  }
  return result;
}

nlohmann::json describe_data(const DataSet& data) {
  nlohmann::json result = {
      {"kind", "data"}, {"format", name_of(data.format)}, {"notes", data.notes}};
  if (data.is_samples()) {
    result["train"] = describe_samples(data.train_samples);
    result["test"] = describe_samples(data.test_samples);
    return result;
  }
  result["train"] = describe_images(data.train);
  result["test"] = describe_images(data.test);
  result["unlabelled"] = describe_images(data.unlabelled);
  result["folds"] = data.folds.size();
  return result;
}

/// Nested objects as indented lines.
void print_table(const nlohmann::json& object, int indent) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    if (value.is_object()) {
      fmt::print("{:{}}{}\n", "", indent, name);
      print_table(value, indent + 2);
    } else {
      constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
      const std::string text =
          value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, kReplace);
      fmt::print("{:{}}{:<{}} {}\n", "", indent, name, 20, printable(text));
    }
  }
}

/// Images unchanged; if their sizes differ, resized as for training.
DataSet open_as_it_is(const Context& context, DataOptions options) {
  if (options.image_size) return open_data(context, options);
  options.image_size = 0;
  try {
    return open_data(context, options);
  } catch (const DataError&) {
    options.image_size.reset();
    return open_data(context, options);
  }
}

nlohmann::json describe_devices() {
  const device::DeviceList list = device::list_devices();
  nlohmann::json devices = nlohmann::json::array();
  for (const device::Device& device : list.devices) {
    devices.push_back({{"name", device.name},
                       {"memory_bytes", device.memory_bytes},
                       {"compute_capability", fmt::format("{}.{}", device.major, device.minor)},
                       {"usable", device.unusable.empty()}});
    if (!device.unusable.empty()) devices.back()["reason"] = device.unusable;
  }
  nlohmann::json result = {
      {"kind", "devices"}, {"built_with_cuda", device::built_with_cuda()}, {"devices", devices}};
  if (devices.empty()) result["reason"] = list.why_none;
  return result;
}

void print_devices(const nlohmann::json& description) {
  fmt::print("built with CUDA: {}\n", description["built_with_cuda"] ? "yes" : "no");
  if (description["devices"].empty())
    fmt::print("devices: none ({})\n", description["reason"].get<std::string>());
  int number = 0;
  for (const auto& device : description["devices"]) {
    fmt::print("device {}: {}, {:.0f} GiB, compute capability {}, {}\n", number++,
               printable(device["name"].get<std::string>()),
               device["memory_bytes"].get<double>() / 0x1p30,
               device["compute_capability"].get<std::string>(),
               device["usable"] ? "usable" : "not usable: " + device["reason"].get<std::string>());
  }
}

void run_info(CLI::App& app, InfoCommand& command) {
  apply_config(app, command.session);
  if (command.devices) {
    const nlohmann::json devices = describe_devices();
    return command.session.json ? print_json(devices) : print_devices(devices);
  }
  if (command.data.path.empty()) throw CLI::RequiredError("DATA");
  nlohmann::json description;
  if (looks_like_model(command.data.path)) {
    description = describe_model(Model::load(command.data.path));
  } else {
    const Context context = make_context(command.session, 0);
    description = describe_data(open_as_it_is(context, command.data));
    end_progress_line();
  }
  if (command.session.json) return print_json(description);
  description.erase("notes");  // they are on standard error
  print_table(description, 0);
}

}  // namespace

void add_info(CLI::App& app) {
  auto command = std::make_shared<InfoCommand>();
  CLI::App* sub = app.add_subcommand("info", "Describe a model or a data set");
  add_data_options(*sub, command->data);
  CLI::Option* data = sub->get_option("DATA")->required(false);  // run_info asks for it
  sub->add_flag("--devices", command->devices,
                "list the CUDA devices instead, and whether krica can use them")
      ->excludes(data);
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica info clothes.krica");
  sub->callback([sub, command] { run_info(*sub, *command); });
}

}  // namespace krica::cli
