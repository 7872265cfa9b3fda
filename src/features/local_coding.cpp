// SPDX-License-Identifier: BSD-3-Clause
#include "features/local_coding.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/distances.hpp"

namespace krica {
namespace {

constexpr double kRegularisation = 1e-4;  // β
constexpr Index kPatchesAtATime = 128;

/// A = LLᵀ in place, then A x = b in place of b. A: n×n, positive definite; only its lower triangle
/// is used.
void solve_positive_definite(double* A, double* b, Index n) {
  for (Index j = 0; j < n; ++j) {
    double* row_j = A + j * n;
    for (Index p = 0; p < j; ++p) row_j[j] -= row_j[p] * row_j[p];
    row_j[j] = std::sqrt(row_j[j]);
    for (Index i = j + 1; i < n; ++i) {
      double* row_i = A + i * n;
      for (Index p = 0; p < j; ++p) row_i[j] -= row_i[p] * row_j[p];
      row_i[j] /= row_j[j];
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index p = 0; p < i; ++p) b[i] -= A[i * n + p] * b[p];
    b[i] /= A[i * n + i];
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index p = i + 1; p < n; ++p) b[i] -= A[p * n + i] * b[p];
    b[i] /= A[i * n + i];
  }
}

}  // namespace

template <class Scalar>
LocalCode<Scalar>::LocalCode(ConstMatrixView<Scalar> atoms, Index neighbours)
    : dictionary_(atoms),
      nearest_(static_cast<std::size_t>(neighbours)),
      nearest_distances_(static_cast<std::size_t>(neighbours)),
      weights_(static_cast<std::size_t>(neighbours)),
      differences_(neighbours, atoms.cols()),
      covariance_(static_cast<std::size_t>(neighbours * neighbours)),
      solution_(static_cast<std::size_t>(neighbours)) {}

template <class Scalar>
void LocalCode<Scalar>::set(const Scalar* x, const Scalar* distances) {
  find_nearest(distances);
  for (Index j = 0; j < differences_.rows(); ++j) {
    const Scalar* w = dictionary_.data() + nearest_[static_cast<std::size_t>(j)] *
                                               static_cast<Index>(dictionary_.outerStride());
    Scalar* difference = differences_.row(j);
    for (Index e = 0; e < differences_.cols(); ++e) difference[e] = w[e] - x[e];
  }
  solve_weights();
}

/// One pass: few distances are below the k-th smallest so far, and those are inserted in order.
template <class Scalar>
void LocalCode<Scalar>::find_nearest(const Scalar* distances) {
  const Index k = std::ssize(nearest_);
  Scalar* const smallest = nearest_distances_.data();
  Index* const atoms = nearest_.data();
  for (Index u = 0; u < dictionary_.rows(); ++u) {
    const Scalar distance = distances[u];
    if (u >= k && !(distance < smallest[k - 1])) continue;
    Index place = std::min(u, k - 1);
    for (; place > 0 && distance < smallest[place - 1]; --place) {
      smallest[place] = smallest[place - 1];
      atoms[place] = atoms[place - 1];
    }
    smallest[place] = distance;
    atoms[place] = u;
  }
}

template <class Scalar>
void LocalCode<Scalar>::solve_weights() {
  const Index k = differences_.rows();
  double trace = 0;
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j <= i; ++j) {
      covariance_[static_cast<std::size_t>(i * k + j)] =
          ordered_dot(differences_.row(i), differences_.row(j), differences_.cols());
    }
    trace += covariance_[static_cast<std::size_t>(i * k + i)];
  }
  std::fill(solution_.begin(), solution_.end(), 1.0);
  if (trace > 0) {  // otherwise all neighbours equal x and share its weight
    for (Index i = 0; i < k; ++i)
      covariance_[static_cast<std::size_t>(i * k + i)] += kRegularisation * trace;
    solve_positive_definite(covariance_.data(), solution_.data(), k);
  }
  const double sum = ordered_sum(solution_.data(), k);
  for (std::size_t j = 0; j < weights_.size(); ++j)
    weights_[j] = static_cast<Scalar>(solution_[j] / sum);
}

LocalCoding::LocalCoding(const EncoderOptions& options, ConstMatrixView<float> atoms,
                         ConstMatrixView<float> tangents)
    : atoms_(atoms),
      tangents_(tangents),
      norms_(squared_row_norms<float>(atoms)),
      neighbours_(options.neighbours),
      tangents_per_atom_(tangents.rows() / atoms.rows()),
      scale_(options.kind == EncoderKind::kTangents ? static_cast<float>(options.tangent_scale)
                                                    : 1.0F) {}

void LocalCoding::encode(ConstMatrixView<float> patches, MatrixView<float> codes) const {
  // The first columns of the codes hold the distances until the row is coded.
  const MatrixView<float> distances(codes.data(), codes.rows(), atoms_.rows(), codes.outerStride());
  squared_distances<float>(patches, atoms_, norms_, distances);
  LocalCode<float> code(atoms_, neighbours_);
  for (Index i = 0; i < patches.rows(); ++i) {
    float* row = codes.data() + i * codes.outerStride();
    code.set(patches.data() + i * patches.outerStride(), row);
    std::fill(row, row + channels(), 0.0F);
    add(code, row);
  }
}

void LocalCoding::add(ConstMatrixView<float> patches, std::span<const Range> cells,
                      float* sums) const {
  const Partition tiles(patches.rows(), kPatchesAtATime);
  Matrix<float> distances(tiles.largest(), atoms_.rows());
  LocalCode<float> code(atoms_, neighbours_);
  std::size_t cell = 0;
  for (Index t = 0; t < tiles.count(); ++t) {
    const auto [begin, end] = tiles[t];
    squared_distances<float>(patches.rows_between(begin, end), atoms_, norms_,
                             MatrixView<float>(distances).rows_between(0, end - begin));
    for (Index i = begin; i < end; ++i) {
      while (cell < cells.size() && i >= cells[cell].end) ++cell;
      if (cell == cells.size()) return;
      if (i < cells[cell].begin) continue;
      code.set(patches.data() + i * patches.outerStride(), distances.row(i - begin));
      add(code, sums + static_cast<Index>(cell) * channels());
    }
  }
}

void LocalCoding::add(const LocalCode<float>& code, float* channels) const {
  const Index K = atoms_.rows();
  const Index d = tangents_per_atom_;
  for (std::size_t j = 0; j < code.atoms().size(); ++j) {
    const Index u = code.atoms()[j];
    const float weight = code.weights()[j];
    channels[u] += scale_ * weight;
    const float* difference = code.difference(static_cast<Index>(j));
    for (Index t = 0; t < d; ++t) {
      const float* direction = tangents_.data() + (u * d + t) * tangents_.outerStride();
      channels[(1 + t) * K + u] -=
          weight * static_cast<float>(ordered_dot(direction, difference, atoms_.cols()));
    }
  }
}

template class LocalCode<float>;
template class LocalCode<double>;

}  // namespace krica
