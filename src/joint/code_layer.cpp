// SPDX-License-Identifier: BSD-3-Clause
#include "joint/code_layer.hpp"

#include <algorithm>
#include <cmath>

#include "joint/slope_loops.hpp"
#include "kernels/atom_set.hpp"
#include "kernels/distances.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "runtime/vector_math.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";
constexpr double kSoftAbsFloor = 1e-8;  // as in the encoder

template <class Scalar>
Scalar* row_of(MatrixView<Scalar> matrix, Index i) {
  return matrix.data() + i * matrix.outerStride();
}

template <class Scalar>
const Scalar* row_of(const ConstMatrixView<Scalar>& matrix, Index i) {
  return matrix.data() + i * matrix.outerStride();
}

template <class Scalar>
MatrixView<Scalar> top_rows(Matrix<Scalar>& matrix, Index rows) {
  return MatrixView<Scalar>(matrix).rows_between(0, rows);
}

/// Σ_p M_pu x_p.
template <class Scalar>
void add_products(ConstMatrixView<Scalar> M, ConstMatrixView<Scalar> X, GradientSums<Scalar>& to) {
  blas::gemm<Scalar>(blas::Op::kTransposed, blas::Op::kPlain, Scalar(1), M, X, Scalar(1),
                     to.products);
}

/// Sums over one tile have few terms; sums over all tiles are double.
template <class Scalar>
void add_row(const Scalar* row, double sign, std::vector<double>& to) {
  for (std::size_t u = 0; u < to.size(); ++u) to[u] += sign * static_cast<double>(row[u]);
}

template <class Scalar>
void add_totals(ConstMatrixView<Scalar> M, GradientSums<Scalar>& to) {
  for (Index i = 0; i < M.rows(); ++i) add_row(row_of(M, i), 1, to.totals);
}

template <class Scalar>
class KernelLayer final : public CodeLayer<Scalar> {
 public:
  explicit KernelLayer(const CodedAtoms<Scalar>& atoms)
      : W_(atoms.W),
        set_(atoms.encoder.kernel, atoms.W, atoms.shapes),
        with_widths_(!atoms.shapes.empty()) {}

  void encode(ConstMatrixView<Scalar> X, MatrixView<Scalar> codes) const override {
    set_.evaluate(X, codes, nullptr);
  }

  void add(ConstMatrixView<Scalar> X, std::span<const Scalar* const> A, TileMemory<Scalar>& memory,
           GradientSums<Scalar>& to) const override {
    MatrixView<Scalar> M = top_rows(memory.slopes, X.rows());
    set_.evaluate(X, top_rows(memory.codes, X.rows()), &M);
    memory.sums.set_zero();
    for (Index i = 0; i < X.rows(); ++i) {
      const Scalar* x = row_of(X, i);
      const double norm = with_widths_ ? ordered_dot(x, x, X.cols()) : 0;
      weigh_slopes(A[static_cast<std::size_t>(i)], static_cast<Scalar>(norm), row_of(M, i),
                   memory.sums.row(0), with_widths_ ? memory.sums.row(1) : nullptr, M.cols());
    }
    set_.accumulate_products({0, set_.count()}, M, X, to.products);
    add_row(memory.sums.row(0), 1, to.totals);
    if (with_widths_) add_row(memory.sums.row(1), 1, to.shapes);
  }

  void finish(Index atom, double total, const Scalar* products, Scalar* gradient) const override {
    set_.finish_gradient(atom, total, products, gradient);
  }

  /// ½ (‖w‖² Σ M - 2 w·Σ M x + Σ M ‖x‖²) = ½ Σ M ‖w - x‖².
  double finish_shape(Index atom, double total, const Scalar* products,
                      double squares) const override {
    const Scalar* w = row_of(W_, atom);
    const Index n = W_.cols();
    return (ordered_dot(w, w, n) * total - 2 * ordered_dot(w, products, n) + squares) / 2;
  }

 private:
  ConstMatrixView<Scalar> W_;
  AtomSet<Scalar> set_;
  bool with_widths_;
};

