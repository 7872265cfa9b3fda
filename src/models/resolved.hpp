// SPDX-License-Identifier: BSD-3-Clause
//
// Options with everything settled that the method or the data decide.
#pragma once

#include <string_view>

#include "krica/models/options.hpp"
#include "krica/runtime/library.hpp"
#include "models/data_facts.hpp"

namespace krica {

/// What is left to the data (recommendation.hpp) or to the method, settled: a copy without unset
/// values except gamma, C, batch, held_out and refit, which training settles, and those without
/// effect. Samples are their own patches: for them receptive_field and stride are 1, pool is 1x1
/// whatever was given. Without a classifier (no classes), the codes themselves are the result:
/// those of linear methods keep their sign then.
KRICA_EXPORT PipelineOptions resolved(const PipelineOptions& options, const DataFacts& facts);

/// Whether the kernel shapes the model: its codes, or how its basis is learned. For options that
/// resolved() gave.
bool uses_kernel(const PipelineOptions& settled);
/// False where the option's value would change nothing beside the others, as the width of the
/// Gaussian with another kernel. Knows what the methods' grids search; true for all else.
bool has_effect(const PipelineOptions& settled, std::string_view option);

}  // namespace krica
