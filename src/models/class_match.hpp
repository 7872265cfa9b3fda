// SPDX-License-Identifier: BSD-3-Clause
//
// The classes of a data set in the terms of a model, matched by name: data sets number their
// classes in different orders, and some hold only a few of the model's classes.
#pragma once

#include <string>
#include <vector>

#include "krica/data/image_set.hpp"

namespace krica {

struct ClassMatch {
  std::vector<int> labels;           ///< one per image: the model's class, -1 where it has none
  std::vector<std::string> unknown;  ///< classes with images that the model does not know
  Index unknown_images = 0;
};

/// Names match where they are equal, or where both become the same directory name ("T-shirt/top" is
/// written as a directory of another name).
ClassMatch match_classes(const ImageSet& images, const std::vector<std::string>& known);

/// The labels of images whose classes the model must all know. Throws DataError, prefixed with
/// `operation`, that lists the unknown classes and those of the model.
std::vector<int> labels_known_to(const std::vector<std::string>& known, const ImageSet& images,
                                 const std::string& operation);

/// "cat, dog and 3 more".
std::string listed(const std::vector<std::string>& names);

}  // namespace krica
