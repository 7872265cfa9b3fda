// SPDX-License-Identifier: BSD-3-Clause
//
// Options with everything set that depends on the method or the data.
#pragma once

#include <string_view>

#include "krica/models/options.hpp"
#include "krica/runtime/library.hpp"
#include "models/data_facts.hpp"

namespace krica {

/// Sets what is left to the data (recommendation.hpp) or the method: returns a copy without unset
/// values, except options without effect, and gamma, C, batch, held_out and refit, which training
/// sets. Samples are their own patches: receptive_field and stride become 1 and pool 1x1, whatever
/// was given. Without a classifier (no classes) the codes themselves are the result, so those of
/// linear methods keep their sign.
KRICA_EXPORT PipelineOptions resolved(const PipelineOptions& options, const DataFacts& facts);

/// Whether the kernel affects the model: its codes, or how its basis is learned. For options from
/// resolved().
bool uses_kernel(const PipelineOptions& settled);
/// False if the option has no effect given the others, such as the Gaussian's width with another
/// kernel. Covers the options in the methods' grids; true for all others.
bool has_effect(const PipelineOptions& settled, std::string_view option);

}  // namespace krica
