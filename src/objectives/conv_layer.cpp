// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/conv_layer.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/vector_math.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "conv_layer";

/// Calls visit(row of windows, first value of the window in the map) for all units of the blocks.
template <class Visit>
void for_windows(const ConvShape& shape, Range blocks, Visit visit) {
  const Index across = shape.pooled().width;
  Index row = 0;
  for (Index block = blocks.begin; block < blocks.end; ++block) {
    const Index top = block / across * kPoolSide;
    const Index left = block % across * kPoolSide;
    for (Index unit = 0; unit < kBlockUnits; ++unit, ++row)
      visit(row, (top + unit / kPoolSide) * shape.input.width + left + unit % kPoolSide);
  }
}

/// block_probabilities() of one block. scratch: 2 K.
template <class Scalar>
void block_softmax(std::span<const Scalar> bias, Scalar* rows, Index stride, Scalar* off,
                   double* log_sums, Scalar* scratch) {
  const auto K = static_cast<Index>(bias.size());
  Scalar* const highest = scratch;
  Scalar* const none = scratch + K;  // exp of the off state's 0
  std::fill(highest, highest + K, Scalar(0));
  for (Index unit = 0; unit < kBlockUnits; ++unit) {
    for (Index k = 0; k < K; ++k) {
      rows[unit * stride + k] += bias[static_cast<std::size_t>(k)];
      highest[k] = std::max(highest[k], rows[unit * stride + k]);
    }
  }
  for (Index k = 0; k < K; ++k) none[k] = -highest[k];
  exp_in_place(none, K);
  for (Index unit = 0; unit < kBlockUnits; ++unit) {
    for (Index k = 0; k < K; ++k) rows[unit * stride + k] -= highest[k];
    exp_in_place(rows + unit * stride, K);
  }
  for (Index k = 0; k < K; ++k) {
    Scalar sum = none[k];
    for (Index unit = 0; unit < kBlockUnits; ++unit) sum += rows[unit * stride + k];
    if (log_sums != nullptr)
      *log_sums += static_cast<double>(highest[k]) + std::log(static_cast<double>(sum));
    for (Index unit = 0; unit < kBlockUnits; ++unit) rows[unit * stride + k] /= sum;
    if (off != nullptr) off[k] = none[k] / sum;
  }
}

}  // namespace

void ConvShape::validate() const {
  require(groups >= 1, kName, "a layer needs at least one group, got {}", groups);
  require(field >= 1 && field < input.height && field < input.width, kName,
          "filters of {0} x {0} leave no block of {1} x {1} positions in maps of {2} x {3}; use "
          "smaller filters or larger images",
          field, kPoolSide, input.height, input.width);
}

template <class Scalar>
void read_windows(const ConvShape& shape, const Scalar* map, Range blocks,
                  MatrixView<Scalar> windows) {
  const Index f = shape.field;
  for_windows(shape, blocks, [&](Index row, Index first) {
    Scalar* to = windows.data() + row * windows.outerStride();
    for (Index c = 0; c < shape.input.channels; ++c) {
      const Scalar* from = map + c * shape.input.pixels() + first;
      for (Index y = 0; y < f; ++y, from += shape.input.width) to = std::copy(from, from + f, to);
    }
  });
}

template <class Scalar>
void add_windows(const ConvShape& shape, ConstMatrixView<Scalar> windows, Range blocks,
                 Scalar* map) {
  const Index f = shape.field;
  for_windows(shape, blocks, [&](Index row, Index first) {
    const Scalar* from = windows.data() + row * windows.outerStride();
    for (Index c = 0; c < shape.input.channels; ++c) {
      Scalar* to = map + c * shape.input.pixels() + first;
      for (Index y = 0; y < f; ++y, to += shape.input.width) {
        for (Index x = 0; x < f; ++x) to[x] += *from++;
      }
    }
  });
}

