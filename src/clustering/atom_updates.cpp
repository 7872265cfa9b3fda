// SPDX-License-Identifier: BSD-3-Clause
#include "clustering/atom_updates.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "runtime/blas.hpp"
#include "runtime/columns.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/weighted_rows.hpp"

namespace krica {
namespace {

/// Atoms of a block: more make larger products, but are read one by one.
constexpr Index kBlock = 32;
/// Atoms with fewer values in all are one block: they stay in the cache in any case.
constexpr Index kCachedValues = 65536;
/// Columns of a product that a thread computes at once.
constexpr Index kTileColumns = 256;
/// Values of samples that are summed at once.
constexpr Index kSlabColumns = 512;
/// Samples whose codes are computed at once.
constexpr Index kCodes = 64;
/// Samples whose part in an atom is summed at once.
constexpr Index kUsers = 1024;
/// If less than this fraction of R_u is left in e, products of e that are differences of others
/// would be mostly rounding.
constexpr double kLeft = 1e-2;

template <class Scalar>
class Updates {
 public:
  Updates(const Context& context, ConstMatrixView<Scalar> X, const AtomUsers& users,
          MatrixView<Scalar> atoms, MatrixView<Scalar> gram, SparseCodes<Scalar>& codes)
      : context_(context),
        X_(X),
        users_(users),
        atoms_(atoms),
        gram_(gram),
        codes_(codes),
        blocks_(atoms.rows(), atoms.size() <= kCachedValues ? atoms.rows() : kBlock),
        sums_(atoms.rows(), X.cols()),
        shares_(blocks_.count() > 1 ? blocks_.largest() : 0, atoms.rows()),
        products_(shares_.rows(), atoms.rows()),
        row_(static_cast<std::size_t>(X.cols())),
        along_(static_cast<std::size_t>(atoms.rows())) {}

  void run() {
    sum_samples();
    for (Index b = 0; b < blocks_.count(); ++b) {
      context_.check_cancelled();
      block_ = blocks_[b];
      if (blocks_.count() > 1) prepare_block();
      for (Index u = block_.begin; u < block_.end; ++u) update_atom(u);
    }
  }

 private:
  [[nodiscard]] Index K() const { return atoms_.rows(); }
  [[nodiscard]] bool in_block(Index u) const { return u >= block_.begin && u < block_.end; }
  [[nodiscard]] const Scalar* sample(Index i) const { return X_.data() + i * X_.outerStride(); }
  [[nodiscard]] Scalar* atom(Index u) { return atoms_.data() + u * atoms_.outerStride(); }
  [[nodiscard]] Work work_on(Index uses) const {
    return work_of(uses, X_.cols() + codes_.capacity(), kPerValue);
  }

  /// R and M.
  void prepare_block() {
    Index uses = 0;
    for (Index u = block_.begin; u < block_.end; ++u) uses += std::ssize(users_.of(u));
    const Work counting = work_of(uses, codes_.capacity(), kPerValue);
    parallel_for(context_, block_.size(), counting,
                 [&](Index at) { share_outside(users_.of(block_.begin + at), shares_.row(at)); });
    const auto rests = MatrixView<Scalar>(sums_).rows_between(block_.begin, block_.end);
    const auto shares = ConstMatrixView<Scalar>(shares_).rows_between(0, block_.size());
    const auto products = MatrixView<Scalar>(products_).rows_between(0, block_.size());
    const Work work = work_of(block_.size(), K(), X_.cols());
    const ConstMatrixView<Scalar> atoms = atoms_;
    const Partition values(X_.cols(), kTileColumns);
    parallel_for(context_, values.count(), work, [&](Index t) {
      blas::gemm<Scalar>(blas::Op::kPlain, blas::Op::kPlain, Scalar(-1), shares,
                         columns_of(atoms, values[t]), Scalar(1), columns_of(rests, values[t]));
    });
    const Partition others(K(), kTileColumns);
    parallel_for(context_, others.count(), work, [&](Index t) {
      blas::gemm<Scalar>(blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), rests,
                         atoms.rows_between(others[t].begin, others[t].end), Scalar(0),
                         columns_of(products, others[t]));
    });
  }

