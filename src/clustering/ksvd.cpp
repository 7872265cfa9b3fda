// SPDX-License-Identifier: BSD-3-Clause
#include "clustering/ksvd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clustering/atom_updates.hpp"
#include "clustering/lloyd.hpp"
#include "clustering/option_fields.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "solvers/batch_omp.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "ksvd";
/// An atom with fewer users than a tenth of the mean is replaced; four are enough.
constexpr Index kEnoughUses = 4;

template <class Scalar>
class Dictionary {
 public:
  Dictionary(const Context& context, ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> start,
             const KsvdOptions& options)
      : context_(context),
        X_(X),
        options_(options),
        atoms_(start.rows(), start.cols()),
        codes_(X.rows(), std::min(options.nonzeros, start.rows())),
        residuals_(static_cast<std::size_t>(X.rows()), 0.0),
        users_(start.rows()) {
    for (Index u = 0; u < atoms_.rows(); ++u) {
      require(set_unit(start.data() + u * start.outerStride(), X.cols(), atoms_.row(u)), kName,
              "atom {} of the start is zero", u);
    }
  }

  [[nodiscard]] const Matrix<Scalar>& atoms() const { return atoms_; }
  Matrix<Scalar> take_atoms() { return std::move(atoms_); }

  /// Codes all samples; returns the cost.
  double code() {
    gram_ = {};  // before there is another
    const BatchOmp<Scalar> omp(context_, atoms_, {.nonzeros = options_.nonzeros});
    gram_ = Matrix<Scalar>::copy_of(omp.gram());
    return omp.encode(context_, X_, codes_, residuals_.data());
  }

  void update() {
    users_.list(codes_);
    update_atoms<Scalar>(context_, X_, users_, atoms_, gram_, codes_);
    replace(poor_atoms());
  }

 private:
  /// d_u·d_v of the directions that are compared, K×K.
  [[nodiscard]] Matrix<Scalar> similarities() const {
    const Index K = atoms_.rows();
    Matrix<Scalar> parts;
    if (options_.compared > 0 && options_.compared < atoms_.cols()) {
      parts = Matrix<Scalar>::copy_of(atoms_.view().leftCols(options_.compared));
      // Row by row: Eigen's rowwise() divides zero rows by zero.
      for (Index u = 0; u < K; ++u) parts.view().row(u).normalize();
    }
    const Matrix<Scalar>& compared = parts.size() > 0 ? parts : atoms_;
    Matrix<Scalar> gram(K, K);
    blas::gram_of_rows<Scalar>(context_, compared, gram);
    return gram;
  }

  /// Atoms with hardly any users, and later ones of pairs that nearly coincide.
  [[nodiscard]] std::vector<Index> poor_atoms() const {
    const Index K = atoms_.rows();
    const Index fewest = std::clamp<Index>(users_.total() / (10 * K), 1, kEnoughUses);
    const Matrix<Scalar> gram = similarities();
    std::vector<Index> poor;
    for (Index u = 0; u < K; ++u) {
      bool is_poor = std::ssize(users_.of(u)) < fewest;
      for (Index v = 0; v < u && !is_poor; ++v) {
        const double similarity = std::abs(static_cast<double>(gram(u, v)));
        is_poor =
            similarity > options_.coherence && !std::binary_search(poor.begin(), poor.end(), v);
      }
      if (is_poor) poor.push_back(u);
    }
    return poor;
  }

  /// Moves atoms to the worst-coded samples. One that finds only zeros stays.
  void replace(const std::vector<Index>& poor) {
    if (poor.empty()) return;
    const std::vector<Index> worst = lloyd::costliest(residuals_, poor.size());
    for (std::size_t e = 0; e < std::min(poor.size(), worst.size()); ++e)
      set_unit(X_.data() + worst[e] * X_.outerStride(), X_.cols(), atoms_.row(poor[e]));
  }

  const Context& context_;
  ConstMatrixView<Scalar> X_;
  const KsvdOptions& options_;
  Matrix<Scalar> atoms_;
  SparseCodes<Scalar> codes_;
  std::vector<double> residuals_;  // of the codes before the update
  AtomUsers users_;
  Matrix<Scalar> gram_;  // of the atoms before the update
};

template <class Scalar>
void check(ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> start, const KsvdOptions& options) {
  options.validate();
  require_not_empty(X, kName, "X");
  require_finite(X, kName, "X");
  lloyd::require_squares(X, kName, "X");
  require(X.rows() < std::numeric_limits<std::int32_t>::max(), kName, "{} samples are more than {}",
          X.rows(), std::numeric_limits<std::int32_t>::max());
  require(start.rows() == options.n_atoms && start.cols() == X.cols(), kName,
          "the start is {} x {}, it must be {} x {}", start.rows(), start.cols(), options.n_atoms,
          X.cols());
  require_finite(start, kName, "the start");
}

}  // namespace

void KsvdOptions::validate() const { require_bounds(*this, kName); }

template <class Scalar>
KsvdResult<Scalar> ksvd(const Context& context, ConstMatrixView<Scalar> X,
                        ConstMatrixView<Scalar> start, const KsvdOptions& options,
                        const ClusteringHook<Scalar>& hook) {
  check(X, start, options);
  Dictionary<Scalar> dictionary(context, X, start, options);
  KsvdResult<Scalar> result;
  result.cost = dictionary.code();
  while (!result.converged && result.iterations < options.max_iterations) {
    dictionary.update();
    const double next = dictionary.code();
    ++result.iterations;
    result.change = result.cost > 0 ? std::abs(result.cost - next) / result.cost : 0;
    result.converged = result.change <= options.tolerance;
    result.cost = next;
    if (hook) {
      hook({result.iterations, next, result.converged, dictionary.atoms()});
    } else {
      context.report({kName, result.iterations, options.max_iterations, next});
    }
  }
  result.atoms = dictionary.take_atoms();
  return result;
}

template KsvdResult<float> ksvd(const Context&, ConstMatrixView<float>, ConstMatrixView<float>,
                                const KsvdOptions&, const ClusteringHook<float>&);
template KsvdResult<double> ksvd(const Context&, ConstMatrixView<double>, ConstMatrixView<double>,
                                 const KsvdOptions&, const ClusteringHook<double>&);

}  // namespace krica
