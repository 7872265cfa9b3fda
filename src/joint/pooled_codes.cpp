// SPDX-License-Identifier: BSD-3-Clause
#include "krica/joint/pooled_codes.hpp"

#include <algorithm>
#include <vector>

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

/// Memory of one tile, kept from tile to tile.
template <class Scalar>
struct TileMemory {
  Matrix<Scalar> patches;
  Matrix<Scalar> codes;
  Matrix<Scalar> slopes;
  Matrix<Scalar> zones;

  TileMemory(const PoolingGrid& grid, Index K, Index n, bool with_slopes)
      : patches(Partition(grid.positions(), kTilePositions).largest(), n),
        codes(patches.rows(), K),
        slopes(with_slopes ? patches.rows() : 0, K),
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

template <class Scalar>
void pool_image(const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                const AtomSet<Scalar>& atoms, Index image, TileMemory<Scalar>& memory,
                Scalar* cells) {
  const Partition tiles(grid.positions(), kTilePositions);
  memory.zones.set_zero();
  for (Index t = 0; t < tiles.count(); ++t) {
    const Range tile = tiles[t];
    const MatrixView<Scalar> X = MatrixView<Scalar>(memory.patches).rows_between(0, tile.size());
    const MatrixView<Scalar> S = MatrixView<Scalar>(memory.codes).rows_between(0, tile.size());
    patches.read(image, tile.begin, X);
    atoms.evaluate(X, S, nullptr);
    for (Index i = 0; i < tile.size(); ++i) {
      const Scalar* code = memory.codes.row(i);
      Scalar* sum = memory.zones.row(grid.place(tile.begin + i).zone);
      for (Index u = 0; u < memory.codes.cols(); ++u) sum[u] += code[u];
    }
  }
  grid.pool<Scalar>(memory.zones, cells);
}

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

/// ½ (‖w‖² Σ M - 2 w·ΣMx + Σ M‖x‖²) = ½ Σ M ‖w - x‖².
template <class Scalar>
Scalar log_gamma_gradient(const Scalar* w, Index n, double total, const Scalar* sums,
                          double squares) {
  return static_cast<Scalar>(
      (ordered_dot(w, w, n) * total - 2 * ordered_dot(w, sums, n) + squares) / 2);
}

}  // namespace

template <class Scalar>
void pool_codes(const Context& context, const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                const KernelAtoms<Scalar>& atoms, MatrixView<Scalar> Z) {
  check_shapes(grid, patches, atoms, Z.rows(), Z.cols());
  const AtomSet<Scalar> set(atoms.kernel, atoms.W, atoms.gammas);
  const Partition groups(Z.rows(), (Z.rows() + kGroups - 1) / kGroups);
  parallel_for(context, groups.count(), [&](Index g) {
    TileMemory<Scalar> memory(grid, atoms.W.rows(), atoms.W.cols(), false);
    for (Index image = groups[g].begin; image < groups[g].end; ++image) {
      context.check_cancelled();
      pool_image(grid, patches, set, image, memory, Z.data() + image * Z.outerStride());
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
    TileMemory<Scalar> memory(grid, K, n, true);
    for (Index image = groups[g].begin; image < groups[g].end; ++image) {
      context.check_cancelled();
      add_image_gradient(grid, patches, set, image, Q.data() + image * Q.outerStride(),
                         with_squares, memory, part);
    }
  });
  const Partition tiles(K, kAtomsAtATime);
  parallel_for(context, tiles.count(), [&](Index t) {
    std::vector<Scalar> sums(static_cast<std::size_t>(n));
    for (Index u = tiles[t].begin; u < tiles[t].end; ++u) {
      const auto at = static_cast<std::size_t>(u);
      double total = 0;
      double squares = 0;
      std::vector<double> exact(static_cast<std::size_t>(n), 0.0);
      for (const GradientSums<Scalar>& part : parts) {
        total += part.totals[at];
        squares += part.squares[at];
        for (Index j = 0; j < n; ++j)
          exact[static_cast<std::size_t>(j)] += static_cast<double>(part.sums(u, j));
      }
      for (std::size_t j = 0; j < exact.size(); ++j) sums[j] = static_cast<Scalar>(exact[j]);
      set.finish_gradient(u, total, sums.data(), gradient_W.data() + u * gradient_W.outerStride());
      if (!with_squares) continue;
      const Scalar* w = atoms.W.data() + u * atoms.W.outerStride();
      gradient_log_gamma[at] = log_gamma_gradient(w, n, total, sums.data(), squares);
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
