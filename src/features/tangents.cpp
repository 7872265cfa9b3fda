// SPDX-License-Identifier: BSD-3-Clause
#include "features/tangents.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "features/local_coding.hpp"
#include "kernels/distances.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/lapack.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "tangents";
constexpr Index kPatchesAtATime = 256;
constexpr Index kAtomsAtATime = 64;    // between two reports
constexpr double kNoVariance = 1e-10;  // of the largest eigenvalue

/// A patch near an atom.
struct Member {
  std::int32_t patch;
  float weight;
};

/// The codes of all patches, atom by atom.
class Members {
 public:
  Members(const Context& context, ConstMatrixView<float> patches, ConstMatrixView<float> atoms,
          Index neighbours)
      : first_(static_cast<std::size_t>(atoms.rows() + 1), 0) {
    const auto pairs = static_cast<std::size_t>(patches.rows() * neighbours);
    std::vector<std::int32_t> atom_of(pairs);
    std::vector<float> weight_of(pairs);
    const std::vector<float> norms = squared_row_norms<float>(atoms);
    const Partition tiles(patches.rows(), kPatchesAtATime);
    parallel_for(context, tiles.count(), [&](Index t) {
      const auto [begin, end] = tiles[t];
      Matrix<float> distances(end - begin, atoms.rows());
      squared_distances<float>(patches.rows_between(begin, end), atoms, norms, distances);
      LocalCode<float> code(atoms, neighbours);
      for (Index i = begin; i < end; ++i) {
        code.set(patches.data() + i * patches.outerStride(), distances.row(i - begin));
        std::copy(code.atoms().begin(), code.atoms().end(), atom_of.begin() + i * neighbours);
        std::copy(code.weights().begin(), code.weights().end(), weight_of.begin() + i * neighbours);
      }
    });
    for (const std::int32_t u : atom_of) ++first_[static_cast<std::size_t>(u) + 1];
    for (std::size_t u = 1; u < first_.size(); ++u) first_[u] += first_[u - 1];
    members_.resize(pairs);
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t p = 0; p < pairs; ++p) {
      members_[next[static_cast<std::size_t>(atom_of[p])]++] = {
          static_cast<std::int32_t>(p / static_cast<std::size_t>(neighbours)), weight_of[p]};
    }
  }

  /// Ascending by patch.
  [[nodiscard]] std::span<const Member> of(Index atom) const {
    const auto u = static_cast<std::size_t>(atom);
    return std::span(members_).subspan(first_[u], first_[u + 1] - first_[u]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Member> members_;
};

/// S_u.
Matrix<double> scatter(const Context& context, ConstMatrixView<float> patches, const float* atom,
                       std::span<const Member> members) {
  const Index n = patches.cols();
  Matrix<double> S(n, n);
  const Partition blocks(std::ssize(members), kPatchesAtATime);
  Matrix<double> offsets(blocks.largest(), n);
  for (Index b = 0; b < blocks.count(); ++b) {
    const auto [begin, end] = blocks[b];
    for (Index i = begin; i < end; ++i) {
      const auto [patch, weight] = members[static_cast<std::size_t>(i)];
      const float* x = patches.data() + patch * patches.outerStride();
      double* offset = offsets.row(i - begin);
      for (Index j = 0; j < n; ++j)
        offset[j] = static_cast<double>(weight) * static_cast<double>(x[j] - atom[j]);
    }
    blas::syrk_lower<double>(1, ConstMatrixView<double>(offsets).rows_between(0, end - begin), 1,
                             S);
    release_pages_when_due();
  }
  blas::mirror_lower<double>(context, S);
  return S;
}

/// Writes the directions of the largest eigenvalues and returns the sum of these.
double leading_directions(const Matrix<double>& S, MatrixView<float> directions) {
  const SymmetricEigen eigen = symmetric_eigen(S);
  const double largest = eigen.values.back();
  double kept = 0;
  for (Index d = 0; d < directions.rows(); ++d) {
    const Index from = S.rows() - 1 - d;
    const double variance = eigen.values[static_cast<std::size_t>(from)];
    if (!(variance > kNoVariance * largest)) break;
    kept += variance;
    const double* vector = eigen.vectors.row(from);
    for (Index j = 0; j < S.cols(); ++j) directions(d, j) = static_cast<float>(vector[j]);
  }
  return kept;
}

double squared_weights(std::span<const Member> members) {
  double sum = 0;
  for (const Member& member : members)
    sum += static_cast<double>(member.weight) * static_cast<double>(member.weight);
  return sum;
}

}  // namespace

LocalTangents learn_tangents(const Context& context, ConstMatrixView<float> patches,
                             ConstMatrixView<float> atoms, Index neighbours, Index directions) {
  const Index K = atoms.rows();
  require(neighbours >= 1 && neighbours <= K, kName,
          "neighbours must be 1 to the number of atoms, {}, got {}", K, neighbours);
  require(directions >= 1 && directions <= atoms.cols(), kName,
          "there must be 1 to {} tangents for patches of {} values, got {}", atoms.cols(),
          atoms.cols(), directions);
  const Members members(context, patches, atoms, neighbours);
  LocalTangents tangents{Matrix<float>(K * directions, atoms.cols())};
  std::vector<double> kept(static_cast<std::size_t>(K));
  std::vector<double> weights(static_cast<std::size_t>(K));
  const Partition rounds(K, kAtomsAtATime);
  for (Index r = 0; r < rounds.count(); ++r) {
    parallel_for(context, rounds[r].size(), [&](Index i) {
      const Index u = rounds[r].begin + i;
      const Matrix<double> S =
          scatter(context, patches, atoms.data() + u * atoms.outerStride(), members.of(u));
      kept[static_cast<std::size_t>(u)] =
          leading_directions(S, MatrixView<float>(tangents.directions)
                                    .rows_between(u * directions, (u + 1) * directions));
      weights[static_cast<std::size_t>(u)] = squared_weights(members.of(u));
    });
    context.notify({kName, rounds[r].end, K, 0});
  }
  const double variance =
      tree_sum(kept) / (static_cast<double>(directions) * tree_sum(std::move(weights)));
  if (std::isfinite(variance) && variance > 0) tangents.scale = std::sqrt(variance);
  return tangents;
}

double tangents_memory(double patches, double atoms, double values, double neighbours,
                       int threads) {
  constexpr double kPair = 2.0 * 4 + sizeof(Member);
  constexpr double kSquares = 5;  // S, and what its eigenvectors take
  const double coding = 4 * kPatchesAtATime * atoms;
  const double scatter = 8 * (kSquares * values * values + kPatchesAtATime * values);
  return kPair * patches * neighbours + threads * std::max(coding, scatter);
}

}  // namespace krica
