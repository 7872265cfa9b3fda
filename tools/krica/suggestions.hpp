// SPDX-License-Identifier: BSD-3-Clause
//
// What krica train says after a test: what might do better.
#pragma once

#include <string>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/models/options.hpp"

namespace krica::cli {

/// `given`: the options as the user gave them, with the rest open; `settled`: as the model has
/// them. None if the test accuracy leaves no room for improvement.
std::vector<std::string> suggestions(const PipelineOptions& given, const PipelineOptions& settled,
                                     const ImageSet& images, double test_accuracy);

}  // namespace krica::cli
