// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "krica/bases/basis.hpp"
#include "krica/models/training.hpp"

namespace krica::support {

/// A job that takes a moment on gratings of 12×12 pixels.
inline PipelineOptions small_options(const std::string& method = "krica") {
  PipelineOptions options;
  options.method = method;
  options.basis.components = 16;
  if (basis_method(method).needs_labels) options.basis.components = 15;  // three classes
  if (method == "ica" || method == "kica") options.basis.components = 12;
  if (method == "kica" || method == "kpca-rica") options.whitening.landmarks = 60;
  options.descriptor.receptive_field = 4;
  options.descriptor.patches = 600;
  options.basis.iterations = 8;
  options.seed = 3;
  return options;
}

inline std::filesystem::path scratch_file(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / ("krica-" + name);
}

}  // namespace krica::support
