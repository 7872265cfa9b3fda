// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krica/models/training.hpp"
#include "support/images.hpp"

namespace krica::fuzz {

/// A job that takes milliseconds.
inline PipelineOptions checkpoint_options(const std::string& method) {
  PipelineOptions options;
  options.method = method;
  options.basis.components = 4;
  options.descriptor.receptive_field = method == "scspm" ? 4 : 3;  // SIFT: a multiple of 4
  options.descriptor.patches = 40;
  options.basis.iterations = 3;
  options.basis.epochs = 2;
  options.classifier.C = 1;  // no search: a run should be short
  return options;
}

inline support::MemoryImages checkpoint_images() { return support::gratings(24, 2, {6, 6, 1}); }

}  // namespace krica::fuzz
