// SPDX-License-Identifier: BSD-3-Clause
#include "evaluation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/printable.hpp"

namespace krica::cli {
namespace {

constexpr std::size_t kWidestConfusion = 20;  // classes; a larger table is for --json

std::string confusion_table(const Evaluation& evaluation) {
  std::string text = "\nconfusion (rows: true class, columns: predicted)\n     ";
  const std::size_t classes = evaluation.confusion.size();
  for (std::size_t c = 0; c < classes; ++c) text += fmt::format("{:>6}", c);
  text += "\n";
  for (std::size_t c = 0; c < classes; ++c) {
    text += fmt::format("{:>5}", c);
    for (const Index cell : evaluation.confusion[c]) text += fmt::format("{:>6}", cell);
    text += "\n";
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
          {"confusion", evaluation.confusion},
          {"class_names", class_names}};
}

std::string to_text(const Evaluation& evaluation, const std::vector<std::string>& class_names) {
  std::string text = fmt::format("accuracy {:.2f} %   mean per class {:.2f} %\n\n",
                                 100 * evaluation.accuracy, 100 * evaluation.mean_per_class);
  std::size_t widest = 5;
  for (const std::string& name : class_names) widest = std::max(widest, printable(name).size());
  for (std::size_t c = 0; c < class_names.size(); ++c) {
    const double part = evaluation.per_class[c];
    const std::string figure =
        std::isnan(part) ? "no samples" : fmt::format("{:6.2f} %", 100 * part);
    text += fmt::format("{:>5}  {:<{}}  {}\n", c, printable(class_names[c]), widest, figure);
  }
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
