// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/sparse_rbm.hpp"

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

constexpr std::string_view kName = "sparse_rbm";

template <class Scalar>
ConstMatrixView<Scalar> checked(ConstMatrixView<Scalar> X, const SparseRbmOptions& options) {
  require_samples(X, kName);
  options.validate();
  return X;
}

template <class Scalar>
double mean_square(const Context& context, ConstMatrixView<Scalar> X) {
  const Partition tiles(X.rows(), 1024);
  const double sum =
      ordered_reduce(context, tiles.count(), work_of(X.size(), kPerValue), [&](Index t) {
        double squares = 0;
        for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
          const Scalar* x = X.data() + i * X.outerStride();
          squares += ordered_dot(x, x, X.cols());
        }
        return squares;
      });
  require(sum > 0, kName, "the samples are all zero");
  return sum / static_cast<double>(X.rows() * X.cols());
}

/// The sums of one pass over the samples.
template <class Scalar>
struct Sums {
  double squared_error = 0;            // Σ ‖x' - x‖²
  std::vector<double> activity;        // Σ p(h | x)
  std::vector<double> model_activity;  // Σ p(h | x')
  std::vector<double> visible;         // Σ (x - x')
  Matrix<Scalar> products;             // P'ᵀX' - PᵀX

  Sums(Index K, Index n)
      : activity(static_cast<std::size_t>(K), 0.0),
        model_activity(static_cast<std::size_t>(K), 0.0),
        visible(static_cast<std::size_t>(n), 0.0),
        products(K, n) {}

  static auto members(auto& sums) {
    return std::tie(sums.squared_error, sums.activity, sums.model_activity, sums.visible,
                    sums.products);
  }
};

/// Positive and negative phase.
template <class Scalar>
class Phases {
 public:
  Phases(const Context& context, const PackedLayer<Scalar>& layer, double variance)
      : context_(context), layer_(layer), variance_(static_cast<Scalar>(variance)) {}

  /// One tile, single-threaded.
  void add(const Samples<Scalar>& batch, Range tile, Sums<Scalar>& sums) const {
    const ConstMatrixView<Scalar> X = batch.X.rows_between(tile.begin, tile.end);
    const Index K = layer_.weights.rows();
    Matrix<Scalar> P(X.rows(), K);
    Matrix<Scalar> model_P(X.rows(), K);  // first the sampled units, then p(h | x')
    Matrix<Scalar> model_X(X.rows(), X.cols());
    probabilities(X, P);
    for (Index i = 0; i < X.rows(); ++i) {
      draw(P.row(i), batch.sample(tile.begin + i), model_P.row(i));
      std::copy(layer_.visible_bias, layer_.visible_bias + X.cols(), model_X.row(i));
    }
    blas::gemm<Scalar>(Op::kPlain, Op::kPlain, variance_, model_P, layer_.weights, Scalar(1),
                       model_X);
    probabilities(model_X, model_P);
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index j = 0; j < X.cols(); ++j) {
        const auto difference = static_cast<double>(model_X(i, j) - X(i, j));
        sums.squared_error += difference * difference;
      }
    }
    add_columns(P, Scalar(1), sums.activity);
    add_columns(model_P, Scalar(1), sums.model_activity);
    add_columns<ConstMatrixView<Scalar>>(X, Scalar(1), sums.visible);
    add_columns(model_X, Scalar(-1), sums.visible);
    blas::gemm<Scalar>(Op::kTransposed, Op::kPlain, Scalar(-1), P, X, Scalar(1), sums.products);
    blas::gemm<Scalar>(Op::kTransposed, Op::kPlain, Scalar(1), model_P, model_X, Scalar(1),
                       sums.products);
  }

 private:
  void probabilities(ConstMatrixView<Scalar> x, MatrixView<Scalar> p) const {
    blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), x, layer_.weights, Scalar(0), p);
    for (Index i = 0; i < p.rows(); ++i)
      sigmoid_in_place<Scalar>(p.data() + i * p.outerStride(), layer_.bias);
  }

  void draw(const Scalar* p, Index sample, Scalar* h) const {
    Random random = context_.random("rbm.hidden", static_cast<std::uint64_t>(sample));
    for (std::size_t u = 0; u < layer_.bias.size(); ++u)
      h[u] = random.uniform() < static_cast<double>(p[u]) ? Scalar(1) : Scalar(0);
  }

  template <class Rows>
  static void add_columns(const Rows& matrix, Scalar sign, std::vector<double>& sums) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      for (Index u = 0; u < matrix.cols(); ++u)
        sums[static_cast<std::size_t>(u)] += static_cast<double>(sign * matrix(i, u));
    }
  }

  const Context& context_;
  const PackedLayer<Scalar>& layer_;
  Scalar variance_;
};

}  // namespace

void SparseRbmOptions::validate() const {
  require(n_components > 0, kName, "components must be > 0, got {}", n_components);
  require(std::isfinite(sparsity) && sparsity >= 0, kName,
          "sparsity must be finite and >= 0, got {}", sparsity);
  require(sparsity_target > 0 && sparsity_target < 1, kName,
          "sparsity_target must lie between 0 and 1, got {}", sparsity_target);
}

template <class Scalar>
SparseRbmObjective<Scalar>::SparseRbmObjective(const Context& context, ConstMatrixView<Scalar> X,
                                               const SparseRbmOptions& options)
    : EvaluatedObjective<Scalar>(kName, checked(X, options), options.n_components + 1,
                                 X.cols() + 1),
      options_(options),
      variance_(mean_square(context, X)) {}

template <class Scalar>
double SparseRbmObjective<Scalar>::evaluate_on(const Context& context, const Samples<Scalar>& batch,
                                               ConstMatrixView<Scalar> packed,
                                               MatrixView<Scalar>* gradient) {
  const Index n = batch.X.cols();
  const PackedLayer<Scalar> layer(packed, n);
  const auto K = static_cast<Index>(layer.bias.size());
  const Phases<Scalar> phases(context, layer, variance_);
  const Partition parts = sum_parts(batch.X.rows(), kTileRows);
  const Work work = work_of(batch.X.rows(), K, 5 * n + 3 * kPerExp);
  const auto sums = ordered_reduce<Sums<Scalar>>(
      sharing(context), parts.count(), work, [&] { return Sums<Scalar>(K, n); },
      [&](Index part, Sums<Scalar>& sum) {
        for_tiles(parts[part], kTileRows, [&](Range tile) { phases.add(batch, tile, sum); });
      });
  const auto m = static_cast<double>(batch.X.rows());
  const double target = options_.sparsity_target;
  double value = sums.squared_error / (2 * m);
  if (gradient != nullptr) gradient->setZero();
  for (Index u = 0; u < K; ++u) {
    const double mean = sums.activity[static_cast<std::size_t>(u)] / m;
    value += options_.sparsity * activity_penalty(target, mean).value;
    if (gradient == nullptr) continue;
    for (Index j = 0; j < n; ++j)
      (*gradient)(u, j) = static_cast<Scalar>(static_cast<double>(sums.products(u, j)) / m);
    (*gradient)(u, n) = static_cast<Scalar>(sums.model_activity[static_cast<std::size_t>(u)] / m -
                                            mean + options_.sparsity * (mean - target));
  }
  for (Index j = 0; gradient != nullptr && j < n; ++j) {
    (*gradient)(K, j) =
        static_cast<Scalar>(-sums.visible[static_cast<std::size_t>(j)] / (m * variance_));
  }
  return value;
}

template class SparseRbmObjective<float>;
template class SparseRbmObjective<double>;

}  // namespace krica