  /// X_Iᵀg of every atom. In Scalar over a part of the users, in double over the parts.
  void sum_samples() {
    const Partition slabs(X_.cols(), kSlabColumns);
    parallel_for(context_, K() * slabs.count(), work_on(users_.total()), [&](Index t) {
      const Index u = t / slabs.count();
      const Range slab = slabs[t % slabs.count()];
      std::vector<std::int32_t> samples;
      std::vector<Scalar> weights;
      for (const AtomUser& user : users_.of(u)) {
        samples.push_back(user.sample);
        weights.push_back(-code_of(user));
      }
      sum_rows(columns_of(X_, slab), samples, weights, sums_.row(u) + slab.begin);
    });
  }

  static void sum_rows(ConstMatrixView<Scalar> slab, std::span<const std::int32_t> samples,
                       std::span<const Scalar> weights, Scalar* to) {
    std::array<double, kSlabColumns> sum{};
    for_tiles({0, std::ssize(samples)}, kUsers, [&](Range part) {
      const auto first = static_cast<std::size_t>(part.begin);
      std::array<Scalar, kSlabColumns> own{};
      subtract_rows<Scalar>(own.data(), slab,
                            samples.subspan(first, static_cast<std::size_t>(part.size())),
                            weights.data() + first, own.data());
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += static_cast<double>(own[j]);
    });
    for (Index j = 0; j < slab.cols(); ++j)
      to[j] = static_cast<Scalar>(sum[static_cast<std::size_t>(j)]);
  }

  [[nodiscard]] Scalar code_of(const AtomUser& user) const {
    return codes_.values(user.sample)[static_cast<std::size_t>(user.slot)];
  }

  /// S_v·g of the atoms v outside the block, 0 for those inside.
  void share_outside(std::span<const AtomUser> users, Scalar* to) const {
    std::vector<double> sums(static_cast<std::size_t>(K()), 0.0);
    for (const AtomUser& user : users) add_share(user, 0, sums);
    for (Index v = 0; v < K(); ++v)
      to[v] = in_block(v) ? Scalar(0) : static_cast<Scalar>(sums[static_cast<std::size_t>(v)]);
  }

  /// S_w·g of the atoms w of the block, with the codes of this moment.
  [[nodiscard]] std::vector<double> share_inside(std::span<const AtomUser> users) const {
    const Partition parts(std::ssize(users), kUsers);
    return ordered_reduce<std::vector<double>>(
        context_, parts.count(), work_of(users.size(), codes_.capacity(), kPerValue),
        [&] { return std::vector<double>(static_cast<std::size_t>(block_.size()), 0.0); },
        [&](Index part, std::vector<double>& sums) {
          for (Index at = parts[part].begin; at < parts[part].end; ++at)
            add_share(users[static_cast<std::size_t>(at)], block_.begin, sums);
        });
  }

  /// The user's code times its code of each atom first, first + 1, ...
  void add_share(const AtomUser& user, Index first, std::vector<double>& sums) const {
    const auto own = static_cast<double>(code_of(user));
    const auto atoms = codes_.atoms(user.sample);
    const auto values = std::as_const(codes_).values(user.sample);
    for (std::size_t t = 0; t < atoms.size(); ++t) {
      const auto place = static_cast<std::size_t>(atoms[t] - first);  // huge if before the first
      if (place < sums.size()) sums[place] += own * static_cast<double>(values[t]);
    }
  }

  void update_atom(Index u) {
    const std::span<const AtomUser> users = users_.of(u);
    if (users.empty()) return;
    const std::vector<double> shares = share_inside(users);
    std::vector<std::int32_t> others;
    std::vector<Scalar> weights;
    for (Index w = block_.begin; w < block_.end; ++w) {
      const auto share = static_cast<Scalar>(shares[static_cast<std::size_t>(w - block_.begin)]);
      if (w == u || share == 0) continue;
      others.push_back(static_cast<std::int32_t>(w));
      weights.push_back(share);
    }
    const Scalar* rest = sums_.row(u);
    subtract_rows<Scalar>(rest, atoms_, others, weights.data(), row_.data());
    if (!set_unit(row_.data(), X_.cols(), atom(u))) return;
    find_products(u, others, weights);
    update_codes(u, users);
  }