template <class Scalar>
void block_probabilities(std::span<const Scalar> bias, MatrixView<Scalar> units,
                         MatrixView<Scalar>* off, double* log_sums) {
  std::vector<Scalar> scratch(2 * bias.size());
  for (Index block = 0; block * kBlockUnits < units.rows(); ++block) {
    Scalar* rows = units.data() + block * kBlockUnits * units.outerStride();
    Scalar* off_row = off == nullptr ? nullptr : off->data() + block * off->outerStride();
    block_softmax<Scalar>(bias, rows, units.outerStride(), off_row, log_sums, scratch.data());
  }
}

template <class Scalar>
ConvLayer<Scalar>::ConvLayer(const ConvShape& shape, Matrix<Scalar> weights,
                             std::vector<Scalar> bias)
    : shape_(shape), weights_(std::move(weights)), bias_(std::move(bias)) {
  shape_.validate();
  require(weights_.rows() == shape_.groups && weights_.cols() == shape_.window() &&
              std::ssize(bias_) == shape_.groups,
          kName, "weights of {} x {} and {} biases do not fit {} groups with windows of {} values",
          weights_.rows(), weights_.cols(), bias_.size(), shape_.groups, shape_.window());
  require_finite<Scalar>(weights_, kName, "weights");
  require_finite(ConstMatrixView<Scalar>(bias_.data(), 1, std::ssize(bias_)), kName, "bias");
}

template <class Scalar>
void ConvLayer<Scalar>::apply(const Scalar* map, Scalar* pooled) const {
  const Partition tiles(shape_.blocks(), kBlocksAtATime);
  const Index K = shape_.groups;
  Matrix<Scalar> windows(tiles.largest() * kBlockUnits, shape_.window());
  Matrix<Scalar> units(tiles.largest() * kBlockUnits, K);
  Matrix<Scalar> off(tiles.largest(), K);
  for (Index t = 0; t < tiles.count(); ++t) {
    const Range blocks = tiles[t];
    const Index rows = blocks.size() * kBlockUnits;
    const auto windows_t = MatrixView<Scalar>(windows).rows_between(0, rows);
    const auto units_t = MatrixView<Scalar>(units).rows_between(0, rows);
    MatrixView<Scalar> off_t = MatrixView<Scalar>(off).rows_between(0, blocks.size());
    read_windows<Scalar>(shape_, map, blocks, windows_t);
    blas::gemm<Scalar>(blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), windows_t, weights_,
                       Scalar(0), units_t);
    block_probabilities<Scalar>(bias_, units_t, &off_t);
    for (Index k = 0; k < K; ++k) {
      Scalar* channel = pooled + k * shape_.blocks() + blocks.begin;
      for (Index i = 0; i < blocks.size(); ++i) channel[i] = Scalar(1) - off(i, k);
    }
  }
}

template <class Scalar>
std::vector<Scalar> map_above(std::span<const ConvLayer<Scalar>> layers, const Scalar* image) {
  std::vector<Scalar> below;
  std::vector<Scalar> above;
  const Scalar* from = image;
  for (const ConvLayer<Scalar>& layer : layers) {
    above.resize(static_cast<std::size_t>(layer.shape().pooled().values()));
    layer.apply(from, above.data());
    std::swap(above, below);
    from = below.data();
  }
  return below;
}

#define KRICA_INSTANTIATE(Scalar)                                                         \
  template void read_windows(const ConvShape&, const Scalar*, Range, MatrixView<Scalar>); \
  template void add_windows(const ConvShape&, ConstMatrixView<Scalar>, Range, Scalar*);   \
  template void block_probabilities(std::span<const Scalar>, MatrixView<Scalar>,          \
                                    MatrixView<Scalar>*, double*);                        \
  template class ConvLayer<Scalar>;                                                       \
  template std::vector<Scalar> map_above(std::span<const ConvLayer<Scalar>>, const Scalar*)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
