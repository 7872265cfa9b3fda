// SPDX-License-Identifier: BSD-3-Clause
#include "krica/joint/pooled_codes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "features/fused_pooling.hpp"
#include "features/patch_tile.hpp"
#include "joint/code_layer.hpp"
#include "runtime/check.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "joint";
constexpr Index kAtomsAtATime = 64;

template <class Scalar>
void check_shapes(const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                  const CodedAtoms<Scalar>& atoms, Index rows, Index cols) {
  require(rows == patches.images() && cols == grid.cells() * atoms.channels(), kName,
          "features of {} x {} for {} images and {} cells of {} channels", rows, cols,
          patches.images(), grid.cells(), atoms.channels());
}

/// The float32 loop that holds no codes; null where there is none, and for atoms that are not
/// finite, whose codes shall come out as NaN.
template <class Scalar>
std::unique_ptr<const FusedPooling> fused_for(const CodedAtoms<Scalar>& atoms) {
  if constexpr (std::is_same_v<Scalar, float>) {
    const bool widths = atoms.encoder.kind == EncoderKind::kKernel;
    for (const float shape : atoms.shapes) {
      if (!std::isfinite(shape) || (widths && shape <= 0)) return nullptr;
    }
    if (!atoms.W.allFinite()) return nullptr;
    return FusedPooling::of(Encoder(atoms.encoder, atoms.W, atoms.shapes));
  }
  return nullptr;
}

/// The sums of one image's codes over the zones.
template <class Scalar>
class ZoneSums {
 public:
  ZoneSums(const PoolingGrid& grid, const CodedAtoms<Scalar>& atoms, const CodeLayer<Scalar>& layer,
           const FusedPooling* fused)
      : grid_(grid),
        layer_(layer),
        fused_(fused),
        tiles_(grid.positions(), fused != nullptr ? kFusedPositions : kTilePositions),
        patches_(tiles_.largest(), atoms.W.cols()),
        codes_(fused != nullptr ? 0 : tiles_.largest(), atoms.channels()),
        sums_(grid.zones(), atoms.channels()) {}

  const Matrix<Scalar>& of(const PatchTiles<Scalar>& patches, Index image) {
    sums_.set_zero();
    for (Index t = 0; t < tiles_.count(); ++t) {
      const Range tile = tiles_[t];
      const MatrixView<Scalar> X = MatrixView<Scalar>(patches_).rows_between(0, tile.size());
      patches.read(image, tile.begin, X);
      add(tile, X);
    }
    return sums_;
  }

 private:
  void add(Range tile, ConstMatrixView<Scalar> X) {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (fused_ != nullptr) return fused_->add(X, zones_of(grid_, tile), sums_.data());
    }
    layer_.encode(X, MatrixView<Scalar>(codes_).rows_between(0, tile.size()));
    for (Index i = 0; i < tile.size(); ++i) {
      const Scalar* code = codes_.row(i);
      Scalar* sum = sums_.row(grid_.place(tile.begin + i).zone);
      for (Index u = 0; u < codes_.cols(); ++u) sum[u] += code[u];
    }
  }

  const PoolingGrid& grid_;
  const CodeLayer<Scalar>& layer_;
  const FusedPooling* fused_;
  Partition tiles_;
  Matrix<Scalar> patches_;
  Matrix<Scalar> codes_;
  Matrix<Scalar> sums_;
};

/// Adds the gradient of one image after the other.
template <class Scalar>
class ImageGradients {
 public:
  ImageGradients(const PoolingGrid& grid, const CodedAtoms<Scalar>& atoms,
                 const CodeLayer<Scalar>& layer)
      : grid_(grid),
        layer_(layer),
        tiles_(grid.positions(), kTilePositions),
        patches_(tiles_.largest(), atoms.W.cols()),
        zones_(grid.zones(), atoms.channels()),
        memory_(tiles_.largest(), atoms.W.rows(), atoms.channels()) {}

