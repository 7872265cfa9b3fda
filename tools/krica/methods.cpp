// SPDX-License-Identifier: BSD-3-Clause
//
// krica methods: lists all methods by purpose; krica methods NAME: describes one.
#include <fmt/format.h>

#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "commands.hpp"
#include "krica/bases/basis.hpp"
#include "krica/models/options.hpp"
#include "models/option_list.hpp"
#include "models/resolved.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

constexpr std::array<std::pair<Purpose, const char*>, 6> kPurposes = {{
    {Purpose::kClassifier, "Learn features and classifier together from labelled images"},
    {Purpose::kFeatures, "Learn features without labels"},
    {Purpose::kClassAware, "Learn features with labels: atoms that belong to classes"},
    {Purpose::kSources, "Separate independent sources"},
    {Purpose::kNeural, "Classic neural networks"},
    {Purpose::kBaseline, "Controls: what a learned basis has to beat"},
}};

const char* title_of(Purpose purpose) {
  for (const auto& [known, title] : kPurposes) {
    if (known == purpose) return title;
  }
  return "";
}

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The defaults for some photographs; defaults that depend on the data are preceded by auto.
nlohmann::json defaults_of(const BasisMethod& method) {
  PipelineOptions options;
  options.method = std::string(method.name);
  constexpr DataFacts kPhotographs{{32, 32, 3}, 5000, 10};
  return nlohmann::json::parse(to_json(resolved(options, kPhotographs)));
}

nlohmann::json description_of(const BasisMethod& method) {
  nlohmann::json options = nlohmann::json::object();
  const nlohmann::json defaults = defaults_of(method);
  for (const std::string& name : words(method.own_options)) options[name] = defaults[name];
  return {{"name", method.name},
          {"purpose", title_of(method.purpose)},
          {"summary", method.summary},
          {"minimises", method.minimises},
          {"encoder", defaults["encoder"]},
          {"needs_labels", method.needs_labels || method.joint},
          {"options", options},
          {"grid", method.grid}};
}

std::string help_of(const std::string& option) {
  std::string help;
  const PipelineOptions options;
  for_each_option(options, [&](const char* name, const auto&, const char* text) {
    if (option == name) help = text;
  });
  return help;
}

void print_method(const BasisMethod& method) {
  const nlohmann::json description = description_of(method);
  fmt::print("{}: {}\n\n", method.name, method.summary);
  fmt::print("Minimises  {}\n", method.minimises);
  fmt::print("Codes      {}\n", description["encoder"].get<std::string>());
  fmt::print("Labels     {}\n", description["needs_labels"].get<bool>() ? "needed" : "not needed");
  if (!description["options"].empty())
    fmt::print("\nOptions (default for 5,000 photographs of 32 x 32 pixels):\n");
  for (const auto& [name, value] : description["options"].items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    fmt::print("  --{:<24} {}\n  {:<26} {}\n", fmt::format("{} {}", name, text), "", "",
               help_of(name));
  }
  if (!method.grid.empty()) fmt::print("\nTuning grid: {}\n", method.grid);
  fmt::print("\nExample: krica train embedded -o model.krica --method {}\n", method.name);
}

void print_all() {
  for (const auto& [purpose, title] : kPurposes) {
    fmt::print("{}:\n", title);
    for (const BasisMethod& method : basis_methods()) {
      if (method.purpose == purpose) fmt::print("  {:<20}{}\n", method.name, method.summary);
    }
    fmt::print("\n");
  }
  fmt::print("krica methods NAME shows what a method minimises and its own options.\n");
}

nlohmann::json all_json() {
  nlohmann::json list = nlohmann::json::array();
  for (const BasisMethod& method : basis_methods()) list.push_back(description_of(method));
  return {{"methods", list}};
}

struct MethodsCommand {
  std::string name;
  bool json = false;
};

void run_methods(const MethodsCommand& command) {
  if (command.name.empty()) return command.json ? print_json(all_json()) : print_all();
  const BasisMethod* method = nullptr;
  check_usage([&] { method = &basis_method(command.name); });
  if (command.json) return print_json(description_of(*method));
  print_method(*method);
}

}  // namespace

void add_methods(CLI::App& app) {
  auto command = std::make_shared<MethodsCommand>();
  CLI::App* sub = app.add_subcommand("methods", "List the methods by purpose, or describe one");
  sub->add_option("NAME", command->name, "name of a method");
  sub->add_flag("--json", command->json, "print one JSON object on standard output");
  sub->footer("\nExample: krica methods max-margin-krica");
  sub->callback([command] { run_methods(*command); });
}

}  // namespace krica::cli
