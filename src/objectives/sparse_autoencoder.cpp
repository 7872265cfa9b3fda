// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/sparse_autoencoder.hpp"

#include <cmath>

#include "objectives/activity_penalty.hpp"
#include "objectives/packed_layer.hpp"
#include "objectives/sigmoid.hpp"
#include "runtime/blas.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

using blas::Op;

constexpr std::string_view kName = "sparse_autoencoder";

template <class Scalar>
ConstMatrixView<Scalar> checked(ConstMatrixView<Scalar> X,
                                const SparseAutoencoderOptions& options) {
  require_not_empty(X, kName, "X");
  options.validate();
  return X;
}

/// Sums over the samples, in the order of tiles and blocks.
template <class Scalar>
class Pass {
 public:
  Pass(const Context& context, const PackedLayer<Scalar>& layer, bool with_gradient)
      : context_(context),
        layer_(layer),
        with_gradient_(with_gradient),
        activity_(layer.bias.size(), 0.0),
        error_bias_(static_cast<std::size_t>(layer.weights.cols()), 0.0),
        slope_bias_(layer.bias.size(), 0.0),
        pull_bias_(layer.bias.size(), 0.0) {
    if (!with_gradient) return;
    const Index K = layer.weights.rows();
    const Index n = layer.weights.cols();
    pull_ = Matrix<Scalar>(K, n);
    slope_ = Matrix<Scalar>(K, n);
    decode_ = Matrix<Scalar>(K, n);
  }

  void run(ConstMatrixView<Scalar> X) {
    const Partition blocks(X.rows(), block_rows_for<Scalar>(0, layer_.weights.rows()));
    for (Index b = 0; b < blocks.count(); ++b)
      add_block(X.rows_between(blocks[b].begin, blocks[b].end));
  }

  [[nodiscard]] double squared_error() const { return squared_error_; }  // Σ ‖x̂ - x‖²
  [[nodiscard]] const std::vector<double>& activity() const { return activity_; }      // Σ h
  [[nodiscard]] const std::vector<double>& error_bias() const { return error_bias_; }  // Σ e
  [[nodiscard]] const std::vector<double>& slope_bias() const { return slope_bias_; }  // Σ h'
  [[nodiscard]] const std::vector<double>& pull_bias() const { return pull_bias_; }  // Σ (EVᵀ ∘ H')
  [[nodiscard]] const Matrix<Scalar>& pull() const { return pull_; }      // (EVᵀ ∘ H')ᵀX
  [[nodiscard]] const Matrix<Scalar>& slope() const { return slope_; }    // H'ᵀX
  [[nodiscard]] const Matrix<Scalar>& decode() const { return decode_; }  // HᵀE

 private:
  void add_block(ConstMatrixView<Scalar> X) {
    const Index K = layer_.weights.rows();
    Matrix<Scalar> H(X.rows(), K);
    Matrix<Scalar> E(X.rows(), X.cols());
    Matrix<Scalar> P(with_gradient_ ? X.rows() : 0, K);  // E Vᵀ ∘ H'
    const Partition tiles(X.rows(), kTileRows);
    const Work work = work_of(X.rows(), K, (with_gradient_ ? 3 : 2) * X.cols() + kPerExp);
    squared_error_ += parallel_sum(context_, tiles.count(), work, [&](Index t) {
      const Range tile = tiles[t];
      const auto rows = [&](Matrix<Scalar>& matrix) {
        return MatrixView<Scalar>(matrix).rows_between(tile.begin, tile.end);
      };
      const ConstMatrixView<Scalar> x = X.rows_between(tile.begin, tile.end);
      blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), x, layer_.weights, Scalar(0),
                         rows(H));
      for (Index i = tile.begin; i < tile.end; ++i) sigmoid_in_place<Scalar>(H.row(i), layer_.bias);
      for (Index i = tile.begin; i < tile.end; ++i) {
        for (Index j = 0; j < X.cols(); ++j) E(i, j) = layer_.visible_bias[j] - X(i, j);
      }
      blas::gemm<Scalar>(Op::kPlain, Op::kPlain, Scalar(1), rows(H), layer_.decoder, Scalar(1),
                         rows(E));
      if (with_gradient_) {
        blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), rows(E), layer_.decoder,
                           Scalar(0), rows(P));
        rows(P).array() *= rows(H).array() * (Scalar(1) - rows(H).array());
      }
      return ordered_dot<Scalar>(E.row(tile.begin), E.row(tile.begin), tile.size() * X.cols());
    });
    add_columns(H, activity_);
    if (!with_gradient_) return;
    add_columns(E, error_bias_);
    add_columns(P, pull_bias_);
    add_product(P, X, pull_);
    add_product(H, E, decode_);
    H.view().array() *= Scalar(1) - H.view().array();  // H'
    add_columns(H, slope_bias_);
    add_product(H, X, slope_);
  }

  static void add_columns(const Matrix<Scalar>& matrix, std::vector<double>& sums) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      for (Index u = 0; u < matrix.cols(); ++u)
        sums[static_cast<std::size_t>(u)] += static_cast<double>(matrix(i, u));
    }
  }

  void add_product(const Matrix<Scalar>& A, ConstMatrixView<Scalar> B, Matrix<Scalar>& sum) {
    blas::gemm<Scalar>(context_, Op::kTransposed, Op::kPlain, Scalar(1), A, B, Scalar(1), sum);
  }

  const Context& context_;
  const PackedLayer<Scalar>& layer_;
  bool with_gradient_;
  double squared_error_ = 0;
  std::vector<double> activity_;
  std::vector<double> error_bias_;
  std::vector<double> slope_bias_;
  std::vector<double> pull_bias_;
  Matrix<Scalar> pull_;
  Matrix<Scalar> slope_;
  Matrix<Scalar> decode_;
};

