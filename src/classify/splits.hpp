// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-validation folds, and small helpers for predictions. Splits are in
// krica/data/image_set.hpp.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// The fold (0 ... folds-1) of every sample; the samples of each class are distributed evenly.
/// Throws InvalidArgument for fewer than 2 folds or more folds than samples.
std::vector<int> stratified_folds(const Context& context, std::span<const int> labels, int folds,
                                  std::string_view purpose);

/// The values at the given indices.
std::vector<int> values_at(std::span<const int> values, std::span<const Index> places);

/// The fraction of correct predictions.
double accuracy_of(std::span<const int> predicted, std::span<const int> labels);

}  // namespace krica
