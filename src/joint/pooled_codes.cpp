// SPDX-License-Identifier: BSD-3-Clause
#include "krica/joint/pooled_codes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "features/fused_pooling.hpp"
#include "features/patch_tile.hpp"
#include "kernels/atom_set.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "joint";
constexpr Index kGroups = 16;        // partial gradients: fixed, so that bits are
constexpr Index kAtomsAtATime = 64;  // when the groups' sums are added

template <class Scalar>
void check_shapes(const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                  const KernelAtoms<Scalar>& atoms, Index rows, Index cols) {
  require(rows == patches.images() && cols == grid.cells() * atoms.W.rows(), kName,
          "features of {} x {} for {} images and {} cells of {} atoms", rows, cols,
          patches.images(), grid.cells(), atoms.W.rows());
}

/// Memory of one tile of the way back, kept from tile to tile.
template <class Scalar>
struct TileMemory {
  Matrix<Scalar> patches;
  Matrix<Scalar> codes;
  Matrix<Scalar> slopes;
  Matrix<Scalar> zones;

  TileMemory(const PoolingGrid& grid, Index K, Index n)
      : patches(Partition(grid.positions(), kTilePositions).largest(), n),
        codes(patches.rows(), K),
        slopes(patches.rows(), K),
        zones(grid.zones(), K) {}
};

/// Σ over some images of what the gradient is made of; see the header and AtomSet.
template <class Scalar>
struct GradientSums {
  Matrix<Scalar> sums;          // MᵀX
  std::vector<double> totals;   // Mᵀ1
  std::vector<double> squares;  // Σ_p M_pu ‖x_p‖²

  GradientSums(Index K, Index n)
      : sums(K, n),
        totals(static_cast<std::size_t>(K), 0.0),
        squares(static_cast<std::size_t>(K), 0.0) {}
};

/// The float32 loop that holds no codes; null where there is none, and for atoms that are not
/// finite, whose codes shall come out as NaN.
template <class Scalar>
std::unique_ptr<const FusedPooling> fused_for(const KernelAtoms<Scalar>& atoms) {
  if constexpr (std::is_same_v<Scalar, float>) {
    for (const float gamma : atoms.gammas) {
      if (!std::isfinite(gamma) || gamma <= 0) return nullptr;
    }
    if (!atoms.W.allFinite()) return nullptr;
    return FusedPooling::of(Encoder({.kernel = atoms.kernel}, atoms.W, atoms.gammas));
  }
  return nullptr;
}

/// The sums of one image's codes over the zones.
template <class Scalar>
class ZoneSums {
 public:
  ZoneSums(const PoolingGrid& grid, const AtomSet<Scalar>& atoms, const FusedPooling* fused,
           Index n)
      : grid_(grid),
        atoms_(atoms),
        fused_(fused),
        tiles_(grid.positions(), fused != nullptr ? kFusedPositions : kTilePositions),
        patches_(tiles_.largest(), n),
        codes_(fused != nullptr ? 0 : tiles_.largest(), atoms.count()),
        sums_(grid.zones(), atoms.count()) {}

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
    atoms_.evaluate(X, MatrixView<Scalar>(codes_).rows_between(0, tile.size()), nullptr);
    for (Index i = 0; i < tile.size(); ++i) {
      const Scalar* code = codes_.row(i);
      Scalar* sum = sums_.row(grid_.place(tile.begin + i).zone);
      for (Index u = 0; u < codes_.cols(); ++u) sum[u] += code[u];
    }
  }

  const PoolingGrid& grid_;
  const AtomSet<Scalar>& atoms_;
  const FusedPooling* fused_;
  Partition tiles_;
  Matrix<Scalar> patches_;
  Matrix<Scalar> codes_;
  Matrix<Scalar> sums_;
};

/// slopes ← M = A ∘ S', where all positions of a zone have the same row of A.
template <class Scalar>
void weigh_slopes(const PoolingGrid& grid, Range tile, TileMemory<Scalar>& memory) {
  for (Index i = 0; i < tile.size(); ++i) {
    const Scalar* weights = memory.zones.row(grid.place(tile.begin + i).zone);
    Scalar* row = memory.slopes.row(i);
    for (Index u = 0; u < memory.slopes.cols(); ++u) row[u] *= weights[u];
  }
}

template <class Scalar>
void add_squares(ConstMatrixView<Scalar> M, ConstMatrixView<Scalar> X,
                 std::vector<double>& squares) {
  for (Index i = 0; i < M.rows(); ++i) {
    const Scalar* x = X.data() + i * X.outerStride();
    const double norm = ordered_dot(x, x, X.cols());
    const Scalar* row = M.data() + i * M.outerStride();
    for (Index u = 0; u < M.cols(); ++u)
      squares[static_cast<std::size_t>(u)] += static_cast<double>(row[u]) * norm;
  }
}

template <class Scalar>
void add_image_gradient(const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                        const AtomSet<Scalar>& atoms, Index image, const Scalar* Q,
                        bool with_squares, TileMemory<Scalar>& memory, GradientSums<Scalar>& to) {
  const Partition tiles(grid.positions(), kTilePositions);
  grid.spread<Scalar>(Q, memory.zones);
  for (Index t = 0; t < tiles.count(); ++t) {
    const Range tile = tiles[t];
    const MatrixView<Scalar> X = MatrixView<Scalar>(memory.patches).rows_between(0, tile.size());
    const MatrixView<Scalar> S = MatrixView<Scalar>(memory.codes).rows_between(0, tile.size());
    MatrixView<Scalar> slopes = MatrixView<Scalar>(memory.slopes).rows_between(0, tile.size());
    patches.read(image, tile.begin, X);
    atoms.evaluate(X, S, &slopes);
    weigh_slopes(grid, tile, memory);
    atoms.accumulate({0, atoms.count()}, slopes, X, to.sums, to.totals);
    if (with_squares) add_squares<Scalar>(slopes, X, to.squares);
  }
}

