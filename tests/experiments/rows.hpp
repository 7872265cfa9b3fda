// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/results.hpp"
#include "krica/runtime/library.hpp"

namespace krica::support {

/// A row of three classes whose first `right` of four test images are recognised.
inline ResultRow small_row(const std::string& system, const std::string& split, int right = 3) {
  ResultRow row;
  row.identity.experiment = "stl10";
  row.identity.system = system;
  row.identity.split = split;
  row.identity.data = "toy";
  row.identity.options = to_json(PipelineOptions{});
  row.key = row.identity.key();
  row.version = version();
  row.trial.class_names = {"a", "b", "c"};
  row.trial.labels = {0, 1, 2, 0};
  row.trial.predictions = {0, 1, 2, 0};
  for (std::size_t i = static_cast<std::size_t>(right); i < 4; ++i)
    row.trial.predictions[i] = (row.trial.labels[i] + 1) % 3;
  row.trial.stages = {{"basis", 1.5, 1000}, {"svm", 0.5, 2000}};
  row.trial.objective = {2.5, 1.25};
  row.trial.codes = {0, 1, {3, 4}, 0.5, 0.25};
  row.trial.mistakes = {{3, 0, 1, 0.75}};
  return row;
}

/// An empty directory.
inline std::filesystem::path scratch_directory(const std::string& name) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("krica-" + name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

}  // namespace krica::support
