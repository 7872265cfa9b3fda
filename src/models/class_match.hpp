// SPDX-License-Identifier: BSD-3-Clause
//
// Maps the classes of a data set to those of a model by name: data sets number their classes
// differently, and some contain only a few of the model's classes.
#pragma once

#include <string>
#include <vector>

#include "krica/data/image_set.hpp"

namespace krica {

struct ClassMatch {
  std::vector<int> labels;           ///< one per image: the model's class, or -1 if it has none
  std::vector<std::string> unknown;  ///< classes of the images that the model does not have
  Index unknown_images = 0;
};

/// Names match if they are equal or have the same directory form ("T-shirt/top" cannot be a
/// directory name as it stands).
ClassMatch match_classes(const ImageSet& images, const std::vector<std::string>& known);

/// Labels of images whose classes must all be known to the model. Throws DataError, prefixed with
/// `operation`, listing the unknown classes and those of the model.
std::vector<int> labels_known_to(const std::vector<std::string>& known, const ImageSet& images,
                                 const std::string& operation);

/// "cat, dog and 3 more".
std::string listed(const std::vector<std::string>& names);

}  // namespace krica