/// The parts' sums of one atom, added in their order.
template <class Scalar>
class AtomSums {
 public:
  explicit AtomSums(Index n)
      : exact_(static_cast<std::size_t>(n)), sums_(static_cast<std::size_t>(n)) {}

  void add_up(const std::vector<GradientSums<Scalar>>& parts, Index atom) {
    total_ = 0;
    squares_ = 0;
    std::fill(exact_.begin(), exact_.end(), 0.0);
    for (const GradientSums<Scalar>& part : parts) {
      total_ += part.totals[static_cast<std::size_t>(atom)];
      squares_ += part.squares[static_cast<std::size_t>(atom)];
      const Scalar* row = part.sums.row(atom);
      for (std::size_t j = 0; j < exact_.size(); ++j) exact_[j] += static_cast<double>(row[j]);
    }
    for (std::size_t j = 0; j < exact_.size(); ++j) sums_[j] = static_cast<Scalar>(exact_[j]);
  }

  [[nodiscard]] double total() const { return total_; }
  [[nodiscard]] const Scalar* sums() const { return sums_.data(); }
  /// ½ (‖w‖² Σ M - 2 w·Σ M x + Σ M ‖x‖²) = ½ Σ M ‖w - x‖².
  [[nodiscard]] Scalar log_gamma_gradient(const Scalar* w) const {
    const auto n = static_cast<Index>(sums_.size());
    const double distances =
        ordered_dot(w, w, n) * total_ - 2 * ordered_dot(w, sums_.data(), n) + squares_;
    return static_cast<Scalar>(distances / 2);
  }

 private:
  double total_ = 0;
  double squares_ = 0;
  std::vector<double> exact_;
  std::vector<Scalar> sums_;
};

}  // namespace

template <class Scalar>
void pool_codes(const Context& context, const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                const KernelAtoms<Scalar>& atoms, MatrixView<Scalar> Z) {
  check_shapes(grid, patches, atoms, Z.rows(), Z.cols());
  const AtomSet<Scalar> set(atoms.kernel, atoms.W, atoms.gammas);
  const auto fused = fused_for(atoms);
  const Partition groups(Z.rows(), (Z.rows() + kGroups - 1) / kGroups);
  parallel_for(context, groups.count(), [&](Index g) {
    ZoneSums<Scalar> sums(grid, set, fused.get(), atoms.W.cols());
    for (Index image = groups[g].begin; image < groups[g].end; ++image) {
      context.check_cancelled();
      grid.pool<Scalar>(sums.of(patches, image), Z.data() + image * Z.outerStride());
    }
  });
}

template <class Scalar>
void pool_codes_backward(const Context& context, const PoolingGrid& grid,
                         const PatchTiles<Scalar>& patches, const KernelAtoms<Scalar>& atoms,
                         ConstMatrixView<Scalar> Q, MatrixView<Scalar> gradient_W,
                         std::span<Scalar> gradient_log_gamma) {
  check_shapes(grid, patches, atoms, Q.rows(), Q.cols());
  const Index K = atoms.W.rows();
  const Index n = atoms.W.cols();
  const bool with_squares = !gradient_log_gamma.empty();
  const AtomSet<Scalar> set(atoms.kernel, atoms.W, atoms.gammas);
  const Partition groups(Q.rows(), (Q.rows() + kGroups - 1) / kGroups);
  std::vector<GradientSums<Scalar>> parts(static_cast<std::size_t>(groups.count()),
                                          GradientSums<Scalar>(0, n));
  parallel_for(context, groups.count(), [&](Index g) {
    GradientSums<Scalar>& part = parts[static_cast<std::size_t>(g)] = GradientSums<Scalar>(K, n);
    TileMemory<Scalar> memory(grid, K, n);
    for (Index image = groups[g].begin; image < groups[g].end; ++image) {
      context.check_cancelled();
      add_image_gradient(grid, patches, set, image, Q.data() + image * Q.outerStride(),
                         with_squares, memory, part);
    }
  });
  const Partition tiles(K, kAtomsAtATime);
  parallel_for(context, tiles.count(), [&](Index t) {
    AtomSums<Scalar> sums(n);
    for (Index u = tiles[t].begin; u < tiles[t].end; ++u) {
      sums.add_up(parts, u);
      set.finish_gradient(u, sums.total(), sums.sums(),
                          gradient_W.data() + u * gradient_W.outerStride());
      if (!with_squares) continue;
      gradient_log_gamma[static_cast<std::size_t>(u)] =
          sums.log_gamma_gradient(atoms.W.data() + u * atoms.W.outerStride());
    }
  });
}

#define KRICA_INSTANTIATE(Scalar)                                                                  \
  template void pool_codes(const Context&, const PoolingGrid&, const PatchTiles<Scalar>&,          \
                           const KernelAtoms<Scalar>&, MatrixView<Scalar>);                        \
  template void pool_codes_backward(const Context&, const PoolingGrid&, const PatchTiles<Scalar>&, \
                                    const KernelAtoms<Scalar>&, ConstMatrixView<Scalar>,           \
                                    MatrixView<Scalar>, std::span<Scalar>)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
