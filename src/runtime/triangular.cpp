// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/triangular.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "runtime/columns.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"

// NOLINTBEGIN(readability-identifier-naming): LAPACK's names
extern "C" void spotrf_(const char* uplo, const blasint* n, float* a, const blasint* lda,
                        blasint* info);
extern "C" void dpotrf_(const char* uplo, const blasint* n, double* a, const blasint* lda,
                        blasint* info);
extern "C" void strtri_(const char* uplo, const char* diag, const blasint* n, float* a,
                        const blasint* lda, blasint* info);
// NOLINTEND(readability-identifier-naming)

namespace krica {
namespace {

constexpr Index kBlock = 128;
constexpr Index kTile = 256;
constexpr Index kProductColumns = 64;  // few, as the work of a tile depends on its position

template <class View>
blasint stride(const View& view) {
  return static_cast<blasint>(std::max(view.outerStride(), view.cols()));
}

template <class Scalar>
MatrixView<Scalar> part_of(MatrixView<Scalar> A, Range rows, Range cols) {
  return columns_of(A.rows_between(rows.begin, rows.end), cols);
}

ConstMatrixView<float> part_of(ConstMatrixView<float> A, Range rows, Range cols) {
  return columns_of(A.rows_between(rows.begin, rows.end), cols);
}

Range from(Index begin, Range range) { return {begin + range.begin, begin + range.end}; }

/// LAPACK's lower triangle is our upper one.
template <class Scalar>
bool factor_block(MatrixView<Scalar> A) {
  const auto n = static_cast<blasint>(A.rows());
  const blasint lda = stride(A);
  blasint info = 0;
  if constexpr (std::is_same_v<Scalar, float>) {
    spotrf_("L", &n, A.data(), &lda, &info);
  } else {
    dpotrf_("L", &n, A.data(), &lda, &info);
  }
  return info == 0;
}

/// X = U⁻ᵀ X.
template <class Scalar>
void solve_from_left(MatrixView<Scalar> U, MatrixView<Scalar> X) {
  const auto rows = static_cast<blasint>(X.rows());
  const auto cols = static_cast<blasint>(X.cols());
  if constexpr (std::is_same_v<Scalar, float>) {
    cblas_strsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, rows, cols, 1.0F,
                U.data(), stride(U), X.data(), stride(X));
  } else {
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, rows, cols, 1.0,
                U.data(), stride(U), X.data(), stride(X));
  }
}

/// X = op(U) X, or X op(U) from the right.
void multiply(CBLAS_SIDE side, CBLAS_TRANSPOSE op, ConstMatrixView<float> U, MatrixView<float> X) {
  cblas_strmm(CblasRowMajor, side, CblasUpper, op, CblasNonUnit, static_cast<blasint>(X.rows()),
              static_cast<blasint>(X.cols()), 1.0F, U.data(), stride(U), X.data(), stride(X));
}

/// The upper triangle of C -= PᵀP.
template <class Scalar>
void subtract_square(MatrixView<Scalar> P, MatrixView<Scalar> C) {
  const auto n = static_cast<blasint>(C.rows());
  const auto depth = static_cast<blasint>(P.rows());
  if constexpr (std::is_same_v<Scalar, float>) {
    cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, n, depth, -1.0F, P.data(), stride(P), 1.0F,
                C.data(), stride(C));
  } else {
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, depth, -1.0, P.data(), stride(P), 1.0,
                C.data(), stride(C));
  }
}

/// Updates a tile of A, on its diagonal or right of it, once the rows `done` of U are known.
template <class Scalar>
void subtract_rows(MatrixView<Scalar> A, Range done, Range rows, Range cols) {
  const auto left = part_of(A, done, rows);
  const auto tile = part_of(A, rows, cols);
  if (rows.begin == cols.begin) return subtract_square(left, tile);
  blas::gemm<Scalar>(blas::Op::kTransposed, blas::Op::kPlain, Scalar(-1), left,
                     part_of(A, done, cols), Scalar(1), tile);
}

