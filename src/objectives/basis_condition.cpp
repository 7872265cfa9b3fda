// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/basis_condition.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "kernels/atom_set.hpp"
#include "objectives/samples.hpp"
#include "runtime/column_moments.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

constexpr double kVariation = 1e-3;  // relative to the mean: codes that vary less count as constant
constexpr double kTwin = 1e-3;       // atoms closer than this count as the same atom
constexpr Index kFirstBlock = 16 * kTileRows;

bool over_half(Index part, Index whole) { return 2 * part > whole; }

Index inactive_atoms(const ColumnMoments& codes, Index K) {
  std::vector<char> active(static_cast<std::size_t>(K), 0);
  for (std::size_t channel = 0; channel < codes.mean().size(); ++channel) {
    const double deviation = std::sqrt(codes.squares()[channel] / codes.count());
    if (deviation > kVariation * std::abs(codes.mean()[channel]))
      active[channel % active.size()] = 1;
  }
  return std::count(active.begin(), active.end(), 0);
}

/// Whether w_u is within kTwin of sign · w_v.
template <class Scalar>
bool are_twins(ConstMatrixView<Scalar> W, Index u, Index v, double sign) {
  double squared = 0;
  for (Index j = 0; j < W.cols() && squared < kTwin * kTwin; ++j) {
    const double difference = static_cast<double>(W(u, j)) - sign * static_cast<double>(W(v, j));
    squared += difference * difference;
  }
  return squared < kTwin * kTwin;
}

/// Linear codes of w and -w differ only in sign.
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
  // Most pairs differ in their first few values.
  parallel_for(context, W.rows(), work_of(W.rows(), W.rows(), kPerValue), [&](Index u) {
    if (has_twin(kernel, W, u)) twins.fetch_add(1, std::memory_order_relaxed);
  });
  return over_half(twins.load(), W.rows());
}

}  // namespace

/// The first block is sufficient for nearly every basis.
template <class Scalar>
bool codes_hardly_vary(const Context& context, ConstMatrixView<Scalar> X, Index K, Index channels,
                       const Encode<Scalar>& encode) {
  const auto hardly_vary_over = [&](Index samples) {
    const Partition tiles(samples, kTileRows);
    const auto moments = ordered_reduce<ColumnMoments>(
        context, tiles.count(), work_of(samples, channels, X.cols() + kPerExp),
        [&] { return ColumnMoments(channels); },
        [&](Index t, ColumnMoments& sums) {
          Matrix<Scalar> codes(tiles[t].size(), channels);
          encode(X.rows_between(tiles[t].begin, tiles[t].end), codes);
          sums.add<Scalar>(codes);
        });
    return over_half(inactive_atoms(moments, K), K);
  };
  return (X.rows() <= kFirstBlock || hardly_vary_over(kFirstBlock)) && hardly_vary_over(X.rows());
}

template <class Scalar>
BasisCondition basis_condition(const Context& context, const Kernel& kernel,
                               ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> W,
                               std::span<const Scalar> gammas) {
  const AtomSet<Scalar> atoms(kernel, W, gammas);
  const Encode<Scalar> encode = [&](ConstMatrixView<Scalar> x, MatrixView<Scalar> codes) {
    atoms.evaluate(x, codes, nullptr);
  };
  if (codes_hardly_vary(context, X, W.rows(), W.rows(), encode)) return BasisCondition::kDiverged;
  if (is_collapsed(context, kernel, W)) return BasisCondition::kCollapsed;
  return BasisCondition::kSound;
}

template bool codes_hardly_vary(const Context&, ConstMatrixView<float>, Index, Index,
                                const Encode<float>&);
template bool codes_hardly_vary(const Context&, ConstMatrixView<double>, Index, Index,
                                const Encode<double>&);
template BasisCondition basis_condition(const Context&, const Kernel&, ConstMatrixView<float>,
                                        ConstMatrixView<float>, std::span<const float>);
template BasisCondition basis_condition(const Context&, const Kernel&, ConstMatrixView<double>,
                                        ConstMatrixView<double>, std::span<const double>);

}  // namespace krica
