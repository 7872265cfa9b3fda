// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses what the user leaves open: the method, its number of atoms, the patches and the training
// length, by rules based on measurements (docs/methods.md). Options that are given are kept.
#pragma once

#include <string>
#include <vector>

#include "krica/models/options.hpp"
#include "models/data_facts.hpp"

namespace krica {

/// One choice, explained to the user: "method omp-1: ...".
struct Choice {
  std::string option;
  std::string value;
  std::string reason;
};

struct Recommendation {
  PipelineOptions options;  ///< sets method, components, receptive_field, epochs, refit and flips
  std::vector<Choice> choices;  ///< the open options that are worth reporting
};

Recommendation recommended(const PipelineOptions& options, const DataFacts& facts);

}  // namespace krica
