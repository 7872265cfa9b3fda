// SPDX-License-Identifier: BSD-3-Clause
#include "joint/pooled_codes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "features/zone_codes.hpp"
#include "joint/code_layer.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";
constexpr Index kAtomsAtATime = 64;

template <class Scalar>
void check_shapes(const PatchSource& source, ConstMatrixView<float> images,
                  const CodedAtoms<Scalar>& atoms, Index rows, Index cols) {
  const PoolingGrid& grid = source.grid();
  require(images.cols() == source.shape().values(), kName, "images of {} values, expected {}",
          images.cols(), to_text(source.shape()));
  require(rows == images.rows() && cols == grid.cells() * atoms.channels(), kName,
          "features of {} x {} for {} images and {} cells of {} channels", rows, cols,
          images.rows(), grid.cells(), atoms.channels());
}

/// The float32 loop that stores no codes; null if there is none, and for non-finite atoms, whose
/// codes must be NaN.
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

/// Adds the gradients of images, one at a time.
template <class Scalar>
class ImageGradients {
 public:
  ImageGradients(const PatchSource& source, const CodedAtoms<Scalar>& atoms,
                 const CodeLayer<Scalar>& layer)
      : source_(source),
        layer_(layer),
        tiles_(source.grid().positions(), kTilePositions),
        patches_(tiles_.largest(), atoms.W.cols()),
        zones_(source.grid().zones(), atoms.channels()),
        memory_(tiles_.largest(), atoms.W.rows(), atoms.channels()) {}

  /// Q: the image's row of ∂L/∂Z.
  void add(const float* image, const Scalar* Q, GradientSums<Scalar>& to) {
    source_.grid().template spread<Scalar>(Q, zones_);
    const float* prepared = source_.prepared(image, source_.shape(), prepared_);
    for (Index t = 0; t < tiles_.count(); ++t) {
      const PositionTile tile(source_.grid(), tiles_[t]);
      const auto X = MatrixView<Scalar>(patches_).rows_between(0, tiles_[t].size());
      source_.template read<Scalar>(prepared, source_.shape(), tile, X);
      weights_.clear();  // all positions of a zone have the same
      Index zone = tile.first_zone;
      for (const Range& rows : tile.zones)
        weights_.insert(weights_.end(), static_cast<std::size_t>(rows.size()), zones_.row(zone++));
      layer_.add(X, weights_, memory_, to);
    }
  }

 private:
  const PatchSource& source_;
  const CodeLayer<Scalar>& layer_;
  Partition tiles_;
  std::vector<float> prepared_;
  Matrix<Scalar> patches_;
  Matrix<Scalar> zones_;
  TileMemory<Scalar> memory_;
  std::vector<const Scalar*> weights_;
};

}  // namespace

Range own_images(const Context& context, Index images) {
  if (!context.shares_rows()) return {0, images};
  return rows_of_share(image_parts(images), context.ranks()->rank(), context.ranks()->size());
}

template <class Scalar>
void pool_codes(const Context& context, const PatchSource& source, ConstMatrixView<float> images,
                const CodedAtoms<Scalar>& atoms, MatrixView<Scalar> Z) {
  check_shapes(source, images, atoms, Z.rows(), Z.cols());
  const auto layer = CodeLayer<Scalar>::of(atoms);
  const auto fused = fused_for(atoms);
  const Partition parts = image_parts(Z.rows());
  const Range own = own_share(context, parts.count());
  agree(context, [&] {
    parallel_for(context, own.size(), [&](Index place) {
      ZoneCodes<Scalar, CodeLayer<Scalar>> codes(source, *layer, atoms.channels(), fused.get());
      const Range part = parts[own.begin + place];
      for (Index image = part.begin; image < part.end; ++image) {
        context.check_cancelled();
        source.grid().pool<Scalar>(codes.of(images.data() + image * images.outerStride()),
                                   Z.data() + image * Z.outerStride());
      }
    });
  });
}

template <class Scalar>
void pool_codes_backward(const Context& context, const PatchSource& source,
                         ConstMatrixView<float> images, const CodedAtoms<Scalar>& atoms,
                         ConstMatrixView<Scalar> Q, MatrixView<Scalar> gradient_W,
                         std::span<Scalar> gradient_shapes) {
  check_shapes(source, images, atoms, Q.rows(), Q.cols());
  const Index K = atoms.W.rows();
  const Index n = atoms.W.cols();
  const auto layer = CodeLayer<Scalar>::of(atoms);
  const Partition parts = image_parts(Q.rows());
  const auto sums = ordered_reduce<GradientSums<Scalar>>(
      context, parts.count(), Work{}, [&] { return GradientSums<Scalar>(K, n); },
      [&](Index part, GradientSums<Scalar>& sum) {
        ImageGradients<Scalar> gradients(source, atoms, *layer);
        for (Index image = parts[part].begin; image < parts[part].end; ++image) {
          context.check_cancelled();
          gradients.add(images.data() + image * images.outerStride(),
                        Q.data() + image * Q.outerStride(), sum);
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

#define KRICA_INSTANTIATE(Scalar)                                                               \
  template void pool_codes(const Context&, const PatchSource&, ConstMatrixView<float>,          \
                           const CodedAtoms<Scalar>&, MatrixView<Scalar>);                      \
  template void pool_codes_backward(const Context&, const PatchSource&, ConstMatrixView<float>, \
                                    const CodedAtoms<Scalar>&, ConstMatrixView<Scalar>,         \
                                    MatrixView<Scalar>, std::span<Scalar>)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
