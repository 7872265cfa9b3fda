// SPDX-License-Identifier: BSD-3-Clause
#include "krica/report/trial_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "krica/data/views.hpp"
#include "krica/models/votes.hpp"
#include "krica/report/atoms.hpp"
#include "krica/report/matrices.hpp"
#include "krica/report/plot.hpp"
#include "report/html.hpp"

namespace krica {
namespace {

constexpr Index kMostAtoms = 400;
constexpr Index kMostAtomsBrief = 100;
constexpr Index kAtomsWidth = 480;    // CSS pixels, about
constexpr Index kThumbnailSide = 48;  // pixels, at most
constexpr double kMebibyte = 1 << 20;

using Figures = std::vector<std::pair<std::string, std::string>>;

bool lies_in_feature_space(const Model& model) { return model.options().whitening == "kpca"; }

std::string class_counts(const Model& model, const std::vector<std::vector<Index>>& groups) {
  std::string text;
  for (std::size_t c = 0; c < groups.size() && c < model.class_names().size(); ++c) {
    if (groups[c].empty()) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", model.class_names()[c],
                        groups[c].size());
  }
  return text;
}

void add_atoms(Figures& figures, const Model& model, Index most) {
  if (!model.parts().extractor || model.shape().is_sample() || lies_in_feature_space(model)) return;
  const auto groups = atom_groups(model);
  const Matrix<float> atoms = model.atom_images();
  const bool all = atoms.rows() <= most;
  const auto shown = strongest_atoms(groups, most);
  const Image picture =
      draw_atom_groups(atoms, *model.options().receptive_field, model.shape().channels, shown, 2);
  std::string caption = all ? fmt::format("The {} atoms, un-whitened", atoms.rows())
                            : fmt::format("{} of {} atoms, un-whitened", most, atoms.rows());
  if (groups.size() > 1) {
    caption += fmt::format(
        ", by the class they {}, from the top: {}.",
        model.parts().atom_class.empty() ? "vote for, strongest first" : "were learned for",
        class_counts(model, groups));
  }
  const Index width = picture.shape.width;
  const Index zoom = std::max<Index>(1, (kAtomsWidth + width / 2) / width);
  figures.emplace_back(image_element(picture, fmt::format("{} atoms", atoms.rows()), zoom),
                       caption);
}

PlotSeries series_of(const std::string& name, const std::vector<double>& values, double factor) {
  PlotSeries series{name, {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    series.points.push_back({static_cast<double>(i + 1), factor * values[i]});
  return series;
}

void add_learning(Figures& figures, const Trial& trial) {
  if (trial.objective.size() > 1) {
    figures.emplace_back(to_svg(LinePlot{"Learning curve",
                                         "iteration or epoch",
                                         "objective (no unit)",
                                         false,
                                         {series_of("objective", trial.objective, 1)}}),
                         fmt::format("Learning curve; the basis ended: {}.", trial.basis_status));
  }
  if (trial.held_out_accuracy.size() > 1) {
    figures.emplace_back(
        to_svg(LinePlot{"Held-out accuracy",
                        "epoch",
                        "held-out accuracy (%)",
                        false,
                        {series_of("held-out accuracy", trial.held_out_accuracy, 100)}}),
        "Accuracy on the training images that were held out, epoch by epoch.");
  }
}

void add_codes(Figures& figures, const Trial& trial) {
  if (trial.codes.counts.empty()) return;
  figures.emplace_back(
      to_svg(Histogram{"Activations", "value of a code (no unit)", "codes (count)",
                       trial.codes.lowest, trial.codes.highest, trial.codes.counts}),
      fmt::format(
          "Codes of single patches. Sparsity (Hoyer) {:.3f}, where 0 is all atoms alike and "
          "1 a single active one; {:.1f} % of the codes are below a hundredth of the "
          "largest.",
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
    Image image{test.shape(), {}};
    image.pixels.resize(static_cast<std::size_t>(image.shape.values()));
    test.read(mistake.image, 1, image.pixels.data());
    if (std::max(image.shape.height, image.shape.width) > kThumbnailSide)
      image = fit_image(image, {kThumbnailSide, kThumbnailSide, image.shape.channels},
                        ImageSizeRule::kLonger);
    const std::string& truth = trial.class_names[static_cast<std::size_t>(mistake.truth)];
    const std::string& predicted = trial.class_names[static_cast<std::size_t>(mistake.predicted)];
    html += fmt::format(
        "<figure>{}<figcaption>{} taken for <b>{}</b>, by {:.2f}</figcaption></figure>\n",
        image_element(image, fmt::format("test image {}", mistake.image), 2), escaped(truth),
        escaped(predicted), mistake.margin);
  }
  page.add_element(html + "</div>");
  page.add_note("By how far the wrong class' score lay above the right one's.");
}

void add_stages(ReportPage& page, const Trial& trial) {
  std::vector<std::vector<std::string>> rows = {{"stage", "time", "peak memory by its end"}};
  double total = 0;
  for (const StageTime& stage : trial.stages) {
    rows.push_back({stage.stage, duration_text(stage.seconds),
                    stage.peak_bytes > 0 ? memory_text(stage.peak_bytes) : "–"});
    total += stage.seconds;
  }
  rows.push_back({"in all", duration_text(total), ""});
  page.add_heading("Time and memory");
  page.add_table(rows, {{}, {rows.size() - 1}});
  if (trial.resumed) page.add_note("The run was interrupted: times are those since it went on.");
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

void add_trial(ReportPage& page, const ShownTrial& shown) {
  const Trial& trial = shown.trial;
  page.add_command("Options as they were used:", option_text(trial.options));
  if (!trial.warning.empty()) page.add_note(trial.warning);
  if (shown.model != nullptr && lies_in_feature_space(*shown.model))
    page.add_note("Its atoms combine kernel principal components and have no picture.");
  Figures figures;
  if (shown.model != nullptr)
    add_atoms(figures, *shown.model, shown.brief ? kMostAtomsBrief : kMostAtoms);
  add_learning(figures, trial);
  add_codes(figures, trial);
  page.add_figures(figures);
  if (!trial.labels.empty()) {
    page.add_heading("Confusion matrix");
    page.add_element(confusion_element(trial.evaluation(), trial.class_names));
    page.add_note(
        "Rows are true classes, columns what they were taken for; counts of test images.");
    if (shown.test != nullptr && !shown.brief) add_mistakes(page, trial, *shown.test);
  }
  add_stages(page, trial);
}

}  // namespace krica
