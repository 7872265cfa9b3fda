// SPDX-License-Identifier: BSD-3-Clause
//
// Tensors of an archive that must be finite: throws DataError naming the one with NaN or Inf.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/error.hpp"

namespace krica {

template <class Scalar>
void check_finite(const Scalar* values, Index count, const std::string& name) {
  const Scalar* odd =
      std::find_if(values, values + count, [](Scalar value) { return !std::isfinite(value); });
  if (odd == values + count) return;
  throw DataError(
      fmt::format("[archive] tensor '{}' holds {} at position {}", name, *odd, odd - values));
}

template <class Scalar>
Matrix<Scalar> finite_matrix(const Archive& archive, const std::string& name) {
  Matrix<Scalar> matrix = archive.matrix<Scalar>(name);
  check_finite(matrix.data(), matrix.size(), name);
  return matrix;
}

template <class Scalar>
std::vector<Scalar> finite_vector(const Archive& archive, const std::string& name) {
  std::vector<Scalar> values = archive.vector<Scalar>(name);
  check_finite(values.data(), static_cast<Index>(values.size()), name);
  return values;
}

}  // namespace krica
