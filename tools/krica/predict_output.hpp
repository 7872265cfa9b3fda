// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions as text, CSV or JSON.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "krica/models/model.hpp"

namespace krica::cli {

/// The classes of one item, best first.
struct Prediction {
  struct Choice {
    std::string name;
    Index label = 0;
    float score = 0;
    float probability = 0;  ///< only if the model has probabilities
  };
  std::string item;
  std::vector<Choice> choices;
  bool unsure = false;
  std::string explanation;  ///< a picture, if one was drawn
};

/// The `top` best classes by score (one score per class of the model).
Prediction prediction_of(const Model& model, const std::string& item, std::span<const float> scores,
                         Index top);

class PredictionWriter {
 public:
  virtual ~PredictionWriter() = default;
  virtual void add(const Prediction& prediction) = 0;
  /// Called once, at the end.
  virtual void finish() {}
};

/// `detailed`: a block per item with all its choices, otherwise one line.
std::unique_ptr<PredictionWriter> text_writer(bool probabilities, bool detailed);
/// To a file, which appears when it is complete, or to standard output if the path is empty.
std::unique_ptr<PredictionWriter> csv_writer(const std::filesystem::path& file, bool probabilities,
                                             Index top);
/// Appends to an array.
std::unique_ptr<PredictionWriter> json_writer(nlohmann::json& items, bool probabilities);

}  // namespace krica::cli
