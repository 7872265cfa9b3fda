// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commands.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/votes.hpp"
#include "report/atoms.hpp"
#include "report/signal_atoms.hpp"
#include "runtime/printable.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct ShowCommand {
  SessionOptions session;
  std::filesystem::path model;
  std::filesystem::path picture;
  bool terminal = false;
  std::string arrange = "auto";
  Index most = 100;
};

constexpr Index kSparklineColumns = 72;

/// Two pixels per character: the upper half block in the colours of the upper and lower pixel.
void draw_in_terminal(const Image& image) {
  const ImageShape& shape = image.shape;
  const auto colour = [&](Index y, Index x, Index channel) -> int {
    if (y >= shape.height) return 255;
    const Index c = shape.channels == 3 ? channel : 0;
    return image.pixels[static_cast<std::size_t>(c * shape.pixels() + y * shape.width + x)];
  };
  for (Index y = 0; y < shape.height; y += 2) {
    for (Index x = 0; x < shape.width; ++x) {
      fmt::print("\033[38;2;{};{};{}m\033[48;2;{};{};{}m▀", colour(y, x, 0), colour(y, x, 1),
                 colour(y, x, 2), colour(y + 1, x, 0), colour(y + 1, x, 1), colour(y + 1, x, 2));
    }
    fmt::print("\033[0m\n");
  }
}

/// One group in the model's order, or one per class: the atoms' own class if they have one,
/// otherwise the class they vote for. "auto" groups by class if either exists.
std::vector<std::vector<Index>> arranged(const Model& model, const std::string& arrange) {
  const bool own_class = !model.parts().atom_class.empty();
  if (arrange == "class" && !own_class) return atoms_by_class(model);
  if (arrange == "class" || arrange == "auto") return atom_groups(model);
  if (arrange != "plain")
    throw UsageError(fmt::format("--arrange must be auto, class or plain, got '{}'", arrange));
  std::vector<Index> all(static_cast<std::size_t>(model.atom_images().rows()));
  std::iota(all.begin(), all.end(), Index{0});
  return {all};
}

/// A basis without a classifier has classes but no class names.
std::string class_name(const Model& model, std::size_t c) {
  return c < model.class_names().size() ? printable(model.class_names()[c])
                                        : fmt::format("class {}", c);
}

nlohmann::json groups_json(const Model& model, const std::vector<std::vector<Index>>& groups) {
  nlohmann::json result = nlohmann::json::array();
  for (std::size_t c = 0; c < groups.size() && groups.size() > 1; ++c)
    result.push_back({{"class", class_name(model, c)}, {"atoms", groups[c]}});
  return result;
}

/// The atoms of samples, one per line, under the class that they belong to.
void print_sparklines(const Model& model, const Matrix<float>& atoms,
                      const std::vector<std::vector<Index>>& groups) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups.size() > 1 && !groups[g].empty()) fmt::print("{}\n", class_name(model, g));
    for (const Index u : groups[g]) {
      const ConstMatrixView<float> atom(atoms.row(u), 1, atoms.cols());
      fmt::print("{:>5} {}\n", u, sparkline(atom, kSparklineColumns));
    }
  }
}

Image picture_of(const Model& model, const Matrix<float>& atoms,
                 const std::vector<std::vector<Index>>& groups) {
  if (!model.shape().is_sample()) {
    return draw_atom_groups(atoms, *model.options().descriptor.receptive_field,
                            model.shape().channels, groups);
  }
  std::vector<std::string> names;
  for (std::size_t g = 0; g < groups.size() && groups.size() > 1; ++g)
    names.push_back(class_name(model, g));
  return draw_signal_atoms(atoms, model.parts().signal_channels, groups, names);
}

void check_command(const ShowCommand& command) {
  if (command.picture.empty() && !command.terminal)
    throw UsageError("give -o FILE.png, or --terminal");
  if (command.terminal && command.session.json)
    throw UsageError("--terminal and --json both print to standard output; use one of them");
  if (command.most < 1)
    throw UsageError(fmt::format("--most must be at least 1, got {}", command.most));
  check_target(command.picture);
}

void print_summary(const ShowCommand& command, const Model& model, const Matrix<float>& atoms,
                   const std::vector<std::vector<Index>>& groups) {
  const bool samples = model.shape().is_sample();
  const Index side = *model.options().descriptor.receptive_field;
  if (command.session.json) {
    nlohmann::json summary = {{"picture", command.picture.string()},
                              {"atoms", atoms.rows()},
                              {"classes", groups_json(model, groups)}};
    summary[samples ? "values" : "side"] = samples ? atoms.cols() : side;
    return print_json(summary);
  }
  fmt::print("{}: {} atoms of {}\n", command.picture.string(), atoms.rows(),
             samples ? fmt::format("{} values", atoms.cols()) : fmt::format("{0} x {0}", side));
  if (groups.size() < 2) return;
  fmt::print("by the class {}, from the top:", model.parts().atom_class.empty()
                                                   ? "they vote for, strongest first"
                                                   : "they were learned for");
  for (std::size_t c = 0; c < groups.size(); ++c)
    fmt::print("{} {} ({})", c == 0 ? "" : ",", class_name(model, c), groups[c].size());
  fmt::print("\n");
}

void run_show(CLI::App& app, ShowCommand& command) {
  apply_config(app, command.session);
  check_command(command);
  const Model model = Model::load(command.model);
  const Matrix<float> atoms = model.atom_images();
  const auto groups = arranged(model, command.arrange);
  if (command.terminal) {
    const auto strongest = strongest_atoms(groups, command.most);
    if (model.shape().is_sample()) {
      print_sparklines(model, atoms, strongest);
    } else {
      draw_in_terminal(draw_atom_groups(atoms, *model.options().descriptor.receptive_field,
                                        model.shape().channels, strongest, 1));
    }
  }
  if (command.picture.empty()) return;
  write_png(command.picture, picture_of(model, atoms, groups));
  print_summary(command, model, atoms, groups);
}

}  // namespace

void add_show(CLI::App& app) {
  auto command = std::make_shared<ShowCommand>();
  CLI::App* sub = app.add_subcommand(
      "show", "Draw the atoms of a model, un-whitened: tiles for images, curves for samples");
  add_path(*sub, "MODEL", command->model, "a model file")->required();
  add_path(*sub, "-o,--output", command->picture, "PNG file to write");
  sub->add_flag("--terminal", command->terminal, "draw in the terminal");
  sub->add_option("--most", command->most, "maximum number of atoms to draw in the terminal")
      ->capture_default_str();
  sub->add_option(
         "--arrange", command->arrange,
         "class: by the class they were learned for or vote for; plain: in order; auto: by class "
         "if they have one")
      ->capture_default_str();
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica show clothes.krica -o atoms.png");
  sub->callback([sub, command] { run_show(*sub, *command); });
}

}  // namespace krica::cli
