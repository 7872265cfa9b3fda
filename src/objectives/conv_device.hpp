// SPDX-License-Identifier: BSD-3-Clause
//
// Convolutional layers and machines as a device wants them, and its sums as the CPU has them.
#pragma once

#include <optional>
#include <span>

#include "objectives/conv_rbm.hpp"

namespace krica {

/// None if an int cannot count its values.
std::optional<device::ConvSpec> device_shape(const ConvShape& shape);

/// Points into the layer. None as above.
std::optional<device::ConvLayerSpec> device_layer(const ConvLayer<float>& layer);

/// Points into the layers. None as above.
std::optional<device::ConvMachineSpec> device_machine(const ConvShape& shape, VisibleUnits visible,
                                                      const MapMoments& moments,
                                                      std::span<const ConvLayer<float>> below);

ConvRbmSums<float> machine_sums(const ConvShape& shape, const device::ConvPhaseSums& sums);

}  // namespace krica