/// Codes of products a = w·x.
template <class Scalar>
class ProductLayer final : public CodeLayer<Scalar> {
 public:
  explicit ProductLayer(const CodedAtoms<Scalar>& atoms)
      : kind_(atoms.encoder.kind), W_(atoms.W), shapes_(atoms.shapes.begin(), atoms.shapes.end()) {
    const bool soft = kind_ == EncoderKind::kSoftThreshold;
    if (shapes_.empty()) {
      shapes_.assign(static_cast<std::size_t>(W_.rows()),
                     soft ? static_cast<Scalar>(atoms.encoder.threshold) : Scalar(0));
    }
  }

  void encode(ConstMatrixView<Scalar> X, MatrixView<Scalar> codes) const override {
    products(X, codes);
    for (Index i = 0; i < X.rows(); ++i) encode_row(row_of(codes, i));
  }

  void add(ConstMatrixView<Scalar> X, std::span<const Scalar* const> A, TileMemory<Scalar>& memory,
           GradientSums<Scalar>& to) const override {
    const MatrixView<Scalar> M = top_rows(memory.slopes, X.rows());
    products(X, M);
    memory.sums.set_zero();
    for (Index i = 0; i < X.rows(); ++i)
      weigh_row(A[static_cast<std::size_t>(i)], row_of(M, i), memory.sums.row(1));
    add_products<Scalar>(M, X, to);
    if (kind_ == EncoderKind::kSigmoid) add_totals<Scalar>(M, to);
    if (kind_ == EncoderKind::kSoftThreshold) add_row(memory.sums.row(1), -1, to.shapes);
  }

  void finish(Index, double, const Scalar* products, Scalar* gradient) const override {
    std::copy(products, products + W_.cols(), gradient);
  }

  double finish_shape(Index, double total, const Scalar*, double shape_sum) const override {
    return kind_ == EncoderKind::kSigmoid ? total : shape_sum;
  }

 private:
  [[nodiscard]] Index K() const { return W_.rows(); }

  void products(ConstMatrixView<Scalar> X, MatrixView<Scalar> to) const {
    const MatrixView<Scalar> first(to.data(), X.rows(), K(), to.outerStride());
    blas::gemm<Scalar>(blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), X, W_, Scalar(0), first);
  }

  /// In: a; out: the code.
  void encode_row(Scalar* row) const {
    const Scalar* t = shapes_.data();
    switch (kind_) {
      case EncoderKind::kAbs:
        for (Index u = 0; u < K(); ++u) row[u] = std::abs(row[u]);
        return;
      case EncoderKind::kSoftAbs:
        for (Index u = 0; u < K(); ++u) row[u] = soft_abs(row[u]);
        return;
      case EncoderKind::kSigmoid:
        sigmoid(row);
        return;
      case EncoderKind::kSoftThreshold:
        for (Index u = 0; u < K(); ++u) {
          row[K() + u] = std::max(Scalar(0), -row[u] - t[u]);
          row[u] = std::max(Scalar(0), row[u] - t[u]);
        }
        return;
      default:
        return;  // linear
    }
  }

  /// In: a; out: M. up_and_down: sums for the soft threshold.
  void weigh_row(const Scalar* A, Scalar* row, Scalar* up_and_down) const {
    switch (kind_) {
      case EncoderKind::kAbs:
        for (Index u = 0; u < K(); ++u)
          row[u] = A[u] * static_cast<Scalar>((row[u] > 0) - (row[u] < 0));
        return;
      case EncoderKind::kSoftAbs:
        for (Index u = 0; u < K(); ++u) row[u] = A[u] * row[u] / soft_abs(row[u]);
        return;
      case EncoderKind::kSigmoid:
        sigmoid(row);
        for (Index u = 0; u < K(); ++u) row[u] = A[u] * row[u] * (1 - row[u]);
        return;
      case EncoderKind::kSoftThreshold:
        soft_threshold_slopes(A, shapes_.data(), row, up_and_down, K());
        return;
      default:
        std::copy(A, A + K(), row);
    }
  }

  static Scalar soft_abs(Scalar a) { return std::sqrt(a * a + static_cast<Scalar>(kSoftAbsFloor)); }

  void sigmoid(Scalar* row) const {
    for (Index u = 0; u < K(); ++u) row[u] = -row[u] - shapes_[static_cast<std::size_t>(u)];
    exp_in_place(row, K());
    for (Index u = 0; u < K(); ++u) row[u] = 1 / (1 + row[u]);
  }

  EncoderKind kind_;
  ConstMatrixView<Scalar> W_;
  std::vector<Scalar> shapes_;
};

