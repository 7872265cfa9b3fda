// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "commands.hpp"
#include "krica/data/image.hpp"
#include "krica/models/votes.hpp"
#include "krica/report/heat_map.hpp"
#include "krica/runtime/error.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct PredictCommand {
  SessionOptions session;
  std::filesystem::path model;
  std::vector<std::filesystem::path> images;
  Index top = 3;
  std::filesystem::path explain;
};

/// Images in memory.
class LoadedImages final : public ImageSet {
 public:
  LoadedImages(ImageShape shape, std::vector<Image> images)
      : ImageSet(info_of(shape, static_cast<Index>(images.size()))), images_(std::move(images)) {}

 private:
  static ImageSetInfo info_of(ImageShape shape, Index size) {
    ImageSetInfo info;
    info.size = size;
    info.shape = shape;
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = first; i < first + count; ++i) {
      const auto& pixels = images_[static_cast<std::size_t>(i)].pixels;
      out = std::copy(pixels.begin(), pixels.end(), out);
    }
  }
  std::vector<Image> images_;
};

std::vector<Index> best_first(const float* scores, Index classes, Index top) {
  std::vector<Index> order(static_cast<std::size_t>(classes));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return scores[a] > scores[b]; });
  order.resize(static_cast<std::size_t>(std::min(top, classes)));
  return order;
}

/// heat.png, or heat-1.png, heat-2.png, ... for several images.
std::filesystem::path numbered(const std::filesystem::path& path, std::size_t i, std::size_t of) {
  if (of == 1) return path;
  std::filesystem::path name = path.stem();
  name += fmt::format("-{}", i + 1);
  name += path.extension();
  return path.parent_path() / name;
}

/// Which parts of an image voted for a class, as a picture.
void explain(const Model& model, const Image& image, Index which,
             const std::filesystem::path& path) {
  const std::vector<float> pixels(image.pixels.begin(), image.pixels.end());
  write_png(path, draw_heat_map(image, position_votes(model, pixels.data(), which),
                                *model.options().receptive_field, model.options().stride));
}

void run_predict(CLI::App& app, PredictCommand& command) {
  apply_config(app, command.session);
  if (command.top < 1)
    throw UsageError(fmt::format("--top must be at least 1, got {}", command.top));
  const Model model = Model::load(command.model);
  if (!model.has_classifier()) {
    throw DataError(
        fmt::format("[predict] {} has no classifier; use train", command.model.string()));
  }
  if (model.shape().is_sample()) {
    throw DataError(fmt::format("[predict] {} is a model of {}, not of images; use evaluate",
                                command.model.string(), to_text(model.shape())));
  }
  command.session.quiet = true;
  const Context context = make_context(command.session, model.options().seed);
  std::vector<Image> images;
  for (const auto& path : command.images)
    images.push_back(
        fit_image(read_image(path), model.shape(), model.parts().preparation.size_rule));
  const Matrix<float> scores = model.scores(context, LoadedImages(model.shape(), images));
  nlohmann::json result = nlohmann::json::array();
  for (Index i = 0; i < scores.rows(); ++i) {
    const std::string path = command.images[static_cast<std::size_t>(i)].string();
    nlohmann::json predictions = nlohmann::json::array();
    if (!command.session.json) fmt::print("{}\n", path);
    const std::vector<Index> order = best_first(scores.row(i), scores.cols(), command.top);
    for (const Index c : order) {
      const std::string& name = model.class_names()[static_cast<std::size_t>(c)];
      predictions.push_back({{"class", name}, {"label", c}, {"score", scores(i, c)}});
      if (!command.session.json) fmt::print("  {:<24} {:7.3f}\n", name, scores(i, c));
    }
    result.push_back({{"image", path}, {"predictions", predictions}});
    if (command.explain.empty()) continue;
    const auto at = static_cast<std::size_t>(i);
    const std::filesystem::path picture = numbered(command.explain, at, images.size());
    explain(model, images[at], order[0], picture);
    result.back()["explanation"] = picture.string();
    if (!command.session.json) {
      fmt::print("  {}: red voted for {}, blue against\n", picture.string(),
                 model.class_names()[static_cast<std::size_t>(order[0])]);
    }
  }
  if (command.session.json) print_json({{"images", result}});
}

}  // namespace

void add_predict(CLI::App& app) {
  auto command = std::make_shared<PredictCommand>();
  CLI::App* sub =
      app.add_subcommand("predict", "Predict the classes of single images, with scores");
  add_path(*sub, "MODEL", command->model, "model file with a classifier")->required();
  add_path(*sub, "IMAGE", command->images,
           "JPEG, PNG, PNM or BMP files; resized to the size of the model's images")
      ->required();
  sub->add_option("--top", command->top, "number of classes to list per image")
      ->capture_default_str();
  sub->add_option(
      "--explain", command->explain,
      "PNG file to write: which parts of the image voted for its class (numbered for several)");
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica predict clothes.krica photo.jpg --top 3");
  sub->callback([sub, command] { run_predict(*sub, *command); });
}

}  // namespace krica::cli
