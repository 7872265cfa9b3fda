// SPDX-License-Identifier: BSD-3-Clause
//
// Prepares images: for training as the descriptor wants them, and new ones in the same way as those
// that a model was trained on. Nothing else does this.
#pragma once

#include "krica/data/image.hpp"
#include "krica/models/model.hpp"
#include "session.hpp"

namespace krica::cli {

/// Chooses the rule for image sizes that suits the descriptor, if it is left open.
void suit_descriptor(DataOptions& options, const PipelineOptions& pipeline);

/// Converts to the model's size and channels; a model of images that differ in size only shrinks
/// what is larger than its limit. Throws DataError if the model's images are not square and this
/// one has other sides, or if it has no room for a descriptor.
Image prepared(const Image& image, const Model& model);

/// The same for every image of a set. Samples are unchanged. Also throws DataError if the set holds
/// samples and the model was trained on images, or vice versa, or if the number of values differs.
ImageSetPtr prepared(const ImageSetPtr& images, const Model& model);

}  // namespace krica::cli
