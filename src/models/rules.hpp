// SPDX-License-Identifier: BSD-3-Clause
//
// The rules behind automatic choices, in one table; docs/methods.md shows the measurements.
#pragma once

#include <string_view>

#include "krica/bases/basis.hpp"
#include "models/data_facts.hpp"

namespace krica {

constexpr Index kField = 6;
constexpr Index kLargeField = 8;
constexpr Index kLargeSide = 64;  ///< from this side on patches are larger
constexpr Index kEpochs = 10;
constexpr double kHeldOut = 0.2;
constexpr Index kPatience = 10;

struct MethodRule {
  bool (*fits)(const DataFacts& facts);
  std::string_view method;
  std::string_view reason;
};

/// The first rule that fits.
const MethodRule& method_rule(const DataFacts& facts);

/// As many atoms as the method allows for the data, at most what pays for that number of images.
Index components_for(const BasisMethod& method, const DataFacts& facts, Index receptive_field);

/// Whether max-margin training needs all images to learn from, so that its result is judged by
/// another training before.
bool is_small(Index images);

/// Folds by which max-margin training is judged; 0 where one held-out part has images enough.
Index folds_for(Index images);

/// Epochs of max-margin training: with few images, an epoch has few steps.
Index joint_epochs_for(Index images);

/// Images per step of max-margin training: 128, or fewer if an epoch would have too few steps;
/// never more than half of the images.
Index batch_for(Index images);

}  // namespace krica
