// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "solvers/sparse_codes.hpp"

namespace krica {

/// A sample that uses an atom, and the atom's place in its code.
struct AtomUser {
  std::int32_t sample;
  std::int32_t slot;
};

/// The samples that use each of K atoms, in their order.
class AtomUsers {
 public:
  explicit AtomUsers(Index K) : first_(static_cast<std::size_t>(K) + 1, 0) {}

  [[nodiscard]] std::span<const AtomUser> of(Index u) const {
    const auto begin = first_[static_cast<std::size_t>(u)];
    const auto end = first_[static_cast<std::size_t>(u) + 1];
    return {users_.data() + begin, static_cast<std::size_t>(end - begin)};
  }
  /// Over all atoms.
  [[nodiscard]] Index total() const { return std::ssize(users_); }

  template <class Scalar>
  void list(const SparseCodes<Scalar>& codes) {
    std::fill(first_.begin(), first_.end(), 0);
    for (Index i = 0; i < codes.samples(); ++i) {
      for (const std::int32_t u : codes.atoms(i)) ++first_[static_cast<std::size_t>(u) + 1];
    }
    for (std::size_t u = 1; u < first_.size(); ++u) first_[u] += first_[u - 1];
    users_.resize(static_cast<std::size_t>(first_.back()));
    std::vector<Index> next(first_.begin(), first_.end() - 1);
    for (Index i = 0; i < codes.samples(); ++i) {
      std::int32_t slot = 0;
      for (const std::int32_t u : codes.atoms(i)) {
        users_[static_cast<std::size_t>(next[static_cast<std::size_t>(u)]++)] = {
            static_cast<std::int32_t>(i), slot++};
      }
    }
  }

 private:
  std::vector<AtomUser> users_;  // atom by atom
  std::vector<Index> first_;     // of every atom, and the end
};

}  // namespace krica