  /// d_v·d_u of every v, also in the Gram matrix.
  void find_products(Index u, std::span<const std::int32_t> others,
                     const std::vector<Scalar>& weights) {
    const Scalar* rest = sums_.row(u);
    const double length = std::sqrt(ordered_dot(row_.data(), row_.data(), X_.cols()));
    const double whole = std::sqrt(ordered_dot(rest, rest, X_.cols()));
    const bool known = blocks_.count() > 1 && length > kLeft * whole;
    if (known) {
      subtract_rows<Scalar>(products_.row(u - block_.begin), gram_, others, weights.data(),
                            along_.data());
    }
    const auto scale = static_cast<Scalar>(1 / length);
    for (Index v = 0; v < K(); ++v) {
      Scalar& product = along_[static_cast<std::size_t>(v)];
      product = known && !in_block(v)
                    ? product * scale
                    : static_cast<Scalar>(ordered_dot(atom(v), atom(u), X_.cols()));
      gram_(u, v) = product;
      gram_(v, u) = product;
    }
  }

  void update_codes(Index u, std::span<const AtomUser> users) {
    const Partition parts(std::ssize(users), kCodes);
    parallel_for(context_, parts.count(), work_on(std::ssize(users)), [&](Index part) {
      for (Index at = parts[part].begin; at < parts[part].end; ++at) {
        const AtomUser& user = users[static_cast<std::size_t>(at)];
        double value = ordered_dot<Scalar>(sample(user.sample), atom(u), X_.cols());
        const auto atoms = codes_.atoms(user.sample);
        const auto values = codes_.values(user.sample);
        for (std::size_t t = 0; t < atoms.size(); ++t) {
          if (atoms[t] == u) continue;
          value -= static_cast<double>(values[t]) *
                   static_cast<double>(along_[static_cast<std::size_t>(atoms[t])]);
        }
        values[static_cast<std::size_t>(user.slot)] = static_cast<Scalar>(value);
      }
    });
  }

  const Context& context_;
  ConstMatrixView<Scalar> X_;
  const AtomUsers& users_;
  MatrixView<Scalar> atoms_;
  MatrixView<Scalar> gram_;
  SparseCodes<Scalar>& codes_;
  Partition blocks_;
  Range block_;
  Matrix<Scalar> sums_;        // X_Iᵀg, then R, of every atom
  Matrix<Scalar> shares_;      // S_v·g, of the block
  Matrix<Scalar> products_;    // M, of the block
  std::vector<Scalar> row_;    // e
  std::vector<Scalar> along_;  // d_v·d_u
};

}  // namespace

template <class Scalar>
bool set_unit(const Scalar* row, Index values, Scalar* unit) {
  double length = std::sqrt(ordered_dot(row, row, values));
  if (!(length > 0)) return false;
  if (std::abs(length - 1) < 4 * std::numeric_limits<Scalar>::epsilon()) length = 1;
  for (Index j = 0; j < values; ++j)
    unit[j] = static_cast<Scalar>(static_cast<double>(row[j]) / length);
  return true;
}

template <class Scalar>
void update_atoms(const Context& context, ConstMatrixView<Scalar> X, const AtomUsers& users,
                  MatrixView<Scalar> atoms, MatrixView<Scalar> gram, SparseCodes<Scalar>& codes) {
  Updates<Scalar>(context, X, users, atoms, gram, codes).run();
}

#define KRICA_INSTANTIATE(Scalar)                                                       \
  template bool set_unit(const Scalar*, Index, Scalar*);                                \
  template void update_atoms(const Context&, ConstMatrixView<Scalar>, const AtomUsers&, \
                             MatrixView<Scalar>, MatrixView<Scalar>, SparseCodes<Scalar>&)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
