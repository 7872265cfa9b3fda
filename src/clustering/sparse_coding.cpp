// SPDX-License-Identifier: BSD-3-Clause
#include "clustering/sparse_coding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "clustering/lloyd.hpp"
#include "clustering/option_fields.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/weighted_rows.hpp"
#include "solvers/gram_lasso.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "sparse_coding";
constexpr Index kTileRows = 128;
constexpr double kCodeTolerance = 1e-5;
/// Passes over the atoms between two codings, until the largest step is below kSettled.
constexpr int kPasses = 10;
constexpr double kSettled = 1e-4;
constexpr double kShortest = 1e-6;

/// What the codes of many samples say about the atoms.
template <class Scalar>
struct CodeSums {
  Matrix<Scalar> products;  ///< A = SᵀS
  Matrix<Scalar> samples;   ///< B = SᵀX
  double cost = 0;

  CodeSums(Index K, Index n) : products(K, K), samples(K, n) {}
  static auto members(auto& sums) { return std::tie(sums.products, sums.samples, sums.cost); }
};

template <class Scalar>
class Coding {
 public:
  Coding(const Context& context, ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> start,
         const SparseCodingOptions& options)
      : context_(context),
        X_(X),
        options_(options),
        atoms_(Matrix<Scalar>::copy_of(start)),
        costs_(static_cast<std::size_t>(X.rows()), 0.0),
        sums_(0, 0) {
    for (Index u = 0; u < atoms_.rows(); ++u) {
      require(length_of(u) > kShortest, kName, "atom {} of the start has the length {}", u,
              length_of(u));
      bound_length(u);
    }
  }

  [[nodiscard]] const Matrix<Scalar>& atoms() const { return atoms_; }
  void set_atoms(Matrix<Scalar> atoms) { atoms_ = std::move(atoms); }

  /// Codes all samples; returns f.
  double code() {
    const GramLasso<Scalar> lasso = this->lasso();
    const Index K = atoms_.rows();
    const Partition parts = sum_parts(X_.rows(), std::max<Index>(1024, K));
    sums_ = ordered_reduce<CodeSums<Scalar>>(
        context_, parts.count(), Work{}, [&] { return CodeSums<Scalar>(K, X_.cols()); },
        [&](Index part, CodeSums<Scalar>& sums) {
          for_tiles(parts[part], kTileRows, [&](Range tile) { code_tile(lasso, tile, sums); });
        });
    return sums_.cost / static_cast<double>(X_.rows());
  }

  /// Whether any sample has an atom in its code.
  [[nodiscard]] bool coded() const { return sums_.products.view().diagonal().maxCoeff() > 0; }

  void update() {
    replace_unused();
    for (int pass = 0; pass < kPasses; ++pass) {
      context_.check_cancelled();
      double largest = 0;
      for (Index u = 0; u < atoms_.rows(); ++u) largest = std::max(largest, update_atom(u));
      if (largest < kSettled) break;
    }
  }

 private:
  [[nodiscard]] double length_of(Index u) const {
    return std::sqrt(ordered_dot(atoms_.row(u), atoms_.row(u), atoms_.cols()));
  }

  /// An atom within the bound keeps its bits, so that a run resumed from its own atoms continues as
  /// if it had not stopped.
  void bound_length(Index u) {
    const double length = length_of(u);
    if (length <= 1 + 4 * std::numeric_limits<Scalar>::epsilon()) return;
    atoms_.view().row(u) /= static_cast<Scalar>(length);
  }

