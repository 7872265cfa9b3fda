// SPDX-License-Identifier: BSD-3-Clause
//
// What is chosen where the user leaves it open: the method, its number of atoms, the patches and
// how long to train, by rules that were measured (docs/methods.md). An option that is given is
// kept.
#pragma once

#include <string>
#include <vector>

#include "krica/models/options.hpp"
#include "models/data_facts.hpp"

namespace krica {

/// One choice, in words for the user: "method omp-1: ...".
struct Choice {
  std::string option;
  std::string value;
  std::string reason;
};

struct Recommendation {
  PipelineOptions options;  ///< method, components, receptive_field, epochs, refit, flips are set
  std::vector<Choice> choices;  ///< what was left open and is worth telling
};

Recommendation recommended(const PipelineOptions& options, const DataFacts& facts);

}  // namespace krica
