// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.hpp"
#include "krica/models/model.hpp"
#include "krica/report/atoms.hpp"
#include "krica/runtime/error.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct ShowCommand {
  SessionOptions session;
  std::filesystem::path model;
  std::filesystem::path picture;
  bool terminal = false;
  Index most = 100;
};

/// Two pixels a character: the upper half block in the colours of the upper and the lower pixel.
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

void run_show(CLI::App& app, ShowCommand& command) {
  apply_config(app, command.session);
  if (command.picture.empty() && !command.terminal)
    throw UsageError("give -o FILE.png, or --terminal");
  const Model model = Model::load(command.model);
  if (model.shape().is_sample())
    throw DataError(fmt::format("[show] {} is a model of {}; its atoms have no picture",
                                command.model.string(), to_text(model.shape())));
  const Matrix<float> atoms = model.atom_images();
  const Index side = model.options().receptive_field;
  if (command.terminal) {
    const Index shown = std::min(command.most, atoms.rows());
    draw_in_terminal(draw_atoms(ConstMatrixView<float>(atoms).rows_between(0, shown), side,
                                model.shape().channels, 1));
  }
  if (command.picture.empty()) return;
  write_png(command.picture, draw_atoms(atoms, side, model.shape().channels));
  if (command.session.json) {
    print_json({{"picture", command.picture.string()}, {"atoms", atoms.rows()}, {"side", side}});
  } else {
    fmt::print("{}: {} atoms of {} x {}\n", command.picture.string(), atoms.rows(), side, side);
  }
}

}  // namespace

void add_show(CLI::App& app) {
  auto command = std::make_shared<ShowCommand>();
  CLI::App* sub = app.add_subcommand("show", "The atoms of a model, un-whitened, as tiles");
  add_path(*sub, "MODEL", command->model, "a model file")->required();
  add_path(*sub, "-o,--output", command->picture, "a PNG file");
  sub->add_flag("--terminal", command->terminal, "draw them in the terminal");
  sub->add_option("--most", command->most, "atoms to draw in the terminal")->capture_default_str();
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica show clothes.krica -o atoms.png");
  sub->callback([sub, command] { run_show(*sub, *command); });
}

}  // namespace krica::cli
