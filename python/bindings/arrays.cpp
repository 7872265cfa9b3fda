// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "krica/runtime/error.hpp"

namespace krica::python {
namespace {

std::string shape_text(const py::array& array) {
  const std::vector<py::ssize_t> shape(array.shape(), array.shape() + array.ndim());
  return fmt::format("({})", fmt::join(shape, ", "));
}

bool is_c_contiguous(const py::array& array) {
  return (array.flags() & py::array::c_style) == py::array::c_style;
}

/// Images in the caller's memory, channels last; read as planes.
template <class Pixel>
class ArrayImages final : public ImageSet {
 public:
  ArrayImages(ImageSetInfo info, const Pixel* pixels)
      : ImageSet(std::move(info)), pixels_(pixels) {}

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    load(first, count, out);
  }
  void load_floats(Index first, Index count, float* out) const override { load(first, count, out); }
  void load_doubles(Index first, Index count, double* out) const override {
    load(first, count, out);
  }

  template <class Out>
  void load(Index first, Index count, Out* out) const {
    const ImageShape shape = this->shape();
    const Pixel* from = pixels_ + first * shape.values();
    if (shape.channels == 1 || shape.is_sample()) {
      std::transform(from, from + count * shape.values(), out,
                     [](Pixel pixel) { return static_cast<Out>(pixel); });
      return;
    }
    for (Index i = 0; i < count; ++i) {
      for (Index channel = 0; channel < shape.channels; ++channel) {
        for (Index p = 0; p < shape.pixels(); ++p)
          *out++ = static_cast<Out>(from[p * shape.channels + channel]);
      }
      from += shape.values();
    }
  }

  const Pixel* pixels_;
};

ImageShape shape_of(const py::array& array) {
  const Index dimensions = array.ndim();
  if (dimensions == 2) return {1, 1, array.shape(1)};
  if (dimensions == 3) return {array.shape(1), array.shape(2), 1};
  if (dimensions == 4) return {array.shape(1), array.shape(2), array.shape(3)};
  throw InvalidArgument(
      fmt::format("[array] shape {}; (m, n) for samples, (N, H, W) or (N, H, W, C) for images",
                  shape_text(array)));
}

template <class Number>
void require_finite(const Number* numbers, Index count) {
  Index bad = 0;
  Index first = -1;
  for (Index i = 0; i < count; ++i) {
    if (std::abs(numbers[i]) <= std::numeric_limits<float>::max()) continue;
    if (bad++ == 0) first = i;
  }
  if (bad > 0) {
    throw InvalidArgument(
        fmt::format("[array] {} numbers are NaN, infinite or beyond float32, the first at place {}",
                    bad, first));
  }
}

template <class Number>
ImageSetPtr number_set(ImageSetInfo info, const py::array& array) {
  const auto* numbers = static_cast<const Number*>(array.data());
  require_finite(numbers, info.size * info.shape.values());
  return std::make_shared<ArrayImages<Number>>(std::move(info), numbers);
}

}  // namespace

ImageSetPtr image_set(const py::array& array, Labels labels) {
  ImageSetInfo info;
  info.shape = shape_of(array);
  info.size = array.shape(0);
  info.labels = std::move(labels.values);
  info.class_names = std::move(labels.class_names);
  info.label_type = labels.type;
  info.description = "array";
  if (info.size == 0 || info.shape.values() == 0)
    throw InvalidArgument(fmt::format("[array] shape {}: there is no data", shape_text(array)));
  if (!is_c_contiguous(array)) throw InvalidArgument("[array] the array must be C-contiguous");
  if (py::isinstance<py::array_t<std::uint8_t>>(array)) {
    info.pixel_type = PixelType::kUint8;
    return std::make_shared<ArrayImages<std::uint8_t>>(
        std::move(info), static_cast<const std::uint8_t*>(array.data()));
  }
  info.pixel_type = PixelType::kFloat32;
  if (py::isinstance<py::array_t<float>>(array)) return number_set<float>(std::move(info), array);
  if (py::isinstance<py::array_t<double>>(array)) return number_set<double>(std::move(info), array);
  throw InvalidArgument("[array] the numbers must be uint8, float32 or float64");
}

template <class Scalar>
ConstMatrixView<Scalar> view_of(const py::array& array, const char* name) {
  if (array.ndim() != 2) {
    throw InvalidArgument(fmt::format("[array] {} has the shape {}; 2 dimensions are needed", name,
                                      shape_text(array)));
  }
  if (!py::isinstance<py::array_t<Scalar>>(array) || !is_c_contiguous(array))
    throw InvalidArgument(fmt::format("[array] {} must be C-contiguous and of one type", name));
  return {static_cast<const Scalar*>(array.data()), array.shape(0), array.shape(1)};
}

template <class Scalar>
py::array_t<Scalar> to_array(Matrix<Scalar> matrix) {
  auto* owner = new Matrix<Scalar>(std::move(matrix));
  const py::capsule base(owner, [](void* p) { delete static_cast<Matrix<Scalar>*>(p); });
  return py::array_t<Scalar>({owner->rows(), owner->cols()}, owner->data(), base);
}

py::array_t<float> to_array(FeatureMatrix matrix) {
  auto* owner = new FeatureMatrix(std::move(matrix));
  const py::capsule base(owner, [](void* p) { delete static_cast<FeatureMatrix*>(p); });
  return py::array_t<float>({owner->rows(), owner->cols()}, owner->row(0), base);
}

template ConstMatrixView<float> view_of(const py::array&, const char*);
template ConstMatrixView<double> view_of(const py::array&, const char*);
template py::array_t<float> to_array(Matrix<float>);
template py::array_t<double> to_array(Matrix<double>);

}  // namespace krica::python
