// SPDX-License-Identifier: BSD-3-Clause
//
// TwinParts: what the twins of basis_twin.hpp share: atoms, blocks of codes, and the sums over the
// blocks.
#pragma once

#include "device/basis_twin.hpp"
#include "device/blas.hpp"
#include "device/terms_on_device.cuh"
#include "device/tiles.cuh"

namespace krica::device {

struct TwinParts {
  TwinParts(const TwinSamples& given, const TwinOptions& options, TwinMemory more);

  /// Takes the atoms (K × n, on the host or the device), when the samples have been chosen.
  void start(const float* atoms);
  /// c ← op(a) op(b) + beta c.
  void product(Products products, ProductSize size, Op left, ConstDeviceMatrix a, Op right,
               ConstDeviceMatrix b, DeviceMatrix c, float beta = 0);
  /// S ← X Wᵀ; zeros behind the K-th column.
  void codes(const SampleBlock& block);
  /// D ← D + Mᵀ X, or Mᵀ X for the first block.
  void add_sums(const SampleBlock& block, bool first);
  /// Where kTileBlocks parts of the block's value belong.
  double* values_of(std::int64_t first);
  /// The sum of the values of all chosen blocks and of `more` groups of kTileBlocks behind them.
  double sum_of_values(int more = 0);
  /// gradient ← factor (D_n w - D), or factor · D for dot products; curvature ← factor D_n.
  void finish(bool distance, float factor, float* gradient, float* curvature);

  int K;
  int stride;  ///< K filled up
  Products products;
  DeviceSamples samples;
  TermsOnDevice terms;
  DeviceArray<float> given_atoms;  ///< K × n
  DeviceArray<float> W;            ///< stride × width, zeros behind the values
  DeviceArray<float> norms_w;
  DeviceArray<float> S;       ///< codes of a block
  DeviceArray<float> Mt;      ///< (∂f/∂products)ᵀ of a block: K × block_rows
  DeviceArray<float> Xt;      ///< a block's samples: width × block_rows
  DeviceArray<float> D;       ///< K × width
  DeviceArray<float> result;  ///< gradient and curvature
  DeviceArray<double> values;
};

/// Mt ← term.add(i, u, ...)ᵀ unless null; values[block] ← the block's part of the sum of what it
/// adds to `value`.
template <class Term>
static __global__ void __launch_bounds__(kTileThreads)
    terms_kernel(const Term term, float* Mt, int t_stride, int rows, int K, double* values) {
  __shared__ float tile[kTile][kTile + 1];
  double value = 0;
  for_tiles(rows, K, [&](int row0, int column0) {
    float part = 0;
    transposed_tile(
        tile, row0, rows, column0, K, Mt, t_stride, [&](int i, int u) { return term.load(i, u); },
        [&](int i, int u, auto loaded) { return term.add(i, u, loaded, part); });
    value += static_cast<double>(part);
  });
  value = block_sum(value);
  if (threadIdx.x == 0) values[blockIdx.x] = value;
}

/// Calls term_of(terms) with the block's terms, which gives the kernel's Term.
template <class TermOf>
void add_terms(TwinParts& parts, const SampleBlock& block, std::int64_t first, bool with_gradient,
               TermOf term_of) {
  const CodeTerms terms = parts.terms.of(parts.S.data(), block);
  const auto launch = [&](const auto& term) {
    terms_kernel<<<kTileBlocks, kTileThreads>>>(term, with_gradient ? parts.Mt.data() : nullptr,
                                                parts.samples.block_rows(), block.rows, parts.K,
                                                parts.values_of(first));
  };
  if (terms.are_plain())
    launch(term_of(PlainTerms{terms.stride, terms.weight, terms.epsilon}));
  else
    launch(term_of(terms));
}

}  // namespace krica::device
