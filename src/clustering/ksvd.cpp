// SPDX-License-Identifier: BSD-3-Clause
#include "clustering/ksvd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clustering/lloyd.hpp"
#include "clustering/option_fields.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/weighted_rows.hpp"
#include "solvers/batch_omp.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "ksvd";
/// Samples whose part in an atom is summed at once.
constexpr Index kUsers = 1024;
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
        first_user_(static_cast<std::size_t>(start.rows()) + 1, 0) {
    for (Index u = 0; u < atoms_.rows(); ++u)
      require(set_atom(u, start.data() + u * start.outerStride()), kName,
              "atom {} of the start is zero", u);
  }

  [[nodiscard]] const Matrix<Scalar>& atoms() const { return atoms_; }
  Matrix<Scalar> take_atoms() { return std::move(atoms_); }

  /// Codes all samples; returns the cost.
  double code() {
    const BatchOmp<Scalar> omp(context_, atoms_, {.nonzeros = options_.nonzeros});
    return omp.encode(context_, X_, codes_, residuals_.data());
  }

  void update() {
    list_users();
    for (Index u = 0; u < atoms_.rows(); ++u) {
      if (u % 64 == 0) context_.check_cancelled();
      update_atom(u);
    }
    replace(poor_atoms());
  }

 private:
  struct User {
    std::int32_t sample;
    std::int32_t slot;  // of the atom in the sample's code
  };

  /// Scales the row to unit length; false if it is zero. A row that already has length 1 up to
  /// rounding keeps its bits, so that a run resumed from its own atoms continues as if it had not
  /// stopped.
  template <class From>
  bool set_atom(Index u, const From* row) {
    const Index n = X_.cols();
    double length = std::sqrt(ordered_dot<From>(row, row, n));
    if (!(length > 0)) return false;
    if (std::abs(length - 1) < 4 * std::numeric_limits<Scalar>::epsilon()) length = 1;
    for (Index j = 0; j < n; ++j)
      atoms_(u, j) = static_cast<Scalar>(static_cast<double>(row[j]) / length);
    return true;
  }

  [[nodiscard]] std::span<const User> users(Index u) const {
    const auto begin = first_user_[static_cast<std::size_t>(u)];
    const auto end = first_user_[static_cast<std::size_t>(u) + 1];
    return {users_.data() + begin, static_cast<std::size_t>(end - begin)};
  }

  /// The samples that use each atom, in their order.
  void list_users() {
    std::fill(first_user_.begin(), first_user_.end(), 0);
    for (Index i = 0; i < codes_.samples(); ++i) {
      for (const std::int32_t u : codes_.atoms(i)) ++first_user_[static_cast<std::size_t>(u) + 1];
    }
    for (std::size_t u = 1; u < first_user_.size(); ++u) first_user_[u] += first_user_[u - 1];
    users_.resize(static_cast<std::size_t>(first_user_.back()));
    std::vector<Index> next(first_user_.begin(), first_user_.end() - 1);
    for (Index i = 0; i < codes_.samples(); ++i) {
      std::int32_t slot = 0;
      for (const std::int32_t u : codes_.atoms(i)) {
        users_[static_cast<std::size_t>(next[static_cast<std::size_t>(u)]++)] = {
            static_cast<std::int32_t>(i), slot++};
      }
    }
  }

  [[nodiscard]] Work work_on(std::span<const User> users) const {
    return work_of(std::ssize(users), X_.cols() + codes_.capacity(), kPerValue);
  }

  void update_atom(Index u) {
    const std::span<const User> users = this->users(u);
    if (users.empty()) return;
    const Share share = share_of(users);
    std::vector<std::int32_t> others;
    std::vector<Scalar> weights;
    for (Index v = 0; v < atoms_.rows(); ++v) {
      if (v == u || share.codes[static_cast<std::size_t>(v)] == 0) continue;
      others.push_back(static_cast<std::int32_t>(v));
      weights.push_back(static_cast<Scalar>(share.codes[static_cast<std::size_t>(v)]));
    }
    std::vector<Scalar> row(share.samples.begin(), share.samples.end());
    subtract_rows<Scalar>(row.data(), atoms_, others, weights.data(), row.data());
    if (!set_atom(u, row.data())) return;
    update_codes(u, users, others);
  }

  /// X_Iᵀg, and S_Iᵀg of every atom.
  struct Share {
    std::vector<double> samples;
    std::vector<double> codes;
    static auto members(auto& share) { return std::tie(share.samples, share.codes); }
  };

  [[nodiscard]] Share share_of(std::span<const User> users) const {
    const Partition parts(std::ssize(users), kUsers);
    return ordered_reduce<Share>(
        context_, parts.count(), work_on(users),
        [&] {
          return Share{std::vector<double>(static_cast<std::size_t>(X_.cols()), 0.0),
                       std::vector<double>(static_cast<std::size_t>(atoms_.rows()), 0.0)};
        },
        [&](Index part, Share& share) {
          const auto [begin, end] = parts[part];
          add_share(
              users.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
              share);
        });
  }

  void add_share(std::span<const User> users, Share& share) const {
    std::vector<std::int32_t> samples;
    std::vector<Scalar> weights;
    for (const User& user : users) {
      const auto values = codes_.values(user.sample);
      const Scalar own = values[static_cast<std::size_t>(user.slot)];
      samples.push_back(user.sample);
      weights.push_back(-own);
      const auto atoms = codes_.atoms(user.sample);
      for (std::size_t t = 0; t < atoms.size(); ++t) {
        share.codes[static_cast<std::size_t>(atoms[t])] +=
            static_cast<double>(own) * static_cast<double>(values[t]);
      }
    }
    std::vector<Scalar> sum(static_cast<std::size_t>(X_.cols()), Scalar(0));
    subtract_rows<Scalar>(sum.data(), X_, samples, weights.data(), sum.data());
    for (std::size_t j = 0; j < sum.size(); ++j) share.samples[j] += static_cast<double>(sum[j]);
  }

  /// g_i = x_i·d - Σ_{v≠u} s_iv d_v·d.
  void update_codes(Index u, std::span<const User> users, std::span<const std::int32_t> others) {
    std::vector<double> along(static_cast<std::size_t>(atoms_.rows()), 0.0);
    for (const std::int32_t v : others)
      along[static_cast<std::size_t>(v)] = ordered_dot(atoms_.row(v), atoms_.row(u), X_.cols());
    const Partition parts(std::ssize(users), kUsers);
    parallel_for(context_, parts.count(), work_on(users), [&](Index part) {
      for (Index at = parts[part].begin; at < parts[part].end; ++at) {
        const User& user = users[static_cast<std::size_t>(at)];
        const Scalar* x = X_.data() + user.sample * X_.outerStride();
        double value = ordered_dot(x, atoms_.row(u), X_.cols());
        const auto atoms = codes_.atoms(user.sample);
        const auto values = codes_.values(user.sample);
        for (std::size_t t = 0; t < atoms.size(); ++t) {
          if (atoms[t] != u)
            value -= static_cast<double>(values[t]) * along[static_cast<std::size_t>(atoms[t])];
        }
        values[static_cast<std::size_t>(user.slot)] = static_cast<Scalar>(value);
      }
    });
  }

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
    blas::gemm<Scalar>(context_, blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), compared,
                       compared, Scalar(0), gram);
    return gram;
  }

  /// Atoms with hardly any users, and later ones of pairs that nearly coincide.
  [[nodiscard]] std::vector<Index> poor_atoms() const {
    const Index K = atoms_.rows();
    const Index fewest = std::clamp<Index>(std::ssize(users_) / (10 * K), 1, kEnoughUses);
    const Matrix<Scalar> gram = similarities();
    std::vector<Index> poor;
    for (Index u = 0; u < K; ++u) {
      bool is_poor = std::ssize(users(u)) < fewest;
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
      set_atom(poor[e], X_.data() + worst[e] * X_.outerStride());
  }

  const Context& context_;
  ConstMatrixView<Scalar> X_;
  const KsvdOptions& options_;
  Matrix<Scalar> atoms_;
  SparseCodes<Scalar> codes_;
  std::vector<double> residuals_;  // of the codes before the update
  std::vector<User> users_;        // atom by atom
  std::vector<Index> first_user_;  // of every atom, and the end
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
