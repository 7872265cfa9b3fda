// SPDX-License-Identifier: BSD-3-Clause
#include "report/experiment_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "krica/runtime/library.hpp"
#include "report/experiment_summary.hpp"
#include "report/matrices.hpp"
#include "report/plot.hpp"
#include "report/trial_report.hpp"

namespace krica {
namespace {

constexpr const char* kNothing = "–";

/// The end of a colour scale on which a few large values do not drown out the others.
double high_quantile(std::vector<float> values) {
  if (values.empty()) return 1;
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// One experiment's section of the page.
class Section {
 public:
  Section(ReportPage& page, const PlannedExperiment& planned, const ResultsFile& results,
          const std::filesystem::path& directory)
      : page_(page), planned_(planned), results_(results), directory_(directory) {}

  void add() {
    page_.add_section(planned_.title());
    page_.add_text(fmt::format("Data: {}.", planned_.data.name));
    for (const auto* notes : {&planned_.data.notes, &planned_.plan.notes}) {
      for (const std::string& note : *notes)
        if (!note.empty()) page_.add_note(note);
    }
    switch (planned_.experiment->kind) {
      case ExperimentKind::kTable:
        add_tables();
        break;
      case ExperimentKind::kSweep:
        add_sweep();
        break;
      case ExperimentKind::kSimilarity:
        add_similarity();
        break;
    }
    add_costs();
  }

 private:
  void add_tables() {
    for (const ResultTable& table : tables_of(planned_, results_)) {
      if (!table.title.empty()) page_.add_heading(table.title);
      add_table(table);
      const TableLine* best = table.best();
      for (const TableLine& line : table.lines) {
        if (!line.ours) continue;
        if (&line != best) continue;
        page_.add_heading(fmt::format("The best system: {}", line.system));
        add_model(*line.configuration, false);
      }
      for (const TableLine& line : table.lines) {
        if (!line.ours || &line == best) continue;
        page_.begin_fold(line.system);
        add_model(*line.configuration, true);
        page_.end_fold();
      }
    }
  }

  void add_table(const ResultTable& table) {
    std::vector<std::vector<std::string>> rows = {
        table.beside_paper
            ? std::vector<std::string>{"system", "paper (%)", "ours (%)", "difference"}
            : std::vector<std::string>{"system", "accuracy (%)"}};
    TableLook look{planned_.plan.mean_per_class
                       ? "Accuracy averaged over classes, mean ± standard deviation over the splits"
                       : "Test accuracy, mean ± standard deviation over the splits",
                   {}};
    for (const TableLine& line : table.lines) {
      const std::string ours = line.ours ? to_text(*line.ours) : line.note;
      rows.push_back({line.system, ours});
      if (table.beside_paper) {
        const std::string paper = line.paper ? fmt::format("{:.1f}", *line.paper) : kNothing;
        const bool both = line.paper && line.ours;
        rows.back() = {line.system, paper, ours,
                       both ? signed_text(line.ours->mean - *line.paper) : kNothing};
      }
      if (&line == table.best()) look.marked.push_back(rows.size() - 1);
    }
    page_.add_table(rows, look);
    for (const TableLine& line : table.lines) {
      if (line.ours && !line.note.empty())
        page_.add_note(fmt::format("{}: {}.", line.system, line.note));
    }
  }

  /// The model of the first split.
  void add_model(const Configuration& configuration, bool brief) {
    const auto rows = rows_of(results_, planned_, configuration);
    const auto row =
        std::find_if(rows.begin(), rows.end(), [](const ResultRow* r) { return !r->failed(); });
    if (row == rows.end()) return;
    page_.add_text(fmt::format(
        "The figures below are from {}: accuracy {:.2f} %, {} training and {} test images, seed "
        "{}.",
        (*row)->identity.split, 100 * (*row)->trial.evaluation().accuracy,
        (*row)->trial.train_images, (*row)->trial.labels.size(), (*row)->identity.seed));
    std::optional<Model> model;
    const auto path = model_path(directory_, planned_, configuration);
    if (*row == rows.front() && std::filesystem::exists(path)) model = Model::load(path);
    const ImageSetPtr test =
        test_images(images_for(planned_.data, configuration), configuration.splits.front());
    add_trial(page_,
              {(*row)->trial, model ? &*model : nullptr, model ? test.get() : nullptr, brief});
  }

  void add_sweep() {
    LinePlot plot{
        planned_.title(), planned_.plan.axis, "accuracy (%)", planned_.plan.logarithmic, {}};
    std::vector<std::vector<std::string>> numbers = {
        {"system", planned_.plan.axis, "accuracy (%)"}};
    std::vector<std::vector<std::string>> chosen = {
        {"system", fmt::format("best {}", planned_.plan.axis), "accuracy (%)"}};
    for (const Curve& curve : curves_of(planned_, results_)) {
      PlotSeries series{curve.system, {}, curve.control, curve.level.has_value()};
      if (curve.level) {
        series.points.push_back({0, curve.level->mean, curve.level->deviation});
        numbers.push_back({curve.system, "any", to_text(*curve.level)});
        chosen.push_back(numbers.back());
      }
      for (const CurvePoint& point : curve.points) {
        const bool best = &point == curve.chosen();
        series.points.push_back({point.value, point.score.mean, point.score.deviation, best});
        numbers.push_back({curve.system, fmt::format("{:g}", point.value), to_text(point.score)});
        if (best) chosen.push_back(numbers.back());
      }
      for (const std::string& failure : curve.failures)
        page_.add_note(fmt::format("{} failed at {}", curve.system, failure));
      plot.series.push_back(std::move(series));
    }
    page_.add_figures({{to_svg(plot),
                        "Mean over the folds. Bars: one standard deviation; rings: the best "
                        "value of each system. Point at a marker to read its value."}});
    page_.add_table(chosen);
    page_.begin_fold("All values");
    page_.add_table(numbers);
    page_.end_fold();
  }

  void add_similarity() {
    std::vector<std::vector<std::string>> scores = {{"system", "block score"}};
    std::vector<Figure> maps;
    std::vector<std::pair<const Configuration*, const ResultRow*>> shown;
    std::vector<float> distances;
    for (const Configuration& configuration : planned_.plan.configurations) {
      for (const ResultRow* row : rows_of(results_, planned_, configuration)) {
        scores.push_back({configuration.system, row->failed()
                                                    ? fmt::format("failed: {}", row->error)
                                                    : fmt::format("{:.3f}", row->block_score)});
        if (row->failed()) continue;
        shown.emplace_back(&configuration, row);
        distances.insert(distances.end(), row->distances.data(),
                         row->distances.data() + row->distances.size());
      }
    }
    const double highest = high_quantile(std::move(distances));
    for (const auto& [configuration, row] : shown) {
      std::vector<int> labels;
      for (const Index place : planned_.plan.shown)
        labels.push_back(row->trial.labels[static_cast<std::size_t>(place)]);
      maps.emplace_back(
          distances_element(row->distances, labels, row->trial.class_names, highest),
          fmt::format("{}: block score {:.3f}", configuration->system, row->block_score));
    }
    page_.add_table(scores, {"Block score: mean distance between classes divided by mean distance "
                             "within them. Higher is better; 1 means no separation",
                             best_of(shown)});
    if (!shown.empty()) page_.add_text(classes_text(*shown.front().second));
    page_.add_element(scale_element(highest, "distance, as a multiple of the mean distance"));
    page_.add_figures(maps);
    for (const auto& [configuration, row] : shown) {
      page_.begin_fold(configuration->system);
      add_model(*configuration, true);
      page_.end_fold();
    }
  }

  using ShownRow = std::pair<const Configuration*, const ResultRow*>;

  /// The row number in the table with the highest block score.
  [[nodiscard]] std::vector<std::size_t> best_of(const std::vector<ShownRow>& shown) const {
    const ShownRow* best = nullptr;
    for (const ShownRow& each : shown) {
      if (best == nullptr || each.second->block_score > best->second->block_score) best = &each;
    }
    std::size_t number = 0;
    for (const Configuration& configuration : planned_.plan.configurations) {
      for (const ResultRow* row : rows_of(results_, planned_, configuration)) {
        ++number;
        if (best != nullptr && row == best->second) return {number};
      }
    }
    return {};
  }

  /// The numbered classes of the maps, named once for all of them.
  [[nodiscard]] std::string classes_text(const ResultRow& row) const {
    std::string text = "Classes, from the top and from the left:";
    int number = 0;
    int last = -1;
    for (const Index place : planned_.plan.shown) {
      const int label = row.trial.labels[static_cast<std::size_t>(place)];
      if (label == last) continue;
      last = label;
      text += fmt::format("{} {} {}", ++number > 1 ? "," : "", number,
                          row.trial.class_names[static_cast<std::size_t>(label)]);
    }
    return text + ".";
  }

  /// Seconds per stage of a configuration, averaged over its rows.
  void add_costs() {
    std::vector<std::vector<std::string>> rows = {
        {"system", "basis", "features", "SVM", "total", "peak memory"}};
    for (const Configuration& configuration : planned_.plan.configurations) {
      const auto found = rows_of(results_, planned_, configuration);
      double basis = 0;
      double features = 0;
      double svm = 0;
      std::int64_t peak = 0;
      double count = 0;
      for (const ResultRow* row : found) {
        if (row->failed()) continue;
        ++count;
        for (const StageTime& stage : row->trial.stages) {
          (stage.stage == "features" ? features
           : stage.stage == "svm"    ? svm
                                     : basis) += stage.seconds;
          peak = std::max(peak, stage.peak_bytes);
        }
      }
      if (count == 0) continue;
      std::string name = configuration.system;
      if (!std::isnan(configuration.value)) name += fmt::format(" at {:g}", configuration.value);
      if (!configuration.group.empty()) name += ", " + configuration.group;
      rows.push_back({name, duration_text(basis / count), duration_text(features / count),
                      duration_text(svm / count), duration_text((basis + features + svm) / count),
                      peak > 0 ? memory_text(peak) : kNothing});
    }
    if (rows.size() == 1) return;
    page_.begin_fold("Time and memory of every system");
    page_.add_table(rows, {"Means over the splits; a basis that folds share is computed once", {}});
    page_.end_fold();
  }

  ReportPage& page_;
  const PlannedExperiment& planned_;
  const ResultsFile& results_;
  const std::filesystem::path& directory_;
};

/// The atoms of the most accurate model that can be drawn, to accompany a finding: its own if
/// possible.
std::optional<Figure> picture_of(const Finding& finding, const ResultsFile& results,
                                 const std::filesystem::path& directory) {
  const PlannedExperiment& planned = *finding.planned;
  // The finding's own model first, then the others by accuracy, the control last.
  std::vector<std::pair<double, const Configuration*>> ranked;
  for (const Configuration& each : planned.plan.configurations) {
    const auto score = score_of(rows_of(results, planned, each), planned.plan.mean_per_class);
    if (!score || each.group != finding.configuration->group) continue;
    const bool own = &each == finding.configuration;
    ranked.emplace_back(own ? 101 : each.control ? -1 : score->mean, &each);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [rank, configuration] : ranked) {
    const auto path = model_path(directory, planned, *configuration);
    if (!std::filesystem::exists(path)) continue;
    auto figure = atoms_figure(Model::load(path));
    if (!figure) continue;
    figure->second = fmt::format("{}: {}", configuration->system, figure->second);
    return figure;
  }
  return std::nullopt;
}

/// Opens with the best result overall, or with what is missing.
void open_page(ReportPage& page, const std::vector<Finding>& findings, const ResultsFile& results,
               const std::filesystem::path& directory) {
  const Finding* best = headline_of(findings);
  if (best == nullptr) return page.set_opening("No result yet: every configuration failed.");
  const auto picture = picture_of(*best, results, directory);
  page.set_opening(sentence_of(*best),
                   picture ? std::vector<Figure>{*picture} : std::vector<Figure>{});
}

/// The best result of each experiment.
void add_summary(ReportPage& page, const std::vector<Finding>& findings) {
  if (findings.size() < 2) return;
  std::vector<std::vector<std::string>> rows = {
      {"experiment", "best system", "result", "control", "difference"}};
  for (const Finding& each : findings) {
    const bool similarity = each.planned->experiment->kind == ExperimentKind::kSimilarity;
    rows.push_back({each.title, each.best, similarity ? each.text : each.text + " %",
                    !each.control ? kNothing
                    : similarity  ? fmt::format("{:.3f}", *each.control)
                                  : fmt::format("{:.2f} %", *each.control),
                    each.control ? signed_text(each.value - *each.control) : kNothing});
  }
  page.add_section("Summary");
  page.add_table(rows, {"Accuracy, or the block score for similarity matrices. The control is a "
                        "basis of random patches under the same protocol",
                        {}});
}

}  // namespace

ReportPage experiment_report(const std::vector<PlannedExperiment>& planned,
                             const ResultsFile& results, const std::filesystem::path& directory,
                             const std::string& command) {
  ReportPage page("krica reproduce: the paper's tables and figures");
  const std::vector<Finding> findings = findings_of(planned, results);
  open_page(page, findings, results, directory);
  page.add_text(
      "Tables and figures of Xiao, Zhu and Zhao, “Kernel Reconstruction ICA for Sparse "
      "Representation”, recomputed. Every number computed here is in results.jsonl, in the same "
      "directory as this page.");
  page.add_command("To repeat it:", command);
  const std::uint64_t seed = planned.front().plan.configurations.front().options.seed;
  page.add_text(fmt::format("Seed {}, krica {}.", seed, version()));
  add_summary(page, findings);
  for (const PlannedExperiment& each : planned) Section(page, each, results, directory).add();
  return page;
}

}  // namespace krica