/// U in the place of A, block of rows by block of rows; ranks take these in turn.
template <class Scalar>
class Cholesky {
 public:
  Cholesky(const Context& context, MatrixView<Scalar> A)
      : context_(context), A_(A), blocks_(A.rows(), kBlock), deal_(context) {}

  bool factor() {
    for (Index b = 0; b < blocks_.count(); ++b) {
      if (deal_.is_own(b)) finish_rows(blocks_[b]);
      if (context_.shares_rows())
        broadcast_part(context_, deal_.owner(b), part_of(A_, blocks_[b], after(blocks_[b].begin)));
      if (std::isnan(A_(blocks_[b].begin, blocks_[b].begin))) return false;
      update_rows_after(b);
    }
    return true;
  }

 private:
  [[nodiscard]] Range after(Index first) const { return {first, A_.cols()}; }

  /// Computes these rows of U; if there are none, sets the first value to NaN.
  void finish_rows(Range block) {
    const auto U_bb = part_of(A_, block, block);
    if (!factor_block(U_bb)) {
      A_(block.begin, block.begin) = std::numeric_limits<Scalar>::quiet_NaN();
      return;
    }
    const Partition tiles(after(block.end).size(), kTile);
    const Work work = work_of(block.size(), block.size(), after(block.end).size());
    parallel_for(context_, tiles.count(), work, [&](Index t) {
      solve_from_left(U_bb, part_of(A_, block, from(block.end, tiles[t])));
    });
  }

  void update_rows_after(Index b) {
    struct Tile {
      Range rows;
      Range cols;
    };
    std::vector<Tile> tiles;
    for (Index later = b + 1; later < blocks_.count(); ++later) {
      if (!deal_.is_own(later)) continue;
      const Range rows = blocks_[later];
      tiles.push_back({rows, rows});
      const Partition parts(after(rows.end).size(), kTile);
      for (Index t = 0; t < parts.count(); ++t) tiles.push_back({rows, from(rows.end, parts[t])});
    }
    const Index left = after(blocks_[b].end).size();
    parallel_for(context_, std::ssize(tiles), work_of(left, left, blocks_[b].size()), [&](Index t) {
      const Tile& tile = tiles[static_cast<std::size_t>(t)];
      subtract_rows(A_, blocks_[b], tile.rows, tile.cols);
    });
  }

  const Context& context_;
  MatrixView<Scalar> A_;
  Partition blocks_;
  DealtItems deal_;
};

/// The columns `block` of U⁻¹ above the diagonal block, from those to the left, which are done:
/// -(U⁻¹ U_b) U_bb⁻¹ with U_b the columns of U. A tile of rows, which is one of the blocks above,
/// depends on the same rows alone, so ranks need each other's only at the end.
void invert_columns(const Context& context, MatrixView<float> U, Range block) {
  const Range above{0, block.begin};
  const Matrix<float> old = Matrix<float>::copy_of(part_of(U, above, block));
  const ConstMatrixView<float> U_b(old);
  const MatrixView<float> U_bb = part_of(U, block, block);
  const Partition tiles(above.size(), kBlock);
  const Work work = work_of(above.size(), above.size(), block.size());
  const DealtItems deal(context);
  parallel_for(context, tiles.count(), work, [&](Index t) {
    if (!deal.is_own(t)) return;
    const Range rows = tiles[t];
    const Range later{rows.end, above.end};
    MatrixView<float> X = part_of(U, rows, block);
    multiply(CblasLeft, CblasNoTrans, part_of(U, rows, rows), X);
    if (later.size() > 0) {
      blas::gemm<float>(blas::Op::kPlain, blas::Op::kPlain, 1.0F, part_of(U, rows, later),
                        U_b.rows_between(later.begin, later.end), 1.0F, X);
    }
    cblas_strsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit,
                static_cast<blasint>(X.rows()), static_cast<blasint>(X.cols()), -1.0F, U_bb.data(),
                stride(U_bb), X.data(), stride(X));
  });
}

