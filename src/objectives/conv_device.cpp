// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/conv_device.hpp"

#include <algorithm>
#include <limits>

namespace krica {

std::optional<device::ConvSpec> device_shape(const ConvShape& shape) {
  constexpr Index kMost = std::numeric_limits<int>::max() / 16;
  const Index filled = shape.window() * shape.groups;  // bounds the parameters, and both factors
  if (std::max({shape.input.values(), shape.pooled().values(), shape.units(), filled}) > kMost)
    return std::nullopt;
  return device::ConvSpec{static_cast<int>(shape.input.channels),
                          static_cast<int>(shape.input.height), static_cast<int>(shape.input.width),
                          static_cast<int>(shape.field), static_cast<int>(shape.groups)};
}

std::optional<device::ConvLayerSpec> device_layer(const ConvLayer<float>& layer) {
  const auto shape = device_shape(layer.shape());
  if (!shape) return std::nullopt;
  return device::ConvLayerSpec{*shape, layer.weights().data(), layer.bias().data()};
}

std::optional<device::ConvMachineSpec> device_machine(const ConvShape& shape, VisibleUnits visible,
                                                      const MapMoments& moments,
                                                      std::span<const ConvLayer<float>> below) {
  const auto top = device_shape(shape);
  if (!top) return std::nullopt;
  device::ConvMachineSpec machine = {.shape = *top,
                                     .binary = visible == VisibleUnits::kBinary,
                                     .mean = {moments.mean.begin(), moments.mean.end()},
                                     .variance = static_cast<float>(moments.variance)};
  for (const ConvLayer<float>& layer : below) {
    const auto spec = device_layer(layer);
    if (!spec) return std::nullopt;
    machine.below.push_back(*spec);
  }
  return machine;
}

ConvRbmSums<float> machine_sums(const ConvShape& shape, const device::ConvPhaseSums& sums) {
  ConvRbmSums<float> result(shape);
  result.activity = sums.activity;
  result.visible = sums.visible;
  const auto stride = static_cast<Index>(sums.products.size()) / shape.groups;
  for (Index k = 0; stride > 0 && k < shape.groups; ++k)
    std::copy_n(sums.products.begin() + k * stride, shape.window(), result.products.row(k));
  return result;
}

}  // namespace krica
