// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/basis_condition.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "kernels/atom_set.hpp"
#include "objectives/samples.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr double kSilent = 1e-3;  // a largest |κ| below this: the atom answers to no sample
constexpr double kTwin = 1e-3;    // atoms nearer than this are the same atom

bool over_half(Index part, Index whole) { return 2 * part > whole; }

/// Whether over half the atoms answer to no sample. Stops at the first block that settles it.
template <class Scalar>
bool is_diverged(const Context& context, const AtomSet<Scalar>& atoms, ConstMatrixView<Scalar> X) {
  const Index K = atoms.count();
  const Partition blocks(X.rows(), block_rows_for<Scalar>(0, K));
  Matrix<Scalar> codes(blocks.largest(), K);
  std::vector<char> answers(static_cast<std::size_t>(K), 0);
  for (Index b = 0; b < blocks.count(); ++b) {
    const Partition tiles(blocks[b].size(), kTileRows);
    parallel_for(context, tiles.count(), [&](Index t) {
      const Range tile = tiles[t];
      const Index first = blocks[b].begin;
      atoms.evaluate(X.rows_between(first + tile.begin, first + tile.end),
                     MatrixView<Scalar>(codes).rows_between(tile.begin, tile.end), nullptr);
    });
    for (Index i = 0; i < blocks[b].size(); ++i) {
      for (Index u = 0; u < K; ++u) {
        if (std::abs(static_cast<double>(codes(i, u))) >= kSilent)
          answers[static_cast<std::size_t>(u)] = 1;
      }
    }
    if (!over_half(std::count(answers.begin(), answers.end(), 0), K)) return false;
  }
  return true;
}

template <class Scalar>
bool has_twin(ConstMatrixView<Scalar> W, Index u) {
  for (Index v = 0; v < W.rows(); ++v) {
    if (v == u) continue;
    double squared = 0;
    for (Index j = 0; j < W.cols() && squared < kTwin * kTwin; ++j) {
      const double difference = static_cast<double>(W(u, j)) - static_cast<double>(W(v, j));
      squared += difference * difference;
    }
    if (squared < kTwin * kTwin) return true;
  }
  return false;
}

template <class Scalar>
bool is_collapsed(const Context& context, ConstMatrixView<Scalar> W) {
  std::atomic<Index> twins{0};
  parallel_for(context, W.rows(), [&](Index u) {
    if (has_twin(W, u)) twins.fetch_add(1, std::memory_order_relaxed);
  });
  return over_half(twins.load(), W.rows());
}

}  // namespace

template <class Scalar>
BasisCondition basis_condition(const Context& context, const Kernel& kernel,
                               ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> W,
                               std::span<const Scalar> gammas) {
  if (is_diverged(context, AtomSet<Scalar>(kernel, W, gammas), X)) return BasisCondition::kDiverged;
  if (is_collapsed(context, W)) return BasisCondition::kCollapsed;
  return BasisCondition::kSound;
}

template BasisCondition basis_condition(const Context&, const Kernel&, ConstMatrixView<float>,
                                        ConstMatrixView<float>, std::span<const float>);
template BasisCondition basis_condition(const Context&, const Kernel&, ConstMatrixView<double>,
                                        ConstMatrixView<double>, std::span<const double>);

}  // namespace krica
