// SPDX-License-Identifier: BSD-3-Clause
//
// Samples with their labels, all or a gathered batch, and the size of the blocks to process them
// in.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "krica/runtime/matrix.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/parallel.hpp"

namespace krica {

/// All samples, or a gathered subset.
template <class Scalar>
struct Samples {
  ConstMatrixView<Scalar> X;
  std::span<const int> labels = {};      // empty, or one per row of X
  std::span<const Index> gathered = {};  // indices of the rows of X among all samples; empty: all

  [[nodiscard]] bool is_all() const { return gathered.empty(); }
  [[nodiscard]] Index sample(Index row) const {
    return is_all() ? row : gathered[static_cast<std::size_t>(row)];
  }
  [[nodiscard]] int label(Index i) const {
    return labels.empty() ? 0 : labels[static_cast<std::size_t>(i)];
  }
};

/// Copies some rows; keeps the view of their indices.
template <class Scalar>
class GatheredSamples {
 public:
  GatheredSamples(const Samples<Scalar>& all, std::span<const Index> rows)
      : X_(rows_at(all.X, rows)), rows_(rows) {
    for (const Index row : rows) {
      if (!all.labels.empty()) labels_.push_back(all.label(row));
    }
  }
  [[nodiscard]] Samples<Scalar> samples() const { return {X_, labels_, rows_}; }

 private:
  Matrix<Scalar> X_;
  std::vector<int> labels_;
  std::span<const Index> rows_;
};

inline void require_rows(std::span<const Index> rows, Index n_samples, std::string_view operation) {
  require(!rows.empty(), operation, "the batch is empty");
  for (const Index row : rows) {
    require(row >= 0 && row < n_samples, operation, "sample {} is not in 0 ... {}", row,
            n_samples - 1);
  }
}

/// Calls body(samples) with all samples, or with a copy of the given rows.
template <class Scalar, class Body>
double on_samples(const Samples<Scalar>& all, std::optional<std::span<const Index>> rows,
                  std::string_view operation, Body body) {
  if (!rows) return body(all);
  require_rows(*rows, all.X.rows(), operation);
  const GatheredSamples<Scalar> batch(all, *rows);
  return body(batch.samples());
}

/// The checks of data that all objectives share.
template <class Scalar>
void require_samples(ConstMatrixView<Scalar> X, std::string_view operation) {
  require_not_empty(X, operation, "X");
  require(X.rows() >= 2, operation, "at least 2 samples are needed, got {}", X.rows());
  require_finite(X, operation, "X");
}

template <class Scalar>
void require_basis_shape(ConstMatrixView<Scalar> W, Index K, Index n, std::string_view operation) {
  require(W.rows() == K && W.cols() == n, operation, "W is {} x {}, it must be {} x {}", W.rows(),
          W.cols(), K, n);
}

/// The checks of an evaluation's arguments; the gradient may be null.
template <class Scalar>
void require_basis(ConstMatrixView<Scalar> W, const MatrixView<Scalar>* gradient, Index K, Index n,
                   std::string_view operation) {
  require_basis_shape(W, K, n, operation);
  require_finite(W, operation, "W");
  require(gradient == nullptr || (gradient->rows() == K && gradient->cols() == n), operation,
          "the gradient is {} x {}, it must be {} x {}", gradient == nullptr ? 0 : gradient->rows(),
          gradient == nullptr ? 0 : gradient->cols(), K, n);
}

/// Rows per tile: enough for matrix products at full speed.
inline constexpr Index kTileRows = 256;

/// Divides the atoms into tiles of the gradient: two from 200 atoms on, so that threads can share
/// them, and none with more than 400 (docs/decisions/0005-performance.md).
inline Partition atom_tiles(Index K) { return {K, std::clamp<Index>(K / 2, 100, 400)}; }

/// The number of samples whose codes take at most 64 MiB: a multiple of 16 tiles if there are as
/// many, because 2, 4, 8 or 16 threads share these evenly.
template <class Scalar>
Index block_rows_for(Index requested, Index K) {
  if (requested > 0) return requested;
  const Index bytes_per_row = K * static_cast<Index>(sizeof(Scalar));
  const Index tiles = std::clamp<Index>((Index{64} << 20) / bytes_per_row / kTileRows, 2, 64);
  return (tiles < 16 ? tiles : tiles / 16 * 16) * kTileRows;
}

}  // namespace krica
