// SPDX-License-Identifier: BSD-3-Clause
#include "report/trial_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "krica/data/image_set.hpp"
#include "krica/solvers/solver.hpp"
#include "models/model_parts.hpp"
#include "models/option_list.hpp"
#include "models/votes.hpp"
#include "report/atoms.hpp"
#include "report/html.hpp"
#include "report/matrices.hpp"
#include "report/plot.hpp"

namespace krica {
namespace {

constexpr Index kMostAtoms = 400;
constexpr Index kMostAtomsBrief = 100;
constexpr std::size_t kMostNames = 20;  // classes that a caption names
constexpr Index kAtomsWidth = 480;      // CSS pixels, approximate
constexpr Index kOpeningWidth = 340;
constexpr Index kThumbnailSide = 48;  // maximum, in pixels
constexpr double kMebibyte = 1 << 20;

using Figures = std::vector<Figure>;

constexpr auto kStatusTexts = std::to_array<std::pair<Status, std::string_view>>({
    {Status::kConverged, "converged"},
    {Status::kIterationLimit, "stopped at the iteration limit"},
    {Status::kLineSearchFailed, "stopped because no step lowered the objective further"},
    {Status::kCancelled, "interrupted"},
    {Status::kNumericalTrouble, "stopped because the objective was not finite"},
    {Status::kDiverged, "diverged: more than half of the atoms are inactive"},
    {Status::kCollapsed, "collapsed: more than half of the atoms coincide"},
});

bool lies_in_feature_space(const Model& model) {
  return model.options().whitening.method == WhiteningMethod::kKernelPca;
}

bool is_sift(const Model& model) {
  return model.options().descriptor.kind == DescriptorKind::kSift;
}

bool has_picture(const Model& model) {
  return !model.shape().is_sample() && model.has_atom_images();
}

/// The class under which an atom is shown.
const char* class_of_atoms(const Model& model) {
  return model.parts().atom_class.empty() ? "vote for, strongest first" : "were learned for";
}

/// The rows of `groups` as one picture, and "400 atoms" or "100 of 400 atoms".
Figure draw(const Model& model, const std::vector<std::vector<Index>>& groups, Index css_width) {
  const Matrix<float> atoms = model.atom_images();
  const Image picture = draw_atom_groups(atoms, *model.options().descriptor.receptive_field,
                                         model.shape().channels, groups, 2);
  Index shown = 0;
  for (const auto& group : groups) shown += static_cast<Index>(group.size());
  const std::string number = shown == atoms.rows()
                                 ? fmt::format("{} atoms", shown)
                                 : fmt::format("{} of {} atoms", shown, atoms.rows());
  const Index width = picture.shape.width;
  const Index zoom = std::max<Index>(1, (css_width + width / 2) / width);
  return {image_element(picture, number, zoom), number + ", un-whitened"};
}

/// One block per class, in the order of the confusion matrix.
Figure atoms_by_block(const Model& model, Index most) {
  const auto groups = atom_groups(model);
  Figure figure = draw(model, strongest_atoms(groups, most), kAtomsWidth);
  if (groups.size() > 1) {
    figure.second += fmt::format(", one block per class that they {}, in the order of the classes",
                                 class_of_atoms(model));
    std::vector<std::string> empty;
    for (std::size_t c = 0; c < groups.size() && c < model.class_names().size(); ++c)
      if (groups[c].empty()) empty.push_back(model.class_names()[c]);
    if (!empty.empty() && empty.size() <= kMostNames)
      figure.second += fmt::format(" (none for {})", fmt::join(empty, ", "));
  }
  figure.second += ".";
  return figure;
}

PlotSeries series_of(const std::string& name, const std::vector<double>& values, double factor) {
  PlotSeries series{name, {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    series.points.push_back({static_cast<double>(i + 1), factor * values[i]});
  return series;
}

void add_learning(Figures& figures, const Trial& trial, const char* noun) {
  if (trial.objective.size() > 1) {
    figures.emplace_back(to_svg(LinePlot{"Learning curve",
                                         "iteration or epoch",
                                         "objective (no unit)",
                                         false,
                                         {series_of("objective", trial.objective, 1)}}),
                         fmt::format("Learning curve: {}.", status_text(trial.basis_status)));
  }
  if (trial.held_out_accuracy.size() > 1) {
    figures.emplace_back(
        to_svg(LinePlot{"Held-out accuracy",
                        "epoch",
                        "held-out accuracy (%)",
                        false,
                        {series_of("held-out accuracy", trial.held_out_accuracy, 100)}}),
        fmt::format("Accuracy on the training {} held out for early stopping, by epoch.", noun));
  }
}

void add_codes(Figures& figures, const Trial& trial) {
  if (trial.codes.counts.empty()) return;
  figures.emplace_back(
      to_svg(Histogram{"Activations", "value of a code (no unit)", "codes (count)",
                       trial.codes.lowest, trial.codes.highest, trial.codes.counts}),
      fmt::format(
          "Codes of single patches. Sparsity (Hoyer) {:.3f}: 0 when all atoms are equally active, "
          "1 when a single one is; {:.1f} % of the codes are below 1 % of the largest.",
          trial.codes.sparsity, 100 * trial.codes.small));
}

void add_mistakes(ReportPage& page, const Trial& trial, const ImageSet& test) {
  if (trial.mistakes.empty() || test.shape().is_sample() ||
      test.pixel_type() != PixelType::kUint8) {
    return;
  }
  page.add_heading("Most confident mistakes");
  std::string html = "<div class=\"thumbnails\">\n";
  for (const Mistake& mistake : trial.mistakes) {
    Image image{test.shape_of(mistake.image), {}};
    image.pixels.resize(static_cast<std::size_t>(test.shape().values()));
    test.read(mistake.image, 1, image.pixels.data());
    image.pixels.resize(static_cast<std::size_t>(image.shape.values()));
    if (std::max(image.shape.height, image.shape.width) > kThumbnailSide) {
      image = fit_image(image, {kThumbnailSide, kThumbnailSide, image.shape.channels},
                        ImageSizeRule::kLonger);
    }
    const std::string& truth = trial.class_names[static_cast<std::size_t>(mistake.truth)];
    const std::string& predicted = trial.class_names[static_cast<std::size_t>(mistake.predicted)];
    html += fmt::format(
        "<figure>{}<figcaption>{}, predicted <b>{}</b>, margin {:.2f}</figcaption></figure>\n",
        image_element(image, fmt::format("test image {}", mistake.image), 2), escaped(truth),
        escaped(predicted), mistake.margin);
  }
  page.add_element(html + "</div>");
  page.add_note("The margin is the score of the predicted class minus that of the true class.");
}

void add_stages(ReportPage& page, const Trial& trial) {
  std::vector<std::vector<std::string>> rows = {{"stage", "time", "peak memory so far"}};
  double total = 0;
  for (const StageTime& stage : trial.stages) {
    rows.push_back({stage.stage, duration_text(stage.seconds),
                    stage.peak_bytes > 0 ? memory_text(stage.peak_bytes) : "–"});
    total += stage.seconds;
  }
  rows.push_back({"total", duration_text(total), "–"});
  page.add_heading("Time and memory");
  page.add_table(rows, {{}, {rows.size() - 1}});
  if (trial.resumed)
    page.add_note("The run was interrupted and resumed; times count from the resumption.");
}

}  // namespace

std::string option_text(const PipelineOptions& options) {
  const nlohmann::json given = nlohmann::json::parse(to_json(options));
  const nlohmann::json defaults = nlohmann::json::parse(to_json(PipelineOptions{}));
  std::string text;
  for_each_option(options, [&](const char* name, const auto&, const char*) {
    if (given[name] == defaults[name]) return;
    const nlohmann::json& value = given[name];
    text += fmt::format("{}--{}", text.empty() ? "" : " ", name);
    if (value.is_string()) text += fmt::format(" {}", value.get<std::string>());
    if (value.is_number()) text += fmt::format(" {:.6g}", value.get<double>());
    if (value.is_boolean() && defaults[name] == "auto") text += value.get<bool>() ? " yes" : " no";
  });
  return text;
}

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string memory_text(std::int64_t bytes) {
  return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / kMebibyte);
}

std::optional<Figure> atoms_figure(const Model& model, Index most) {
  if (!has_picture(model)) return std::nullopt;
  std::vector<Index> rows;
  const auto groups = strongest_atoms(atom_groups(model), most);
  for (const auto& group : groups) rows.insert(rows.end(), group.begin(), group.end());
  Figure figure = draw(model, {rows}, kOpeningWidth);
  if (groups.size() > 1)
    figure.second += fmt::format(", ordered by the class they {}", class_of_atoms(model));
  figure.second += ".";
  return figure;
}

std::string status_text(const std::string& status) {
  for (const auto& [code, text] : kStatusTexts)
    if (name_of(code) == status) return std::string(text);
  return status;
}

void add_trial(ReportPage& page, const ShownTrial& shown) {
  const Trial& trial = shown.trial;
  const char* noun =
      shown.model != nullptr && shown.model->shape().is_sample() ? "samples" : "images";
  page.add_command("Options used:", option_text(trial.options));
  if (!trial.warning.empty()) page.add_note(trial.warning);
  if (shown.model != nullptr && lies_in_feature_space(*shown.model))
    page.add_note("The atoms combine kernel principal components and cannot be drawn.");
  if (shown.model != nullptr && is_sift(*shown.model))
    page.add_note("The atoms are histograms of gradients (SIFT) and cannot be drawn.");
  Figures figures;
  if (shown.model != nullptr && has_picture(*shown.model))
    figures.push_back(atoms_by_block(*shown.model, shown.brief ? kMostAtomsBrief : kMostAtoms));
  add_learning(figures, trial, noun);
  add_codes(figures, trial);
  page.add_figures(figures);
  if (!trial.labels.empty()) {
    page.add_heading("Confusion matrix");
    page.add_element(confusion_element(trial.evaluation(), trial.class_names));
    page.add_note(
        fmt::format("Rows: true class; columns: predicted class; counts of test {}.", noun));
    if (shown.test != nullptr && !shown.brief) add_mistakes(page, trial, *shown.test);
  }
  add_stages(page, trial);
}

}  // namespace krica
