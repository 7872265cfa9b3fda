// SPDX-License-Identifier: BSD-3-Clause
//
// What a training must hold in memory whatever the budget: Gram matrices, the codes of a batch,
// sums of threads. Patches and features are not part of it; they can lie in files
// (runtime/large_matrix.hpp). No plan affects a result.
#pragma once

#include <string>

#include "krica/models/options.hpp"
#include "models/data_facts.hpp"

namespace krica {

struct WorkingMemory {
  double bytes = 0;
  std::string needed_for;  ///< "a kernel PCA with 1000 landmarks"
};

/// The most that any stage of a training needs on one of its ranks; `settled` are options from
/// resolved().
WorkingMemory working_memory(int threads, const DataFacts& facts, const PipelineOptions& settled,
                             int ranks = 1);

/// The context for the training: its budget less the working memory. Throws InvalidArgument, with
/// the least budget that suffices, if that would leave less than half.
Context planned(const Context& context, const DataFacts& facts, const PipelineOptions& settled);

/// What a model needs for the images that it is used on: a few, as numbers, and their copies.
/// Throws InvalidArgument, with the least budget that suffices, if they would take more than the
/// budget.
void require_room_for_images(const Context& context, const ImageSet& images);

}  // namespace krica
