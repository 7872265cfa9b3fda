// SPDX-License-Identifier: BSD-3-Clause
//
// The largest model there is. Training keeps to it, so that every model that is written can be read
// again; a model file that asks for more is refused before anything is allocated for it.
#pragma once

#include "krica/data/image_set.hpp"
#include "krica/models/options.hpp"

namespace krica {

constexpr Index kMostModelPixels = Index{1} << 26;  ///< of an image, as image files may have
constexpr Index kMostModelValues = Index{1} << 28;  ///< of an image or sample
constexpr Index kMostFeatures = Index{1} << 24;     ///< of an image: 64 MB
constexpr Index kMostLassoAtoms = Index{1} << 13;   ///< their Gram matrix takes 512 MB

/// Throws InvalidArgument for a model beyond the limits. `atoms` is 0 for raw pixels.
void check_model_size(const ImageShape& shape, const PipelineOptions& options, Index atoms);

}  // namespace krica
