// SPDX-License-Identifier: BSD-3-Clause
//
// Limits on the size of a model. Training respects them, so that every model it writes can be read;
// a model file beyond them is rejected before any allocation.
#pragma once

#include "krica/data/image_set.hpp"
#include "krica/models/options.hpp"

namespace krica {

constexpr Index kLongestModelSide = 16384;

constexpr Index kMostModelPixels = Index{1} << 26;  ///< of an image; the limit for image files
constexpr Index kMostModelValues = Index{1} << 28;  ///< of an image or sample
constexpr Index kMostFeatures = Index{1} << 24;     ///< of an image: 64 MB
constexpr Index kMostLassoAtoms = Index{1} << 13;   ///< their Gram matrix takes 512 MB

/// Throws InvalidArgument for a model beyond the limits. `atoms` is 0 for raw pixels.
void check_model_size(const ImageShape& shape, const PipelineOptions& options, Index atoms);
/// The same for a network; also throws if its layers do not fit the images.
void check_network_size(const ImageShape& shape, const PipelineOptions& options);

}  // namespace krica
