// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/sparse_autoencoder.hpp"

#include <cmath>

#include "objectives/activity_penalty.hpp"
#include "objectives/packed_layer.hpp"
#include "objectives/sigmoid.hpp"
#include "runtime/blas.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/sharing.hpp"

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

/// Sums over samples; those that only the gradient needs are empty without it.
template <class Scalar>
struct Sums {
  double squared_error = 0;        // Σ ‖x̂ - x‖²
  std::vector<double> activity;    // Σ h
  std::vector<double> error_bias;  // Σ e
  std::vector<double> slope_bias;  // Σ h'
  std::vector<double> pull_bias;   // Σ (EVᵀ ∘ H')
  Matrix<Scalar> pull;             // (EVᵀ ∘ H')ᵀX
  Matrix<Scalar> slope;            // H'ᵀX
  Matrix<Scalar> decode;           // HᵀE

  Sums(Index K, Index n, bool with_gradient)
      : activity(static_cast<std::size_t>(K), 0.0),
        error_bias(static_cast<std::size_t>(n), 0.0),
        slope_bias(activity),
        pull_bias(activity),
        pull(with_gradient ? K : 0, n),
        slope(with_gradient ? K : 0, n),
        decode(with_gradient ? K : 0, n) {}

  static auto members(auto& sums) {
    return std::tie(sums.squared_error, sums.activity, sums.error_bias, sums.slope_bias,
                    sums.pull_bias, sums.pull, sums.slope, sums.decode);
  }
};

template <class Scalar>
void add_columns(const Matrix<Scalar>& matrix, std::vector<double>& sums) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index u = 0; u < matrix.cols(); ++u)
      sums[static_cast<std::size_t>(u)] += static_cast<double>(matrix(i, u));
  }
}

/// sum += AᵀB.
template <class Scalar>
void add_product(const Matrix<Scalar>& A, ConstMatrixView<Scalar> B, Matrix<Scalar>& sum) {
  blas::gemm<Scalar>(Op::kTransposed, Op::kPlain, Scalar(1), A, B, Scalar(1), sum);
}

/// One tile, single-threaded.
template <class Scalar>
void add_tile(const PackedLayer<Scalar>& layer, ConstMatrixView<Scalar> X, bool with_gradient,
              Sums<Scalar>& sums) {
  const Index K = layer.weights.rows();
  Matrix<Scalar> H(X.rows(), K);
  Matrix<Scalar> E(X.rows(), X.cols());
  blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), X, layer.weights, Scalar(0), H);
  for (Index i = 0; i < X.rows(); ++i) {
    sigmoid_in_place<Scalar>(H.row(i), layer.bias);
    for (Index j = 0; j < X.cols(); ++j) E(i, j) = layer.visible_bias[j] - X(i, j);
  }
  blas::gemm<Scalar>(Op::kPlain, Op::kPlain, Scalar(1), H, layer.decoder, Scalar(1), E);
  sums.squared_error += ordered_dot<Scalar>(E.data(), E.data(), E.size());
  add_columns(H, sums.activity);
  if (!with_gradient) return;
  Matrix<Scalar> P(X.rows(), K);  // E Vᵀ ∘ H'
  blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), E, layer.decoder, Scalar(0), P);
  P.view().array() *= H.view().array() * (Scalar(1) - H.view().array());
  add_columns(E, sums.error_bias);
  add_columns(P, sums.pull_bias);
  add_product<Scalar>(P, X, sums.pull);
  add_product<Scalar>(H, E, sums.decode);
  H.view().array() *= Scalar(1) - H.view().array();  // H'
  add_columns(H, sums.slope_bias);
  add_product<Scalar>(H, X, sums.slope);
}

template <class Scalar>
Sums<Scalar> sums_over(const Context& context, const PackedLayer<Scalar>& layer,
                       ConstMatrixView<Scalar> X, bool with_gradient) {
  const Index K = layer.weights.rows();
  const Partition parts = sum_parts(X.rows(), kTileRows);
  const Work work = work_of(X.rows(), K, (with_gradient ? 6 : 2) * X.cols() + kPerExp);
  return ordered_reduce<Sums<Scalar>>(
      context, parts.count(), work, [&] { return Sums<Scalar>(K, X.cols(), with_gradient); },
      [&](Index part, Sums<Scalar>& sums) {
        for_tiles(parts[part], kTileRows, [&](Range tile) {
          add_tile(layer, X.rows_between(tile.begin, tile.end), with_gradient, sums);
        });
      });
}

/// Computes the gradient from the sums; t as in the header.
template <class Scalar>
void fill_gradient(const Sums<Scalar>& sums, const PackedLayer<Scalar>& layer,
                   const std::vector<double>& t, double m, const SparseAutoencoderOptions& options,
                   MatrixView<Scalar> gradient) {
  const Index K = layer.weights.rows();
  const Index n = layer.weights.cols();
  gradient.setZero();
  for (Index u = 0; u < K; ++u) {
    const auto place = static_cast<std::size_t>(u);
    for (Index j = 0; j < n; ++j) {
      double w = (static_cast<double>(sums.pull(u, j)) +
                  t[place] * static_cast<double>(sums.slope(u, j))) /
                     m +
                 options.weight_decay * static_cast<double>(layer.weights(u, j));
      const double v = static_cast<double>(sums.decode(u, j)) / m;
      if (options.untied) {
        gradient(u, n + 1 + j) = static_cast<Scalar>(
            v + options.weight_decay * static_cast<double>(layer.decoder(u, j)));
      } else {
        w += v;
      }
      gradient(u, j) = static_cast<Scalar>(w);
    }
    gradient(u, n) =
        static_cast<Scalar>((sums.pull_bias[place] + t[place] * sums.slope_bias[place]) / m);
  }
  for (Index j = 0; j < n; ++j)
    gradient(K, j) = static_cast<Scalar>(sums.error_bias[static_cast<std::size_t>(j)] / m);
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
    ConstMatrixView<Scalar> X, const SparseAutoencoderOptions& options)
    : EvaluatedObjective<Scalar>(kName, checked(X, options), options.n_components + 1,
                                 options.untied ? 2 * X.cols() + 1 : X.cols() + 1),
      options_(options) {}

template <class Scalar>
double SparseAutoencoderObjective<Scalar>::evaluate_on(const Context& context,
                                                       const Samples<Scalar>& batch,
                                                       ConstMatrixView<Scalar> packed,
                                                       MatrixView<Scalar>* gradient) {
  const PackedLayer<Scalar> layer(packed, batch.X.cols());
  const Sums<Scalar> sums = sums_over(sharing(context), layer, batch.X, gradient != nullptr);
  const auto m = static_cast<double>(batch.X.rows());
  double value =
      sums.squared_error / (2 * m) +
      options_.weight_decay / 2 *
          (squared_norm(layer.weights) + (options_.untied ? squared_norm(layer.decoder) : 0.0));
  std::vector<double> t;
  for (const double sum : sums.activity) {
    const ActivityPenalty penalty = activity_penalty(options_.sparsity_target, sum / m);
    value += options_.sparsity * penalty.value;
    t.push_back(options_.sparsity * penalty.slope);
  }
  if (gradient != nullptr) fill_gradient(sums, layer, t, m, options_, *gradient);
  return value;
}

template class SparseAutoencoderObjective<float>;
template class SparseAutoencoderObjective<double>;

}  // namespace krica
