// SPDX-License-Identifier: BSD-3-Clause
//
// Convolutional deep belief network: convolutional Boltzmann machines (objectives/conv_rbm.hpp)
// learned one after the other, from whole images instead of patches. The first reads the whitened
// images, with Gaussian units; the next reads the pooled probabilities of the one below, with
// binary units. H. Lee, R. Grosse, R. Ranganath, A. Ng, ICML 2009.
#pragma once

#include <span>

#include "krica/bases/basis.hpp"
#include "objectives/conv_layer.hpp"

namespace krica {

/// Learns the next layer. request.patches: the whitened images, one planar image per row;
/// request.options: sparsity, sparsity_target, epochs, batch and rate; the number of groups is
/// shape's. Returns the filters as atoms, K × C f², with their bias. When cancelled, as LearnBasis.
Basis learn_conv_layer(const Context& context, const BasisRequest& request,
                       std::span<const ConvLayer<float>> below, const ConvShape& shape);

}  // namespace krica
