// SPDX-License-Identifier: BSD-3-Clause
#include "predict_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "classify/calibration.hpp"
#include "models/model_parts.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/printable.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

namespace fs = std::filesystem;

class TextWriter final : public PredictionWriter {
 public:
  TextWriter(bool probabilities, bool detailed)
      : probabilities_(probabilities), detailed_(detailed) {}

  void add(const Prediction& prediction) override {
    end_progress_line();
    const char* unsure = prediction.unsure ? "  unsure" : "";
    if (!detailed_) {
      fmt::print("{:<40} {}{}\n", printable(prediction.item), to_text(prediction.choices.front()),
                 unsure);
      return;
    }
    fmt::print("{}{}\n", printable(prediction.item), unsure);
    for (const Prediction::Choice& choice : prediction.choices)
      fmt::print("  {}\n", to_text(choice));
    if (!prediction.explanation.empty()) {
      fmt::print("  {}: why {}\n", printable(prediction.explanation),
                 printable(prediction.choices.front().name));
    }
  }
  void finish() override { flush_output(); }

 private:
  [[nodiscard]] std::string to_text(const Prediction::Choice& choice) const {
    const std::string name = printable(choice.name);
    return probabilities_ ? fmt::format("{:<24} {:5.1f} %  score {:.3f}", name,
                                        100 * choice.probability, choice.score)
                          : fmt::format("{:<24} score {:.3f}", name, choice.score);
  }

  bool probabilities_;
  bool detailed_;
};

/// Quoted according to RFC 4180 if necessary.
std::string csv_field(const std::string& field) {
  std::string text = printable(field);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

class CsvWriter final : public PredictionWriter {
 public:
  CsvWriter(const fs::path& file, bool probabilities, Index top) : probabilities_(probabilities) {
    if (!file.empty()) file_.emplace("predict", file);
    std::string header = "item,class,probability,score,unsure";
    for (Index rank = 2; rank <= top; ++rank)
      header += fmt::format(",class_{0},probability_{0},score_{0}", rank);
    write(header);
  }

  void add(const Prediction& prediction) override {
    std::string line = csv_field(prediction.item);
    for (std::size_t rank = 0; rank < prediction.choices.size(); ++rank) {
      const Prediction::Choice& choice = prediction.choices[rank];
      const std::string p = probabilities_ ? fmt::format("{:.6g}", choice.probability) : "";
      line += fmt::format(",{},{},{:.6g}", csv_field(choice.name), p, choice.score);
      if (rank == 0) line += prediction.unsure ? ",yes" : probabilities_ ? ",no" : ",";
    }
    write(line);
  }

  void finish() override {
    if (file_) file_->commit();
  }

 private:
  void write(const std::string& line) {
    if (!file_) return fmt::print("{}\n", line);
    file_->write((line + "\n").data(), line.size() + 1);
  }

  std::optional<AtomicFile> file_;
  bool probabilities_;
};

class JsonWriter final : public PredictionWriter {
 public:
  JsonWriter(nlohmann::json& items, bool probabilities)
      : items_(items), probabilities_(probabilities) {}

  void add(const Prediction& prediction) override {
    nlohmann::json choices = nlohmann::json::array();
    for (const Prediction::Choice& choice : prediction.choices) {
      choices.push_back({{"class", choice.name}, {"label", choice.label}, {"score", choice.score}});
      if (probabilities_) choices.back()["probability"] = choice.probability;
    }
    items_.push_back({{"item", prediction.item}, {"predictions", choices}});
    if (probabilities_) items_.back()["unsure"] = prediction.unsure;
    if (!prediction.explanation.empty()) items_.back()["explanation"] = prediction.explanation;
  }

 private:
  nlohmann::json& items_;
  bool probabilities_;
};

}  // namespace

Prediction prediction_of(const Model& model, const std::string& item, std::span<const float> scores,
                         Index top) {
  std::vector<Index> order(scores.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  const auto classes = static_cast<Index>(scores.size());
  Prediction prediction{item, {}, false, {}};
  Matrix<float> p(1, classes);
  if (model.has_probabilities()) {
    p = probabilities_of(ConstMatrixView<float>(scores.data(), 1, classes),
                         *model.parts().classifier->temperature);
    prediction.unsure = is_unsure({p.data(), scores.size()});
  }
  for (Index rank = 0; rank < std::min(top, classes); ++rank) {
    const Index c = order[static_cast<std::size_t>(rank)];
    prediction.choices.push_back({model.class_names()[static_cast<std::size_t>(c)], c,
                                  scores[static_cast<std::size_t>(c)], p(0, c)});
  }
  return prediction;
}

std::unique_ptr<PredictionWriter> text_writer(bool probabilities, bool detailed) {
  return std::make_unique<TextWriter>(probabilities, detailed);
}

std::unique_ptr<PredictionWriter> csv_writer(const fs::path& file, bool probabilities, Index top) {
  return std::make_unique<CsvWriter>(file, probabilities, top);
}

std::unique_ptr<PredictionWriter> json_writer(nlohmann::json& items, bool probabilities) {
  return std::make_unique<JsonWriter>(items, probabilities);
}

}  // namespace krica::cli
