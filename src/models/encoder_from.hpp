// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krica/models/options.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

/// The encoder of a model's or a checkpoint's atoms, with their widths where they have any.
inline Encoder encoder_from(const Archive& archive, const PipelineOptions& options) {
  std::vector<float> gammas;
  if (archive.has("atom_gammas")) gammas = archive.vector<float>("atom_gammas");
  return {encoder_of(options), archive.matrix<float>("atoms"), gammas};
}

}  // namespace krica
