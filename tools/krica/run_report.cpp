// SPDX-License-Identifier: BSD-3-Clause
#include "run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "krica/report/plot.hpp"
#include "krica/report/trial_report.hpp"
#include "krica/runtime/version.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

using nlohmann::json;

constexpr const char* kControl = "random-patches";

double total_seconds(const Trial& trial) {
  double seconds = 0;
  for (const StageTime& stage : trial.stages) seconds += stage.seconds;
  return seconds;
}

/// The option with the most different numbers; empty where none has two.
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

LinePlot tuning_plot(const json& rows, const json& best, const std::string& swept) {
  LinePlot plot{"Cross-validated accuracy", swept, "accuracy (%)", true, {}};
  for (const json& row : rows) {
    json others = row["options"];
    const json value = others[swept];
    others.erase(swept);
    if (!value.is_number()) continue;  // "auto" has no place on the axis
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

void add_accuracy_table(ReportPage& page, const std::vector<TestedRun>& runs) {
  std::vector<std::vector<std::string>> rows = {{"method", "test accuracy", "time"}};
  TableLook look;
  for (const TestedRun& run : runs) {
    const bool control = run.model.options().method == kControl;
    rows.push_back({control ? fmt::format("{} (the control)", run.name) : run.name,
                    fmt::format("{:.2f} %", 100 * run.trial.evaluation().accuracy),
                    duration_text(total_seconds(run.trial))});
    if (control) look.marked.push_back(rows.size() - 1);
  }
  page.add_section("Accuracy");
  page.add_table(rows, look);
  if (look.marked.empty()) {
    page.add_note(
        "No control was run. The same command with --method random-patches and another -o gives "
        "it, and shows how much of the accuracy comes from learning the basis.");
  }
}

void add_tuning(ReportPage& page, const json& rows, const json& best, int folds) {
  page.add_section("Search");
  json scored = json::array();
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(scored),
               [](const json& row) { return !row.contains("error"); });
  const std::string swept = swept_option(scored);
  if (!swept.empty()) {
    page.add_figures({{to_svg(tuning_plot(scored, best, swept)),
                       fmt::format("Mean over {} folds of the training images; bars are one "
                                   "standard deviation, the ring is the chosen setting.",
                                   folds)}});
  }
  std::vector<std::vector<std::string>> table = {{"setting", "accuracy (%)"}};
  TableLook look;
  for (const json& row : rows) {
    table.push_back({setting_text(row["options"]),
                     row.contains("error")
                         ? "failed: " + row["error"].get<std::string>()
                         : fmt::format("{:.2f} ± {:.2f}", 100 * row["accuracy"].get<double>(),
                                       100 * row["deviation"].get<double>())});
    if (row == best) look.marked.push_back(table.size() - 1);
  }
  page.add_table(table, look);
}

}  // namespace krica::cli
