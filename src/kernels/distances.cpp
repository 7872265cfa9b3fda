// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/distances.hpp"

#include "runtime/blas.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

/// Below this fraction of ‖w‖² + ‖x‖² the expansion has lost too many digits.
constexpr double kNearFraction = 1e-2;

/// Replaces w_u·x in `row` by ‖w_u - x‖².
template <class Scalar>
void distances_from_dots(const Scalar* x, ConstMatrixView<Scalar> W, std::span<const Scalar> norms,
                         Scalar* row) {
  const auto x_norm = static_cast<Scalar>(ordered_dot(x, x, W.cols()));
  constexpr auto kNear = static_cast<Scalar>(kNearFraction);
  const Index K = W.rows();
  const Scalar* w_norms = norms.data();
  Index near = 0;
  for (Index u = 0; u < K; ++u) {
    const Scalar sum = x_norm + w_norms[u];
    const Scalar squared = sum - Scalar(2) * row[u];
    near += squared < kNear * sum ? 1 : 0;
    row[u] = squared;
  }
  if (near == 0) return;
  for (Index u = 0; u < K; ++u) {
    if (row[u] >= kNear * (x_norm + w_norms[u])) continue;
    row[u] =
        static_cast<Scalar>(ordered_squared_distance(x, W.data() + u * W.outerStride(), W.cols()));
  }
}

}  // namespace

template <class Scalar>
std::vector<Scalar> squared_row_norms(ConstMatrixView<Scalar> W) {
  std::vector<Scalar> norms;
  norms.reserve(static_cast<std::size_t>(W.rows()));
  for (Index u = 0; u < W.rows(); ++u) {
    const Scalar* row = W.data() + u * W.outerStride();
    norms.push_back(static_cast<Scalar>(ordered_dot(row, row, W.cols())));
  }
  return norms;
}

template <class Scalar>
void squared_distances(ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> W,
                       std::span<const Scalar> norms, MatrixView<Scalar> distances) {
  blas::gemm(blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), X, W, Scalar(0), distances);
  for (Index i = 0; i < X.rows(); ++i) {
    distances_from_dots(X.data() + i * X.outerStride(), W, norms,
                        distances.data() + i * distances.outerStride());
  }
}

#define KRICA_INSTANTIATE(Scalar)                                                   \
  template std::vector<Scalar> squared_row_norms(ConstMatrixView<Scalar>);          \
  template void squared_distances(ConstMatrixView<Scalar>, ConstMatrixView<Scalar>, \
                                  std::span<const Scalar>, MatrixView<Scalar>)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
