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

constexpr double kSilent = 1e-3;  // an atom whose largest |κ| is below this is inactive
constexpr double kTwin = 1e-3;    // atoms nearer than this are the same atom

bool over_half(Index part, Index whole) { return 2 * part > whole; }

/// Linear codes have the unit of the samples, so for them the threshold follows the root mean
/// square of the samples, which is about 1 after whitening.
template <class Scalar>
double silence_of(const Kernel& kernel, ConstMatrixView<Scalar> X) {
  if (kernel.kind != KernelKind::kLinear) return kSilent;
  double squares = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    const Scalar* x = X.data() + i * X.outerStride();
    squares += ordered_dot(x, x, X.cols());
  }
  return kSilent * std::sqrt(squares / static_cast<double>(X.size()));
}

/// Whether more than half of the atoms are inactive on every sample. Stops at the first block that
/// settles it.
template <class Scalar>
bool is_diverged(const Context& context, const AtomSet<Scalar>& atoms, ConstMatrixView<Scalar> X,
                 double silence) {
  const Index K = atoms.count();
  const Partition blocks(X.rows(), block_rows_for<Scalar>(0, K));
  Matrix<Scalar> codes(blocks.largest(), K);
  std::vector<char> answers(static_cast<std::size_t>(K), 0);
  for (Index b = 0; b < blocks.count(); ++b) {
    const Partition tiles(blocks[b].size(), kTileRows);
    const Work work = work_of(blocks[b].size(), K, X.cols() + kPerExp);
    parallel_for(context, tiles.count(), work, [&](Index t) {
      const Range tile = tiles[t];
      const Index first = blocks[b].begin;
      atoms.evaluate(X.rows_between(first + tile.begin, first + tile.end),
                     MatrixView<Scalar>(codes).rows_between(tile.begin, tile.end), nullptr);
    });
    for (Index i = 0; i < blocks[b].size(); ++i) {
      for (Index u = 0; u < K; ++u) {
        if (std::abs(static_cast<double>(codes(i, u))) >= silence)
          answers[static_cast<std::size_t>(u)] = 1;
      }
    }
    if (!over_half(std::count(answers.begin(), answers.end(), 0), K)) return false;
  }
  return true;
}

/// Whether w_u lies within kTwin of sign · w_v.
template <class Scalar>
bool are_twins(ConstMatrixView<Scalar> W, Index u, Index v, double sign) {
  double squared = 0;
  for (Index j = 0; j < W.cols() && squared < kTwin * kTwin; ++j) {
    const double difference = static_cast<double>(W(u, j)) - sign * static_cast<double>(W(v, j));
    squared += difference * difference;
  }
  return squared < kTwin * kTwin;
}

/// Linear codes of w and -w differ in their sign only.
template <class Scalar>
bool has_twin(const Kernel& kernel, ConstMatrixView<Scalar> W, Index u) {
  const bool either_sign = kernel.kind == KernelKind::kLinear;
  for (Index v = 0; v < W.rows(); ++v) {
    if (v == u) continue;
    if (are_twins(W, u, v, 1) || (either_sign && are_twins(W, u, v, -1))) return true;
  }
  return false;
}

template <class Scalar>
bool is_collapsed(const Context& context, const Kernel& kernel, ConstMatrixView<Scalar> W) {
  std::atomic<Index> twins{0};
  // Most pairs are told apart by their first few values.
  parallel_for(context, W.rows(), work_of(W.rows(), W.rows(), kPerValue), [&](Index u) {
    if (has_twin(kernel, W, u)) twins.fetch_add(1, std::memory_order_relaxed);
  });
  return over_half(twins.load(), W.rows());
}

}  // namespace

template <class Scalar>
BasisCondition basis_condition(const Context& context, const Kernel& kernel,
                               ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> W,
                               std::span<const Scalar> gammas) {
  if (is_diverged(context, AtomSet<Scalar>(kernel, W, gammas), X, silence_of(kernel, X)))
    return BasisCondition::kDiverged;
  if (is_collapsed(context, kernel, W)) return BasisCondition::kCollapsed;
  return BasisCondition::kSound;
}

template BasisCondition basis_condition(const Context&, const Kernel&, ConstMatrixView<float>,
                                        ConstMatrixView<float>, std::span<const float>);
template BasisCondition basis_condition(const Context&, const Kernel&, ConstMatrixView<double>,
                                        ConstMatrixView<double>, std::span<const double>);

}  // namespace krica
