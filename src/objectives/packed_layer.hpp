// SPDX-License-Identifier: BSD-3-Clause
//
// One sigmoid layer packed into one matrix for the solvers: (K+1) × (n+1) or, with a separate
// decoder, (K+1) × (2n+1).
//   row u < K:  [ w_u (n) | b_u | v_u (n, untied only) ]       weights, bias, decoder
//   row K:      [ c (n)   | 0   | 0 ]                          bias of the visible side
#pragma once

#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

template <class Scalar>
struct PackedLayer {
  ConstMatrixView<Scalar> weights;  // K×n
  ConstMatrixView<Scalar> decoder;  // K×n; the weights themselves if tied
  std::vector<Scalar> bias;         // K
  const Scalar* visible_bias;       // n

  PackedLayer(ConstMatrixView<Scalar> packed, Index n)
      : weights(packed.data(), packed.rows() - 1, n, packed.outerStride()),
        decoder(packed.data() + (packed.cols() > n + 1 ? n + 1 : 0), packed.rows() - 1, n,
                packed.outerStride()),
        visible_bias(packed.data() + (packed.rows() - 1) * packed.outerStride()) {
    for (Index u = 0; u + 1 < packed.rows(); ++u) bias.push_back(packed(u, n));
  }
};

/// Packs atoms K×n with a bias for each; the decoder starts as a copy of the atoms.
template <class Scalar>
Matrix<Scalar> packed_layer(ConstMatrixView<Scalar> atoms, Scalar bias, bool untied) {
  const Index K = atoms.rows();
  const Index n = atoms.cols();
  Matrix<Scalar> packed(K + 1, untied ? 2 * n + 1 : n + 1);
  for (Index u = 0; u < K; ++u) {
    for (Index j = 0; j < n; ++j) {
      packed(u, j) = atoms(u, j);
      if (untied) packed(u, n + 1 + j) = atoms(u, j);
    }
    packed(u, n) = bias;
  }
  return packed;
}

}  // namespace krica
