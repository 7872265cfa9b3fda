// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/results.hpp"
#include "krica/runtime/error.hpp"
#include "models/flat_object.hpp"

namespace krica {
namespace {

using nlohmann::json;

// The peak memory of a stage, as named in the file.
constexpr const char* kPeak = "peak_memory_bytes";

constexpr int kDeepestRow = 8;

// Distances are of order 1.
constexpr double kResolution = 1e-4;

/// An integer from `least` to `most`. JSON's own conversion would silently truncate others.
template <class Number>
Number whole(const json& value, const std::string& name, Number least, Number most) {
  const bool fits =
      value.is_number_unsigned()
          ? std::in_range<Number>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
  if (fits && value.get<Number>() >= least && value.get<Number>() <= most)
    return value.get<Number>();
  throw DataError(fmt::format("{} is {}, but must be a whole number from {} to {}", name,
                              value.dump(), least, most));
}

Index count(const json& object, const std::string& name) {
  return whole<Index>(object.at(name), name, 0, std::numeric_limits<Index>::max());
}

/// Class numbers below `classes`.
std::vector<int> classes_in(const json& object, const std::string& name, std::size_t classes) {
  std::vector<int> numbers;
  for (const json& value : object.at(name))
    numbers.push_back(whole<int>(value, name, 0, static_cast<int>(classes) - 1));
  return numbers;
}

json to_json_object(const CodeStatistics& codes) {
  return {{"lowest", codes.lowest},
          {"highest", codes.highest},
          {"counts", codes.counts},
          {"small", codes.small},
          {"sparsity", codes.sparsity}};
}

CodeStatistics codes_from(const json& object) {
  std::vector<Index> counts;
  for (const json& value : object.at("counts"))
    counts.push_back(whole<Index>(value, "counts", 0, std::numeric_limits<Index>::max()));
  return {object.at("lowest"), object.at("highest"), std::move(counts), object.at("small"),
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
    for (Index j = 0; j < matrix.cols(); ++j) {
      const double value = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
      if (std::abs(value) > double{std::numeric_limits<float>::max()})
        throw DataError(fmt::format("the distance {} is beyond float32", value));
      matrix(i, j) = static_cast<float>(value);
    }
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

/// Labels, predictions and mistakes, which must be consistent.
void read_test(const json& object, Trial& trial) {
  trial.class_names = object.at("class_names").get<std::vector<std::string>>();
  const std::size_t classes = trial.class_names.size();
  trial.labels = classes_in(object, "labels", classes);
  trial.predictions = classes_in(object, "predictions", classes);
  if (trial.labels.empty() || trial.labels.size() != trial.predictions.size()) {
    throw DataError(
        fmt::format("{} predictions for {} labels", trial.predictions.size(), trial.labels.size()));
  }
  const auto last_image = static_cast<Index>(trial.labels.size()) - 1;
  const int last_class = static_cast<int>(classes) - 1;
  for (const json& entry : object.at("mistakes")) {
    trial.mistakes.push_back({whole<Index>(entry.at("image"), "image", 0, last_image),
                              whole<int>(entry.at("truth"), "truth", 0, last_class),
                              whole<int>(entry.at("predicted"), "predicted", 0, last_class),
                              entry.at("margin")});
  }
}

Trial trial_from(const json& object) {
  Trial trial;
  trial.options = options_from_json(object.at("options").dump());
  trial.fingerprint = object.at("fingerprint");
  trial.train_images = count(object, "train_images");
  trial.basis_status = object.at("basis_status");
  trial.warning = object.at("warning");
  trial.objective = object.at("objective").get<std::vector<double>>();
  trial.held_out_accuracy = object.at("held_out_accuracy").get<std::vector<double>>();
  trial.codes = codes_from(object.at("codes"));
  for (const json& stage : object.at("stages"))
    trial.stages.push_back({stage.at("stage"), stage.at("seconds"), count(stage, kPeak)});
  trial.resumed = object.at("resumed");
  read_test(object, trial);
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
  if (!identity.device.empty()) object["device"] = identity.device;
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
    const json object = shallow_object(text, "row", kDeepestRow);
    ResultRow row;
    RowIdentity& identity = row.identity;
    identity.experiment = object.at("experiment");
    identity.group = object.at("group");
    identity.system = object.at("system");
    if (object.at("value").is_number()) identity.value = object.at("value");
    identity.split = object.at("split");
    identity.seed = whole<std::uint64_t>(object.at("seed"), "seed", 0,
                                         std::numeric_limits<std::uint64_t>::max());
    identity.data = object.at("data");
    identity.options = object.at("asked").dump();
    identity.device = object.value("device", "");
    row.key = object.at("key");
    row.version = object.at("version");
    row.error = object.value("error", "");
    if (!row.failed()) row.trial = trial_from(object);
    if (object.contains("distances")) {
      row.distances = matrix_from(object.at("distances"));
      row.block_score = object.at("block_score");
    }
    return row;
  } catch (const std::exception& error) {
    throw DataError(
        fmt::format("[results] {}: not a row of results: {}; remove the line to recompute the row",
                    source, error.what()));
  }
}

}  // namespace krica
