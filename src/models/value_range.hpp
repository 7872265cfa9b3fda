// SPDX-License-Identifier: BSD-3-Clause
//
// The value range of an image set. A model stores that of its training images: the same images as
// bytes and as floats in 0 ... 1 must give the same features, and others are rejected rather than
// misinterpreted.
#pragma once

#include <string_view>

#include "krica/data/image_set.hpp"

namespace krica {

enum class ValueRange {
  kBytes,  ///< "bytes": 0 ... 255
  kUnit,   ///< "unit": 0 ... 1
  kOther,  ///< "other": negative or larger values, such as standardised ones
};
std::string_view name_of(ValueRange range);
ValueRange value_range(std::string_view name);

/// Bytes are known by their type; floats are classified by their minimum and maximum, with a
/// tolerance of a tenth of the range for values that resizing overshot. Reads a float set
/// completely.
ValueRange value_range_of(const Context& context, const ImageSet& images);

/// The images in the range that a model was trained on, scaled by 255 if one range is bytes and the
/// other 0 ... 1; null if they already are. Throws InvalidArgument naming both ranges if no factor
/// fits. Null for samples.
ImageSetPtr in_range(const Context& context, const ImageSet& images, ValueRange learned);

}  // namespace krica
