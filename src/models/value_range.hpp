// SPDX-License-Identifier: BSD-3-Clause
//
// The range of an image set's values. A model remembers that of its training images: the same
// images as bytes and as floats in 0 ... 1 must give the same features, and others are refused
// instead of being misread.
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

/// Bytes are known by their type; of floats the smallest and largest value decide, with a tenth of
/// the range to spare for values that resizing overshot. Reads a float set whole.
ValueRange value_range_of(const Context& context, const ImageSet& images);

/// The images in the range that a model learned, scaled by 255 where one range is bytes and the
/// other 0 ... 1; null where they are in it already. Throws InvalidArgument that names both ranges
/// where no factor helps. For samples: null.
ImageSetPtr in_range(const Context& context, const ImageSet& images, ValueRange learned);

}  // namespace krica