  /// Q: the image's row of ∂L/∂Z.
  void add(const PatchTiles<Scalar>& patches, Index image, const Scalar* Q,
           GradientSums<Scalar>& to) {
    grid_.spread<Scalar>(Q, zones_);
    for (Index t = 0; t < tiles_.count(); ++t) {
      const Range tile = tiles_[t];
      const MatrixView<Scalar> X = MatrixView<Scalar>(patches_).rows_between(0, tile.size());
      patches.read(image, tile.begin, X);
      weights_.clear();  // all positions of a zone have the same
      for (Index i = 0; i < tile.size(); ++i)
        weights_.push_back(zones_.row(grid_.place(tile.begin + i).zone));
      layer_.add(X, weights_, memory_, to);
    }
  }

 private:
  const PoolingGrid& grid_;
  const CodeLayer<Scalar>& layer_;
  Partition tiles_;
  Matrix<Scalar> patches_;
  Matrix<Scalar> zones_;
  TileMemory<Scalar> memory_;
  std::vector<const Scalar*> weights_;
};

}  // namespace

template <class Scalar>
void pool_codes(const Context& context, const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                const CodedAtoms<Scalar>& atoms, MatrixView<Scalar> Z) {
  check_shapes(grid, patches, atoms, Z.rows(), Z.cols());
  const auto layer = CodeLayer<Scalar>::of(atoms);
  const auto fused = fused_for(atoms);
  const Partition groups = sum_parts(Z.rows(), 1);
  parallel_for(context, groups.count(), [&](Index g) {
    ZoneSums<Scalar> sums(grid, atoms, *layer, fused.get());
    for (Index image = groups[g].begin; image < groups[g].end; ++image) {
      context.check_cancelled();
      grid.pool<Scalar>(sums.of(patches, image), Z.data() + image * Z.outerStride());
    }
  });
}

template <class Scalar>
void pool_codes_backward(const Context& context, const PoolingGrid& grid,
                         const PatchTiles<Scalar>& patches, const CodedAtoms<Scalar>& atoms,
                         ConstMatrixView<Scalar> Q, MatrixView<Scalar> gradient_W,
                         std::span<Scalar> gradient_shapes) {
  check_shapes(grid, patches, atoms, Q.rows(), Q.cols());
  const Index K = atoms.W.rows();
  const Index n = atoms.W.cols();
  const auto layer = CodeLayer<Scalar>::of(atoms);
  const Partition parts = sum_parts(Q.rows(), 1);
  const auto sums = ordered_reduce<GradientSums<Scalar>>(
      context, parts.count(), Work{}, [&] { return GradientSums<Scalar>(K, n); },
      [&](Index part, GradientSums<Scalar>& sum) {
        ImageGradients<Scalar> gradients(grid, atoms, *layer);
        for (Index image = parts[part].begin; image < parts[part].end; ++image) {
          context.check_cancelled();
          gradients.add(patches, image, Q.data() + image * Q.outerStride(), sum);
        }
      });
  const Partition tiles(K, kAtomsAtATime);
  parallel_for(context, tiles.count(), work_of(K, n, 2 * kPerValue), [&](Index t) {
    for (Index u = tiles[t].begin; u < tiles[t].end; ++u) {
      const auto at = static_cast<std::size_t>(u);
      const Scalar* products = sums.products.row(u);
      layer->finish(u, sums.totals[at], products, gradient_W.data() + u * gradient_W.outerStride());
      if (gradient_shapes.empty()) continue;
      gradient_shapes[at] =
          static_cast<Scalar>(layer->finish_shape(u, sums.totals[at], products, sums.shapes[at]));
    }
  });
}

#define KRICA_INSTANTIATE(Scalar)                                                                  \
  template void pool_codes(const Context&, const PoolingGrid&, const PatchTiles<Scalar>&,          \
                           const CodedAtoms<Scalar>&, MatrixView<Scalar>);                         \
  template void pool_codes_backward(const Context&, const PoolingGrid&, const PatchTiles<Scalar>&, \
                                    const CodedAtoms<Scalar>&, ConstMatrixView<Scalar>,            \
                                    MatrixView<Scalar>, std::span<Scalar>)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
