// SPDX-License-Identifier: BSD-3-Clause
#include "evaluation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/printable.hpp"

namespace krica::cli {
namespace {

constexpr std::size_t kWidestConfusion = 20;  // classes; larger tables are only in --json
constexpr std::size_t kMostInMatrix = 1000;   // classes; beyond, JSON lists the pairs that occur
constexpr std::size_t kMostLines = 200;       // classes; beyond, the worst are shown
constexpr std::size_t kWorst = 20;

std::string confusion_table(const Evaluation& evaluation) {
  std::string text = "\nconfusion (rows: true class, columns: predicted)\n     ";
  const std::vector<std::vector<Index>> matrix = confusion_matrix(evaluation);
  for (std::size_t c = 0; c < matrix.size(); ++c) text += fmt::format("{:>6}", c);
  text += "\n";
  for (std::size_t c = 0; c < matrix.size(); ++c) {
    text += fmt::format("{:>5}", c);
    for (const Index cell : matrix[c]) text += fmt::format("{:>6}", cell);
    text += "\n";
  }
  return text;
}

nlohmann::json confusion_json(const Evaluation& evaluation) {
  if (evaluation.per_class.size() <= kMostInMatrix) return confusion_matrix(evaluation);
  nlohmann::json pairs = nlohmann::json::array();
  for (const ConfusionCount& pair : evaluation.confusion)
    pairs.push_back({{"true", pair.truth}, {"predicted", pair.predicted}, {"count", pair.count}});
  return pairs;
}

/// The classes to show: all, or, of many, those with the lowest accuracy.
std::vector<std::size_t> shown_classes(const Evaluation& evaluation) {
  std::vector<std::size_t> shown(evaluation.per_class.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= kMostLines) return shown;
  std::erase_if(shown, [&](std::size_t c) { return std::isnan(evaluation.per_class[c]); });
  std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
    return evaluation.per_class[a] < evaluation.per_class[b];
  });
  shown.resize(std::min(shown.size(), kWorst));
  return shown;
}

std::string class_lines(const Evaluation& evaluation, const std::vector<std::string>& class_names) {
  const std::vector<std::size_t> shown = shown_classes(evaluation);
  std::size_t widest = 5;
  for (const std::size_t c : shown) widest = std::max(widest, printable(class_names[c]).size());
  std::string text;
  for (const std::size_t c : shown) {
    const double part = evaluation.per_class[c];
    const std::string figure =
        std::isnan(part) ? "no samples" : fmt::format("{:6.2f} %", 100 * part);
    text += fmt::format("{:>5}  {:<{}}  {}\n", c, printable(class_names[c]), widest, figure);
  }
  if (shown.size() < class_names.size()) {
    text += fmt::format("the {} worst of {} classes; --json gives all\n", shown.size(),
                        class_names.size());
  }
  return text;
}

}  // namespace

nlohmann::json to_json(const Evaluation& evaluation, const std::vector<std::string>& class_names) {
  nlohmann::json per_class = nlohmann::json::array();
  for (const double part : evaluation.per_class) {
    per_class.push_back(std::isnan(part) ? nlohmann::json() : nlohmann::json(part));
  }
  return {{"accuracy", evaluation.accuracy},
          {"mean_per_class", evaluation.mean_per_class},
          {"per_class", per_class},
          {"confusion", confusion_json(evaluation)},
          {"class_names", class_names}};
}

std::string to_text(const Evaluation& evaluation, const std::vector<std::string>& class_names) {
  std::string text = fmt::format("accuracy {:.2f} %   mean per class {:.2f} %\n\n",
                                 100 * evaluation.accuracy, 100 * evaluation.mean_per_class);
  text += class_lines(evaluation, class_names);
  if (class_names.size() <= kWidestConfusion) text += confusion_table(evaluation);
  return text;
}

std::string stage_times(const std::vector<StageTime>& stages) {
  std::string text;
  double total = 0;
  for (const StageTime& stage : summed(stages)) {
    text += fmt::format("{} {:.1f} s, ", stage.stage, stage.seconds);
    total += stage.seconds;
  }
  return text + fmt::format("total {:.1f} s", total);
}

nlohmann::json stage_times_json(const std::vector<StageTime>& stages) {
  nlohmann::json object = nlohmann::json::object();
  for (const StageTime& stage : summed(stages)) object[stage.stage] = stage.seconds;
  return object;
}

}  // namespace krica::cli