/// The gradient from the sums; t as in the header.
template <class Scalar>
void fill_gradient(const Pass<Scalar>& pass, const PackedLayer<Scalar>& layer,
                   const std::vector<double>& t, double m, const SparseAutoencoderOptions& options,
                   MatrixView<Scalar> gradient) {
  const Index K = layer.weights.rows();
  const Index n = layer.weights.cols();
  gradient.setZero();
  for (Index u = 0; u < K; ++u) {
    const auto place = static_cast<std::size_t>(u);
    for (Index j = 0; j < n; ++j) {
      double w = (static_cast<double>(pass.pull()(u, j)) +
                  t[place] * static_cast<double>(pass.slope()(u, j))) /
                     m +
                 options.weight_decay * static_cast<double>(layer.weights(u, j));
      const double v = static_cast<double>(pass.decode()(u, j)) / m;
      if (options.untied) {
        gradient(u, n + 1 + j) = static_cast<Scalar>(
            v + options.weight_decay * static_cast<double>(layer.decoder(u, j)));
      } else {
        w += v;
      }
      gradient(u, j) = static_cast<Scalar>(w);
    }
    gradient(u, n) =
        static_cast<Scalar>((pass.pull_bias()[place] + t[place] * pass.slope_bias()[place]) / m);
  }
  for (Index j = 0; j < n; ++j)
    gradient(K, j) = static_cast<Scalar>(pass.error_bias()[static_cast<std::size_t>(j)] / m);
}

template <class Scalar>
double squared_norm(ConstMatrixView<Scalar> matrix) {
  double sum = 0;
  for (Index u = 0; u < matrix.rows(); ++u) {
    const Scalar* row = matrix.data() + u * matrix.outerStride();
    sum += ordered_dot(row, row, matrix.cols());
  }
  return sum;
}

}  // namespace

void SparseAutoencoderOptions::validate() const {
  require(n_components > 0, kName, "components must be > 0, got {}", n_components);
  require(std::isfinite(sparsity) && sparsity >= 0, kName,
          "sparsity must be finite and >= 0, got {}", sparsity);
  require(sparsity_target > 0 && sparsity_target < 1, kName,
          "sparsity_target must lie between 0 and 1, got {}", sparsity_target);
  require(std::isfinite(weight_decay) && weight_decay >= 0, kName,
          "weight_decay must be finite and >= 0, got {}", weight_decay);
}

template <class Scalar>
SparseAutoencoderObjective<Scalar>::SparseAutoencoderObjective(
    const Context& context, ConstMatrixView<Scalar> X, const SparseAutoencoderOptions& options)
    : EvaluatedObjective<Scalar>(kName, context, checked(X, options), options.n_components + 1,
                                 options.untied ? 2 * X.cols() + 1 : X.cols() + 1),
      options_(options) {}

template <class Scalar>
double SparseAutoencoderObjective<Scalar>::evaluate_on(const Samples<Scalar>& batch,
                                                       ConstMatrixView<Scalar> packed,
                                                       MatrixView<Scalar>* gradient) {
  const PackedLayer<Scalar> layer(packed, batch.X.cols());
  Pass<Scalar> pass(this->context(), layer, gradient != nullptr);
  pass.run(batch.X);
  const auto m = static_cast<double>(batch.X.rows());
  double value =
      pass.squared_error() / (2 * m) +
      options_.weight_decay / 2 *
          (squared_norm(layer.weights) + (options_.untied ? squared_norm(layer.decoder) : 0.0));
  std::vector<double> t;
  for (const double sum : pass.activity()) {
    const ActivityPenalty penalty = activity_penalty(options_.sparsity_target, sum / m);
    value += options_.sparsity * penalty.value;
    t.push_back(options_.sparsity * penalty.slope);
  }
  if (gradient != nullptr) fill_gradient(pass, layer, t, m, options_, *gradient);
  return value;
}

template class SparseAutoencoderObjective<float>;
template class SparseAutoencoderObjective<double>;

}  // namespace krica
