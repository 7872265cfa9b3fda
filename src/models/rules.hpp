// SPDX-License-Identifier: BSD-3-Clause
//
// The rules for automatic choices, in one table; docs/methods.md shows the measurements.
#pragma once

#include <string_view>

#include "krica/bases/basis.hpp"
#include "models/data_facts.hpp"

namespace krica {

constexpr Index kField = 6;
constexpr Index kLargeField = 8;
constexpr Index kLargeSide = 64;  ///< images of at least this side use larger patches
constexpr Index kEpochs = 10;
constexpr Index kWords = 1024;  ///< of the features that a dictionary codes for images, at most
constexpr Index kPatchesPerWord = 4;  ///< at least
constexpr double kHeldOut = 0.2;
constexpr Index kPatience = 10;

struct MethodRule {
  bool (*fits)(const DataFacts& facts);
  std::string_view method;
  std::string_view reason;
};

/// The first rule that applies.
const MethodRule& method_rule(const DataFacts& facts);
/// For images that are to be described by SIFT.
const MethodRule& sift_rule();

/// The number of atoms that is worthwhile for this number of images, at most what the method
/// allows for descriptors of `dimensions` values.
Index components_for(const BasisMethod& method, const DataFacts& facts, Index dimensions);

/// Atoms in a code by matching pursuit of patches or samples of that many values; 0: many.
Index nonzeros_for(const BasisMethod& method, Index values);

/// Whether max-margin training needs all images to learn from, so that separate trials must
/// evaluate it.
bool is_small(Index images);

/// The number of folds to evaluate max-margin training; 0 if one held-out part is large enough.
Index folds_for(Index images);

/// Epochs of max-margin training: with few images, an epoch has few steps.
Index joint_epochs_for(Index images);

/// Images per step of max-margin training: 128, or fewer if an epoch would have too few steps;
/// never more than half of the images.
Index batch_for(Index images);

}  // namespace krica
