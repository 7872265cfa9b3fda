// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "krica/bases/basis.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr NameTable<SolverKind, 3> kSolvers = {{{SolverKind::kLbfgs, "lbfgs"},
                                                {SolverKind::kAdam, "adam"},
                                                {SolverKind::kFixedPoint, "fixed-point"}}};

}  // namespace

std::string_view name_of(SolverKind kind) { return find_name(kSolvers, kind); }

std::string SourceSigns::text() const { return fmt::format("{}", fmt::join(values, ",")); }

SourceSigns SourceSigns::from_text(std::string_view text) {
  SourceSigns signs{{}};
  std::istringstream words{std::string(text)};
  for (std::string word; std::getline(words, word, ',');) {
    require(word == "1" || word == "+1" || word == "-1", "options",
            "non-gaussianity must be 1 or -1, or one such value per atom separated by commas, got "
            "'{}'",
            text);
    signs.values.push_back(word == "-1" ? -1 : 1);
  }
  return signs;
}

std::vector<int> SourceSigns::of(Index components) const {
  if (values.size() != 1) {
    require(components == 0 || static_cast<Index>(values.size()) == components, "options",
            "non-gaussianity has {} values for {} components", values.size(), components);
    return values;
  }
  if (values.front() == 1) return {};
  std::vector<int> signs(static_cast<std::size_t>(components), values.front());
  return signs;
}

}  // namespace krica