/// Completes x, of whose columns ranks have computed the tiles that were dealt to them.
void gather_columns(const Context& context, const Partition& tiles, MatrixView<float> x) {
  const DealtItems deal(context);
  std::vector<std::size_t> sizes(static_cast<std::size_t>(context.ranks()->size()));
  for (Index t = 0; t < tiles.count(); ++t) {
    sizes[static_cast<std::size_t>(deal.owner(t))] +=
        sizeof(float) * static_cast<std::size_t>(x.rows() * tiles[t].size());
  }
  Matrix<float> packed(1, x.size());
  // Calls copy(place, columns, tile) for the tiles of one rank after another.
  const auto for_places = [&](auto copy) {
    float* place = packed.data();
    for (int rank = 0; rank < context.ranks()->size(); ++rank) {
      for (Index t = rank; t < tiles.count(); t += context.ranks()->size()) {
        copy(MatrixView<float>(place, x.rows(), tiles[t].size()), columns_of(x, tiles[t]), t);
        place += x.rows() * tiles[t].size();
      }
    }
  };
  for_places([&](MatrixView<float> place, MatrixView<float> columns, Index t) {
    if (deal.is_own(t)) place = columns;
  });
  context.ranks()->all_gather(packed.data(), sizes);
  for_places([&](MatrixView<float> place, MatrixView<float> columns, Index) { columns = place; });
}

}  // namespace

template <class Scalar>
bool cholesky_upper(const Context& context, MatrixView<Scalar> A) {
  blas::set_up();
  context.check_cancelled();  // on all ranks, not only on those that compute first
  return Cholesky<Scalar>(context, A).factor();
}

template bool cholesky_upper(const Context&, MatrixView<float>);
template bool cholesky_upper(const Context&, MatrixView<double>);

void invert_upper(const Context& context, MatrixView<float> U) {
  blas::set_up();
  const Partition blocks(U.rows(), kBlock);
  for (Index b = 0; b < blocks.count(); ++b) {
    invert_columns(context, U, blocks[b]);
    MatrixView<float> U_bb = part_of(U, blocks[b], blocks[b]);
    const auto n = static_cast<blasint>(U_bb.rows());
    const blasint lda = stride(U_bb);
    blasint info = 0;
    strtri_("L", "N", &n, U_bb.data(), &lda, &info);
  }
  if (!context.shares_rows()) return;
  const DealtItems deal(context);
  for (Index b = 0; b + 1 < blocks.count(); ++b)
    broadcast_part(context, deal.owner(b), part_of(U, blocks[b], {blocks[b].end, U.cols()}));
}

void multiply_upper(const Context& context, blas::Op op, ConstMatrixView<float> U,
                    MatrixView<float> x) {
  blas::set_up();
  const Matrix<float> old = Matrix<float>::copy_of(x);
  const bool plain = op == blas::Op::kPlain;
  const Partition tiles(U.rows(), kProductColumns);
  const Work work = work_of(U.rows(), U.rows(), x.rows());
  const bool divided = context.shares_rows() && U.size() * x.rows() >= kDividedProduct;
  const DealtItems deal(divided ? context : context.with_all_rows());
  parallel_for(context, tiles.count(), work, [&](Index t) {
    // Largest first, so that threads finish together.
    const Index number = plain ? tiles.count() - 1 - t : t;
    if (!deal.is_own(number)) return;
    const Range tile = tiles[number];
    const Range others = plain ? Range{0, tile.begin} : Range{tile.end, U.rows()};
    const MatrixView<float> result = columns_of(x, tile);
    multiply(CblasRight, plain ? CblasNoTrans : CblasTrans, part_of(U, tile, tile), result);
    if (others.size() == 0) return;
    blas::gemm<float>(blas::Op::kPlain, op, 1.0F, columns_of(ConstMatrixView<float>(old), others),
                      plain ? part_of(U, others, tile) : part_of(U, tile, others), 1.0F, result);
  });
  if (divided) gather_columns(context, tiles, x);
}

void solve_upper_transposed(ConstMatrixView<float> U, MatrixView<float> x) {
  blas::set_up();
  cblas_strsm(CblasRowMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit,
              static_cast<blasint>(x.rows()), static_cast<blasint>(x.cols()), 1.0F, U.data(),
              stride(U), x.data(), stride(x));
}

}  // namespace krica
