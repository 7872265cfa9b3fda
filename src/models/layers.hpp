// SPDX-License-Identifier: BSD-3-Clause
//
// d-ksvd and lc-ksvd on images have two layers: the pooled features of another method, and a
// dictionary on their principal components. Options with `features` set describe both:
// `components`, `iterations`, `nonzeros` and `dictionary` the dictionary, everything else the
// features.
#pragma once

#include "krica/models/options.hpp"

namespace krica {

bool is_layered(const PipelineOptions& settled);

/// The options of the features by themselves; the same options if there is only one layer.
PipelineOptions layer_of(const PipelineOptions& settled);

/// The options of both, with what learning the features determined.
PipelineOptions with_layer(const PipelineOptions& settled, const PipelineOptions& layer);

}  // namespace krica
