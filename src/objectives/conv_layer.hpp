// SPDX-License-Identifier: BSD-3-Clause
//
// A convolutional layer with probabilistic max pooling. A map v of C channels is read through K
// filters of C × f × f values; each group k has one hidden unit per position, and the units of a
// group are divided into blocks α of 2 × 2, of which at most one is on:
//
//   I_k(p) = b_k + w_k·v[p]                               v[p]: the f × f window at position p
//   p(h_k(p) = 1 | v) = exp I_k(p) / (1 + Σ_{q in α} exp I_k(q)),   p in α
//   p(α is on | v)    = 1 - 1 / (1 + Σ_{q in α} exp I_k(q))         the pooled map, K channels
//
// An odd last row or column of positions belongs to no block and is left out. H. Lee, R. Grosse,
// R. Ranganath, A. Ng, "Convolutional Deep Belief Networks for Scalable Unsupervised Learning of
// Hierarchical Representations", ICML 2009.
//
// Maps are planar, as images are. Windows are the rows of a matrix, 4 B × C f² for B blocks: block
// by block, so that convolutions are matrix products and the four rows of a block are neighbours.
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/runtime/matrix.hpp"
#include "runtime/parallel.hpp"

namespace krica {

inline constexpr Index kPoolSide = 2;
inline constexpr Index kBlockUnits = kPoolSide * kPoolSide;

struct ConvShape {
  ImageShape input;  ///< the map below: height, width, channels
  Index field = 0;   ///< f
  Index groups = 0;  ///< K

  [[nodiscard]] Index window() const { return field * field * input.channels; }
  /// The pooled map: blocks, and groups as channels.
  [[nodiscard]] ImageShape pooled() const {
    return {(input.height - field + 1) / kPoolSide, (input.width - field + 1) / kPoolSide, groups};
  }
  [[nodiscard]] Index blocks() const { return pooled().pixels(); }
  [[nodiscard]] Index units() const { return blocks() * kBlockUnits; }  ///< hidden, per group

  /// Throws InvalidArgument for a filter that does not fit or leaves no block.
  void validate() const;
};

/// Blocks whose windows are handled at a time.
inline constexpr Index kBlocksAtATime = 256;

/// windows: the rows of these blocks.
template <class Scalar>
void read_windows(const ConvShape& shape, const Scalar* map, Range blocks,
                  MatrixView<Scalar> windows);
/// The transpose: adds every window to the map where it was read.
template <class Scalar>
void add_windows(const ConvShape& shape, ConstMatrixView<Scalar> windows, Range blocks,
                 Scalar* map);

/// In: I - b, four rows per block; out: p(h = 1 | v). off, unless null: per block and group
/// p(α is off | v) = 1 / (1 + Σ exp I). log_sums, unless null: adds Σ log(1 + Σ exp I) over all
/// blocks and groups.
template <class Scalar>
void block_probabilities(std::span<const Scalar> bias, MatrixView<Scalar> units,
                         MatrixView<Scalar>* off, double* log_sums = nullptr);

template <class Scalar>
class ConvLayer {
 public:
  /// weights: K × C f², bias: K. Throws InvalidArgument if they do not fit or are not finite.
  ConvLayer(const ConvShape& shape, Matrix<Scalar> weights, std::vector<Scalar> bias);

  [[nodiscard]] const ConvShape& shape() const { return shape_; }
  [[nodiscard]] const Matrix<Scalar>& weights() const { return weights_; }
  [[nodiscard]] const std::vector<Scalar>& bias() const { return bias_; }

  /// The pooled map, planar. Single-threaded.
  void apply(const Scalar* map, Scalar* pooled) const;

 private:
  ConvShape shape_;
  Matrix<Scalar> weights_;
  std::vector<Scalar> bias_;
};

/// The map above all the layers. Single-threaded.
template <class Scalar>
std::vector<Scalar> map_above(std::span<const ConvLayer<Scalar>> layers, const Scalar* image);

}  // namespace krica
