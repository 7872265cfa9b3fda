// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/results.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

using nlohmann::json;

// Of the stages' peaks, as the file names it.
constexpr const char* kPeak = "peak_memory_bytes";

// Distances are of the order of 1.
constexpr double kResolution = 1e-4;

json to_json_object(const CodeStatistics& codes) {
  return {{"lowest", codes.lowest},
          {"highest", codes.highest},
          {"counts", codes.counts},
          {"small", codes.small},
          {"sparsity", codes.sparsity}};
}

CodeStatistics codes_from(const json& object) {
  return {object.at("lowest"), object.at("highest"), object.at("counts"), object.at("small"),
          object.at("sparsity")};
}

json to_json_object(const std::vector<Mistake>& mistakes) {
  json list = json::array();
  for (const Mistake& mistake : mistakes) {
    list.push_back({{"image", mistake.image},
                    {"truth", mistake.truth},
                    {"predicted", mistake.predicted},
                    {"margin", mistake.margin}});
  }
  return list;
}

json to_json_object(const Matrix<float>& matrix) {
  json rows = json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    std::vector<double> row;
    for (Index j = 0; j < matrix.cols(); ++j)
      row.push_back(std::round(matrix(i, j) / kResolution) * kResolution);
    rows.push_back(row);
  }
  return rows;
}

Matrix<float> matrix_from(const json& rows) {
  if (rows.empty()) return {};
  Matrix<float> matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
  }
  return matrix;
}

void put_trial(const Trial& trial, json& object) {
  const Evaluation evaluation = trial.evaluation();
  object["accuracy"] = evaluation.accuracy;
  object["mean_per_class"] = evaluation.mean_per_class;
  object["options"] = json::parse(to_json(trial.options));
  object["fingerprint"] = trial.fingerprint;
  object["train_images"] = trial.train_images;
  object["test_images"] = trial.labels.size();
  object["basis_status"] = trial.basis_status;
  object["warning"] = trial.warning;
  object["objective"] = trial.objective;
  object["held_out_accuracy"] = trial.held_out_accuracy;
  object["codes"] = to_json_object(trial.codes);
  std::int64_t peak = 0;
  for (const StageTime& stage : trial.stages) {
    object["seconds"][stage.stage] = stage.seconds;
    object["stages"].push_back(
        {{"stage", stage.stage}, {"seconds", stage.seconds}, {kPeak, stage.peak_bytes}});
    peak = std::max(peak, stage.peak_bytes);
  }
  object[kPeak] = peak;
  object["resumed"] = trial.resumed;
  object["mistakes"] = to_json_object(trial.mistakes);
  object["class_names"] = trial.class_names;
  object["labels"] = trial.labels;
  object["predictions"] = trial.predictions;
}

Trial trial_from(const json& object) {
  Trial trial;
  trial.options = options_from_json(object.at("options").dump());
  trial.fingerprint = object.at("fingerprint");
  trial.train_images = object.at("train_images");
  trial.basis_status = object.at("basis_status");
  trial.warning = object.at("warning");
  trial.objective = object.at("objective").get<std::vector<double>>();
  trial.held_out_accuracy = object.at("held_out_accuracy").get<std::vector<double>>();
  trial.codes = codes_from(object.at("codes"));
  for (const json& stage : object.at("stages"))
    trial.stages.push_back({stage.at("stage"), stage.at("seconds"), stage.at(kPeak)});
  trial.resumed = object.at("resumed");
  for (const json& entry : object.at("mistakes")) {
    trial.mistakes.push_back(
        {entry.at("image"), entry.at("truth"), entry.at("predicted"), entry.at("margin")});
  }
  trial.class_names = object.at("class_names").get<std::vector<std::string>>();
  trial.labels = object.at("labels").get<std::vector<int>>();
  trial.predictions = object.at("predictions").get<std::vector<int>>();
  return trial;
}

}  // namespace

std::string to_json(const ResultRow& row) {
  const RowIdentity& identity = row.identity;
  json object = {{"key", row.key},
                 {"experiment", identity.experiment},
                 {"group", identity.group},
                 {"system", identity.system},
                 {"value", std::isnan(identity.value) ? json() : json(identity.value)},
                 {"split", identity.split},
                 {"seed", identity.seed},
                 {"data", identity.data},
                 {"asked", json::parse(identity.options)},
                 {"version", row.version}};
  if (row.failed()) {
    object["error"] = row.error;
    return object.dump();
  }
  put_trial(row.trial, object);
  if (row.distances.rows() > 0) {
    object["distances"] = to_json_object(row.distances);
    object["block_score"] = row.block_score;
  }
  return object.dump();
}

ResultRow row_from_json(const std::string& text, const std::string& source) {
  try {
    const json object = json::parse(text);
    ResultRow row;
    RowIdentity& identity = row.identity;
    identity.experiment = object.at("experiment");
    identity.group = object.at("group");
    identity.system = object.at("system");
    if (object.at("value").is_number()) identity.value = object.at("value");
    identity.split = object.at("split");
    identity.seed = object.at("seed");
    identity.data = object.at("data");
    identity.options = object.at("asked").dump();
    row.key = object.at("key");
    row.version = object.at("version");
    row.error = object.value("error", "");
    if (!row.failed()) row.trial = trial_from(object);
    if (object.contains("distances")) {
      row.distances = matrix_from(object.at("distances"));
      row.block_score = object.at("block_score");
    }
    return row;
  } catch (const json::exception& error) {
    throw DataError(fmt::format("[results] {}: no row of results: {}", source, error.what()));
  }
}

}  // namespace krica