template <class Scalar>
class TriangleLayer final : public CodeLayer<Scalar> {
 public:
  explicit TriangleLayer(const CodedAtoms<Scalar>& atoms)
      : W_(atoms.W), squared_norms_(squared_row_norms<Scalar>(atoms.W)) {}

  void encode(ConstMatrixView<Scalar> X, MatrixView<Scalar> codes) const override {
    squared_distances<Scalar>(X, W_, squared_norms_, codes);
    for (Index i = 0; i < X.rows(); ++i) {
      Scalar* z = row_of(codes, i);
      const Scalar mean = distances(z);
      for (Index u = 0; u < K(); ++u) z[u] = std::max(Scalar(0), mean - z[u]);
    }
  }

  void add(ConstMatrixView<Scalar> X, std::span<const Scalar* const> A, TileMemory<Scalar>& memory,
           GradientSums<Scalar>& to) const override {
    const MatrixView<Scalar> M = top_rows(memory.slopes, X.rows());
    squared_distances<Scalar>(X, W_, squared_norms_, M);
    for (Index i = 0; i < X.rows(); ++i)
      weigh_row(A[static_cast<std::size_t>(i)], row_of(M, i), memory.codes.row(i));
    add_products<Scalar>(M, X, to);
    add_totals<Scalar>(M, to);
  }

  void finish(Index atom, double total, const Scalar* products, Scalar* gradient) const override {
    const Scalar* w = row_of(W_, atom);
    for (Index j = 0; j < W_.cols(); ++j) {
      gradient[j] =
          static_cast<Scalar>(total * static_cast<double>(w[j]) - static_cast<double>(products[j]));
    }
  }

  double finish_shape(Index, double, const Scalar*, double) const override { return 0; }

 private:
  [[nodiscard]] Index K() const { return W_.rows(); }

  /// In: squared distances; out: distances. Returns their mean.
  [[nodiscard]] Scalar distances(Scalar* z) const {
    for (Index u = 0; u < K(); ++u) z[u] = std::sqrt(std::max(z[u], Scalar(0)));
    return static_cast<Scalar>(ordered_sum(z, K()) / static_cast<double>(K()));
  }

  /// In: squared distances; out: M. B: scratch.
  void weigh_row(const Scalar* A, Scalar* z, Scalar* B) const {
    const Scalar mean = distances(z);
    for (Index u = 0; u < K(); ++u) B[u] = z[u] < mean ? A[u] : Scalar(0);
    const auto mean_B = static_cast<Scalar>(ordered_sum(B, K()) / static_cast<double>(K()));
    for (Index u = 0; u < K(); ++u) z[u] = z[u] > 0 ? (mean_B - B[u]) / z[u] : Scalar(0);
  }

  ConstMatrixView<Scalar> W_;
  std::vector<Scalar> squared_norms_;
};

}  // namespace

bool has_derivative(EncoderKind kind) {
  return kind != EncoderKind::kHard && !is_lasso(kind) && !is_omp(kind);
}

template <class Scalar>
std::unique_ptr<const CodeLayer<Scalar>> CodeLayer<Scalar>::of(const CodedAtoms<Scalar>& atoms) {
  const EncoderKind kind = atoms.encoder.kind;
  require(has_derivative(kind), kName, "{} codes have no derivative and cannot be learned",
          name_of(kind));
  if (kind == EncoderKind::kKernel) return std::make_unique<const KernelLayer<Scalar>>(atoms);
  if (kind == EncoderKind::kTriangle) return std::make_unique<const TriangleLayer<Scalar>>(atoms);
  return std::make_unique<const ProductLayer<Scalar>>(atoms);
}

template class CodeLayer<float>;
template class CodeLayer<double>;

}  // namespace krica