  [[nodiscard]] GramLasso<Scalar> lasso() const {
    Matrix<Scalar> gram(atoms_.rows(), atoms_.rows());
    blas::gemm<Scalar>(context_, blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), atoms_, atoms_,
                       Scalar(0), gram);
    return {gram, {.sparsity = 2 * options_.sparsity, .tolerance = kCodeTolerance}};
  }

  void code_tile(const GramLasso<Scalar>& lasso, Range tile, CodeSums<Scalar>& sums) {
    context_.check_cancelled();
    const auto K = static_cast<std::size_t>(atoms_.rows());
    const ConstMatrixView<Scalar> samples = X_.rows_between(tile.begin, tile.end);
    Matrix<Scalar> correlations(tile.size(), atoms_.rows());
    blas::gemm<Scalar>(blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), samples, atoms_,
                       Scalar(0), correlations);
    std::vector<Scalar> code(K);
    std::vector<std::int32_t> support;
    for (Index i = 0; i < tile.size(); ++i) {
      const Scalar* x = samples.data() + i * samples.outerStride();
      std::fill(code.begin(), code.end(), Scalar(0));
      const double self = ordered_dot(x, x, X_.cols());
      const double cost = lasso.solve({correlations.row(i), K}, self, code, &support).value / 2;
      costs_[static_cast<std::size_t>(tile.begin + i)] = cost;
      sums.cost += cost;
      add(x, code, support, sums);
    }
  }

  void add(const Scalar* x, const std::vector<Scalar>& code,
           const std::vector<std::int32_t>& support, CodeSums<Scalar>& sums) const {
    for (const std::int32_t u : support) {
      const Scalar value = code[static_cast<std::size_t>(u)];
      Scalar* products = sums.products.row(u);
      for (const std::int32_t v : support) products[v] += value * code[static_cast<std::size_t>(v)];
      Scalar* sample = sums.samples.row(u);
      for (Index j = 0; j < X_.cols(); ++j) sample[j] += value * x[j];
    }
  }

  /// Returns the length of the step.
  double update_atom(Index u) {
    const Scalar weight = sums_.products(u, u);
    if (!(weight > 0)) return 0;
    const Index n = atoms_.cols();
    std::vector<Scalar> step(sums_.samples.row(u), sums_.samples.row(u) + n);
    subtract_rows<Scalar>(step.data(), atoms_, all_, sums_.products.row(u), step.data());
    const std::vector<Scalar> before(atoms_.row(u), atoms_.row(u) + n);
    for (Index j = 0; j < n; ++j) atoms_(u, j) += step[static_cast<std::size_t>(j)] / weight;
    // An atom of length 0 could not be used again.
    if (!(length_of(u) > kShortest)) std::copy(before.begin(), before.end(), atoms_.row(u));
    bound_length(u);
    return std::sqrt(ordered_squared_distance(before.data(), atoms_.row(u), n));
  }

  void replace_unused() {
    std::vector<Index> unused;
    for (Index u = 0; u < atoms_.rows(); ++u) {
      if (!(sums_.products(u, u) > 0)) unused.push_back(u);
    }
    const std::vector<Index> worst = lloyd::costliest(costs_, unused.size());
    for (std::size_t e = 0; e < std::min(unused.size(), worst.size()); ++e) {
      const Scalar* x = X_.data() + worst[e] * X_.outerStride();
      const double length = std::sqrt(ordered_dot(x, x, X_.cols()));
      if (!(length > 0)) continue;
      for (Index j = 0; j < X_.cols(); ++j)
        atoms_(unused[e], j) = static_cast<Scalar>(static_cast<double>(x[j]) / length);
    }
  }

  const Context& context_;
  ConstMatrixView<Scalar> X_;
  const SparseCodingOptions& options_;
  Matrix<Scalar> atoms_;
  std::vector<double> costs_;
  CodeSums<Scalar> sums_;
  std::vector<std::int32_t> all_ = every_atom();  // 0, 1, ..., K - 1

  [[nodiscard]] std::vector<std::int32_t> every_atom() const {
    std::vector<std::int32_t> all(static_cast<std::size_t>(atoms_.rows()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
};

template <class Scalar>
void check(ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> start,
           const SparseCodingOptions& options) {
  options.validate();
  require_not_empty(X, kName, "X");
  require_finite(X, kName, "X");
  lloyd::require_squares(X, kName, "X");
  require(start.rows() == options.n_atoms && start.cols() == X.cols(), kName,
          "the start is {} x {}, it must be {} x {}", start.rows(), start.cols(), options.n_atoms,
          X.cols());
  require_finite(start, kName, "the start");
}

}  // namespace

void SparseCodingOptions::validate() const { require_bounds(*this, kName); }

template <class Scalar>
SparseCodingResult<Scalar> sparse_coding(const Context& context, ConstMatrixView<Scalar> X,
                                         ConstMatrixView<Scalar> start,
                                         const SparseCodingOptions& options,
                                         const ClusteringHook<Scalar>& hook) {
  check(X, start, options);
  Coding<Scalar> coding(context, X, start, options);
  SparseCodingResult<Scalar> result;
  result.cost = coding.code();
  while (!result.converged && result.iterations < options.max_iterations) {
    Matrix<Scalar> before = coding.atoms();
    coding.update();
    const double next = coding.code();
    ++result.iterations;
    result.change = result.cost > 0 ? (result.cost - next) / result.cost : 0;
    result.converged = result.change <= options.tolerance;
    if (next > result.cost) coding.set_atoms(std::move(before));
    result.cost = std::min(next, result.cost);
    if (hook) {
      hook({result.iterations, result.cost, result.converged, coding.atoms()});
    } else {
      context.report({kName, result.iterations, options.max_iterations, result.cost});
    }
  }
  result.atoms = coding.atoms();
  result.coded = coding.coded();
  return result;
}

template SparseCodingResult<float> sparse_coding(const Context&, ConstMatrixView<float>,
                                                 ConstMatrixView<float>, const SparseCodingOptions&,
                                                 const ClusteringHook<float>&);
template SparseCodingResult<double> sparse_coding(const Context&, ConstMatrixView<double>,
                                                  ConstMatrixView<double>,
                                                  const SparseCodingOptions&,
                                                  const ClusteringHook<double>&);

}  // namespace krica
