// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of an experiment, one after another, or farmed out to the ranks (runtime/farm.hpp): a
// rank computes a row, or all rows of splits that share a basis.
#pragma once

#include "experiments/runner.hpp"

namespace krica {

/// As run_experiment(), in directories that exist. Removes the checkpoints of rows that it finds or
/// computes.
void compute_rows(const Context& context, const PlannedExperiment& planned,
                  const std::filesystem::path& directory, ResultsFile& results,
                  const RowHook& computed);

}  // namespace krica
