// SPDX-License-Identifier: BSD-3-Clause
//
// krica._datasets: apart from krica._core, because the readers bring image codecs and a network
// library with them.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "krica/data/dataset.hpp"

namespace {

namespace py = pybind11;

/// (N, H, W) bytes and their labels.
py::tuple arrays_of(const krica::ImageSet& images) {
  const krica::ImageShape shape = images.shape();
  py::array_t<std::uint8_t> pixels({images.size(), shape.height, shape.width});
  images.read(0, images.size(), pixels.mutable_data());
  const std::vector<int>& labels = images.labels();
  return py::make_tuple(pixels, py::array_t<std::int64_t>(py::cast(labels)));
}

py::tuple load_embedded() {
  const krica::DataSet data = krica::embedded_dataset();
  return py::make_tuple(arrays_of(*data.train), arrays_of(*data.test), data.train->class_names(),
                        data.train->description());
}

}  // namespace

PYBIND11_MODULE(_datasets, module) {
  module.doc() = "The readers of the C++ library krica.";
  module.def("load_embedded", &load_embedded,
             "((images, labels) to learn from, the same to test on, class names, description)");
}
