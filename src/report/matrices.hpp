// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices as HTML elements for a ReportPage.
#pragma once

#include <string>
#include <vector>

#include "classify/metrics.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// A table of counts with rows of true and columns of predicted classes, coloured by the fraction
/// of the row; above 20 classes a list of the most frequent confusions instead.
std::string confusion_element(const Evaluation& evaluation,
                              const std::vector<std::string>& class_names);

/// Distances between images sorted by class, as a picture with a scale from 0 to `highest`. The
/// axes number the classes from 1, so that one caption can name them for several pictures; hovering
/// shows the mean of a pair of classes by name.
std::string distances_element(const Matrix<float>& distances, const std::vector<int>& labels,
                              const std::vector<std::string>& class_names, double highest);

/// The colour scale of distances_element, from 0 to `highest`.
std::string scale_element(double highest, const std::string& label);

}  // namespace krica
