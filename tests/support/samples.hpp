// SPDX-License-Identifier: BSD-3-Clause
//
// Small labelled sample sets in memory.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "krica/data/sample_set.hpp"
#include "krica/runtime/context.hpp"

namespace krica::support {

/// Samples given as numbers, row by row.
class MemorySamples final : public SampleSet {
 public:
  MemorySamples(Index cols, std::vector<double> values, std::vector<int> labels, int classes)
      : SampleSet(
            info_of(cols, static_cast<Index>(values.size()) / cols, std::move(labels), classes)),
        values_(std::move(values)) {}

 private:
  static SampleSetInfo info_of(Index cols, Index rows, std::vector<int> labels, int classes) {
    SampleSetInfo info;
    info.rows = rows;
    info.cols = cols;
    info.type = SampleType::kFloat64;
    info.labels = std::move(labels);
    for (int c = 0; c < classes; ++c) info.class_names.push_back("class " + std::to_string(c));
    info.description = "test samples";
    return info;
  }
  void load(Index first, Index count, float* out) const override { copy(first, count, out); }
  void load(Index first, Index count, double* out) const override { copy(first, count, out); }
  template <class Scalar>
  void copy(Index first, Index count, Scalar* out) const {
    for (Index i = 0; i < count * cols(); ++i)
      out[i] = static_cast<Scalar>(values_[static_cast<std::size_t>(first * cols() + i)]);
  }

  std::vector<double> values_;
};

/// Two opposite clouds a class, so that no plane parts the classes but a kernel code does; classes
/// in turn.
inline SampleSetPtr clouds(Index rows, Index cols = 8, int classes = 3, std::uint64_t seed = 1) {
  std::vector<double> values;
  std::vector<int> labels;
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, "tests.clouds", static_cast<std::uint64_t>(i));
    const int label = static_cast<int>(i % classes);
    const double side = random.uniform() < 0.5 ? -3 : 3;
    for (Index j = 0; j < cols; ++j)
      values.push_back((j % classes == label ? side : 0.0) + 0.5 * random.normal());
    labels.push_back(label);
  }
  return std::make_shared<MemorySamples>(cols, std::move(values), std::move(labels), classes);
}

}  // namespace krica::support
