// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// The codes of many samples: of each at most `capacity` atoms, with their values.
template <class Scalar>
class SparseCodes {
 public:
  SparseCodes(Index samples, Index capacity)
      : capacity_(capacity),
        counts_(static_cast<std::size_t>(samples), 0),
        atoms_(static_cast<std::size_t>(samples * capacity), 0),
        values_(static_cast<std::size_t>(samples * capacity), Scalar(0)) {}

  [[nodiscard]] Index samples() const { return std::ssize(counts_); }
  [[nodiscard]] Index capacity() const { return capacity_; }
  [[nodiscard]] Index count(Index i) const { return counts_[static_cast<std::size_t>(i)]; }

  [[nodiscard]] std::span<const std::int32_t> atoms(Index i) const {
    return {atoms_.data() + i * capacity_, static_cast<std::size_t>(count(i))};
  }
  [[nodiscard]] std::span<const Scalar> values(Index i) const {
    return {values_.data() + i * capacity_, static_cast<std::size_t>(count(i))};
  }
  [[nodiscard]] std::span<Scalar> values(Index i) {
    return {values_.data() + i * capacity_, static_cast<std::size_t>(count(i))};
  }

  /// Room for a code of `capacity` atoms; set_count() says how many were written.
  [[nodiscard]] std::int32_t* atoms_to_set(Index i) { return atoms_.data() + i * capacity_; }
  [[nodiscard]] Scalar* values_to_set(Index i) { return values_.data() + i * capacity_; }
  void set_count(Index i, Index count) {
    counts_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(count);
  }

 private:
  Index capacity_;
  std::vector<std::int32_t> counts_;
  std::vector<std::int32_t> atoms_;
  std::vector<Scalar> values_;
};

}  // namespace krica
