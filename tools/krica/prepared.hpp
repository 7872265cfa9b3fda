// SPDX-License-Identifier: BSD-3-Clause
//
// Images that a model has not seen, prepared as those that it was trained on: the one place that
// knows how.
#pragma once

#include "krica/data/image.hpp"
#include "krica/models/model.hpp"

namespace krica::cli {

/// Of the model's size and channels. Throws DataError where the model's images are not square and
/// this one has other sides.
Image prepared(const Image& image, const Model& model);

/// The same for every image of a set. Samples stay as they are. Throws DataError as well where the
/// set holds samples and the model is of images, or the other way round, or of other numbers.
ImageSetPtr prepared(const ImageSetPtr& images, const Model& model);

}  // namespace krica::cli
