// SPDX-License-Identifier: BSD-3-Clause
//
// NumPy arrays as the library's sets and matrices, and back. Memory is lent both ways, not copied.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/features/feature_matrix.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica::python {

namespace py = pybind11;

/// One label an image, 0 to classes - 1, and the classes' names; none where there are no labels.
struct Labels {
  std::vector<int> values;
  std::vector<std::string> class_names;
  LabelType type = LabelType::kText;
};

/// A C-contiguous array of uint8 or float32 as a set: (m, n) samples, (N, H, W) or (N, H, W, C)
/// images. The array must outlive the set. Throws InvalidArgument for other shapes and types, and
/// where a number is not finite.
ImageSetPtr image_set(const py::array& array, Labels labels = {});

/// A view of a C-contiguous 2-D array of Scalar. Throws InvalidArgument, naming it, for others.
template <class Scalar>
ConstMatrixView<Scalar> view_of(const py::array& array, const char* name);

/// As an array that owns what is given.
template <class Scalar>
py::array_t<Scalar> to_array(Matrix<Scalar> matrix);
py::array_t<float> to_array(FeatureMatrix matrix);

}  // namespace krica::python
