// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/runtime/matrix.hpp"
#include "runtime/parallel.hpp"

namespace krica {

/// Some columns of a row-major view.
template <class Scalar>
ConstMatrixView<Scalar> columns_of(const ConstMatrixView<Scalar>& view, Range range) {
  return {view.data() + range.begin, view.rows(), range.size(), view.outerStride()};
}

template <class Scalar>
MatrixView<Scalar> columns_of(MatrixView<Scalar> view, Range range) {
  return {view.data() + range.begin, view.rows(), range.size(), view.outerStride()};
}

}  // namespace krica
