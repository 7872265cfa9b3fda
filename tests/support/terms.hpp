// SPDX-License-Identifier: BSD-3-Clause
//
// The variants of the class-aware term and of H that the tests go through, with their names.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "krica/objectives/terms.hpp"
#include "krica/runtime/context.hpp"

namespace krica::support {

enum class ClassTerm { kNone, kSum, kSelect, kDrica };
inline constexpr std::array kAllClassTerms = {ClassTerm::kNone, ClassTerm::kSum, ClassTerm::kSelect,
                                              ClassTerm::kDrica};
inline constexpr std::array kActiveClassTerms = {ClassTerm::kSum, ClassTerm::kSelect,
                                                 ClassTerm::kDrica};

inline Discrimination discrimination_of(ClassTerm term, double weight = 0.3) {
  Discrimination options;
  options.weight = term == ClassTerm::kNone ? 0 : weight;
  if (term == ClassTerm::kSelect) options.reading = DiscriminationReading::kSelect;
  options.homogeneous = term != ClassTerm::kDrica;
  return options;
}

inline std::string test_name(ClassTerm term) {
  return std::array{"NoClasses", "Sum", "Select", "Drica"}[static_cast<std::size_t>(term)];
}

inline constexpr std::array kAllGroupings = {AtomGrouping::kNone, AtomGrouping::kTopographic,
                                             AtomGrouping::kGroups, AtomGrouping::kCustom};

/// K×K weights in [0, 1), about half of them 0, not symmetric.
inline std::vector<double> random_weights(Index K) {
  Random random(1, "tests.pooling");
  std::vector<double> weights;
  for (Index e = 0; e < K * K; ++e) {
    const double draw = 2 * random.uniform() - 1;
    weights.push_back(draw > 0 ? draw : 0);
  }
  return weights;
}

/// Groups are of three atoms: K a multiple of 3.
inline AtomGroups groups_of(AtomGrouping kind, Index K) {
  switch (kind) {
    case AtomGrouping::kTopographic:
      return AtomGroups::topographic();
    case AtomGrouping::kGroups:
      return AtomGroups::of_size(3);
    case AtomGrouping::kCustom:
      return AtomGroups::custom(random_weights(K));
    case AtomGrouping::kNone:
      break;
  }
  return AtomGroups::none();
}

inline std::string test_name(AtomGrouping kind) {
  return std::array{"NoPooling", "Topographic", "Groups", "Custom"}[static_cast<std::size_t>(kind)];
}

}  // namespace krica::support
