// SPDX-License-Identifier: BSD-3-Clause
#include "run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "krica/runtime/library.hpp"
#include "report/plot.hpp"
#include "report/trial_report.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

using nlohmann::json;

double total_seconds(const Trial& trial) {
  double seconds = 0;
  for (const StageTime& stage : trial.stages) seconds += stage.seconds;
  return seconds;
}

std::string percent(double part) { return fmt::format("{:.2f} %", 100 * part); }

bool is_control(const TestedRun& run) { return run.model.options().method == kControl; }

/// The best run in one sentence, with its gain over the control if that was run too.
std::string sentence_of(const TestedRun& best, std::optional<double> control) {
  const double accuracy = best.trial.evaluation().accuracy;
  const std::string text =
      fmt::format("{} classifies {} of {} test {} correctly", best.name, percent(accuracy),
                  best.trial.labels.size(), noun_of(best.model.shape()));
  if (!control) return text + ".";
  if (is_control(best) || *control >= accuracy)
    return fmt::format("{}; the control of random patches reaches {}.", text, percent(*control));
  return fmt::format("{}, {:.2f} points more than random patches (the control).", text,
                     100 * (accuracy - *control));
}

/// The option with the most distinct numbers; empty if none has two.
std::string swept_option(const json& rows) {
  std::map<std::string, std::set<double>> values;
  for (const json& row : rows) {
    for (const auto& [name, value] : row["options"].items())
      if (value.is_number()) values[name].insert(value.get<double>());
  }
  const auto most = std::max_element(
      values.begin(), values.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == values.end() || most->second.size() < 2 ? "" : most->first;
}

std::string score_text(const json& row) {
  return fmt::format("{:.2f} ± {:.2f}", 100 * row["accuracy"].get<double>(),
                     100 * row["deviation"].get<double>());
}

LinePlot tuning_plot(const json& rows, const json& best, const std::string& swept) {
  LinePlot plot{"Cross-validated accuracy", swept, "accuracy (%)", true, {}};
  for (const json& row : rows) {
    json others = row["options"];
    const json value = others[swept];
    others.erase(swept);
    if (!value.is_number()) continue;  // "auto" cannot be placed on the axis
    if (value.get<double>() <= 0) plot.logarithmic_x = false;
    const std::string name = setting_text(others);
    auto series = std::find_if(plot.series.begin(), plot.series.end(),
                               [&](const PlotSeries& s) { return s.name == name; });
    if (series == plot.series.end()) series = plot.series.insert(series, PlotSeries{name, {}});
    series->points.push_back({value.get<double>(), 100 * row["accuracy"].get<double>(),
                              100 * row["deviation"].get<double>(), row == best});
  }
  for (PlotSeries& series : plot.series) {
    std::sort(series.points.begin(), series.points.end(),
              [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  }
  return plot;
}

}  // namespace

std::string setting_text(const json& setting) {
  std::string text;
  for (const auto& [name, value] : setting.items()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text.empty() ? "(as given)" : text;
}

ReportPage begin_page(const std::string& title, const std::string& data, std::uint64_t seed) {
  ReportPage page(title);
  page.add_text(data);
  page.add_command("To repeat it:", command_line());
  page.add_text(fmt::format("Seed {}, krica {}.", seed, version()));
  return page;
}

void add_opening(ReportPage& page, const std::string& sentence, const Model& model) {
  const auto atoms = atoms_figure(model);
  page.set_opening(sentence, atoms ? std::vector<Figure>{*atoms} : std::vector<Figure>{});
}

void add_accuracy_table(ReportPage& page, const std::vector<TestedRun>& runs,
                        std::optional<double> control) {
  const auto best = std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
    return a.trial.evaluation().accuracy < b.trial.evaluation().accuracy;
  });
  std::vector<std::vector<std::string>> rows = {{"method", "test accuracy", "time"}};
  TableLook look;
  if (control) rows.push_back({std::string(kControl) + " (control)", percent(*control), "–"});
  for (const TestedRun& run : runs) {
    const double accuracy = run.trial.evaluation().accuracy;
    if (is_control(run) && runs.size() > 1) control = accuracy;
    rows.push_back({is_control(run) ? fmt::format("{} (control)", run.name) : run.name,
                    percent(accuracy), duration_text(total_seconds(run.trial))});
    if (&run == &*best) look.marked.push_back(rows.size() - 1);
  }
  if (rows.size() == 2) look.marked.clear();  // nothing to compare with
  if (control && *control > best->trial.evaluation().accuracy) look.marked = {1};
  add_opening(page, sentence_of(*best, control), best->model);
  page.add_section("Accuracy");
  page.add_table(rows, look);
  if (!control && !is_control(runs.front())) {
    page.add_note(
        "No control was run. For the control, run the same command with --method random-patches "
        "and another -o: a learned basis is only useful if it beats random patches under the same "
        "protocol.");
  }
}

void add_tuning(ReportPage& page, const json& rows, const json& best, int folds) {
  json scored = json::array();
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(scored),
               [](const json& row) { return !row.contains("error"); });
  const std::string swept = swept_option(scored);
  std::vector<Figure> curves;
  if (!swept.empty()) {
    curves.emplace_back(to_svg(tuning_plot(scored, best, swept)),
                        fmt::format("Mean over {} folds of the training data. Bars: one standard "
                                    "deviation; ring: the best setting.",
                                    folds));
  }
  page.set_opening(fmt::format("Best setting: {}, with {} % accuracy in {}-fold cross-validation.",
                               setting_text(best["options"]), score_text(best), folds),
                   curves);
  std::vector<std::vector<std::string>> table = {{"setting", "accuracy (%)"}};
  TableLook look;
  for (const json& row : rows) {
    table.push_back(
        {setting_text(row["options"]),
         row.contains("error") ? "failed: " + row["error"].get<std::string>() : score_text(row)});
    if (row == best) look.marked.push_back(table.size() - 1);
  }
  page.add_section("All settings");
  page.add_table(table, look);
}

}  // namespace krica::cli
