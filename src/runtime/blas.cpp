// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/blas.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <type_traits>

#include "runtime/blas_kernels.hpp"
#include "runtime/columns.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/out_of_memory.hpp"

namespace krica::blas {
namespace {

CBLAS_TRANSPOSE flag(Op op) { return op == Op::kPlain ? CblasNoTrans : CblasTrans; }

template <class View>
blasint stride(const View& view) {
  // BLAS requires a leading dimension of at least the row length, even for one-row views.
  return static_cast<blasint>(view.outerStride() > view.cols() ? view.outerStride() : view.cols());
}

constexpr Index kTile = 128;
constexpr Index kBlockRows = 2048;

/// One tile of gram_of_columns: all rows of `a`, the given columns.
template <class Scalar>
Matrix<double> gram_tile(const Context& context, ConstMatrixView<Scalar> a, Range rows,
                         Range cols) {
  const Partition blocks(a.rows(), kBlockRows);
  return ordered_reduce<Matrix<double>>(
      context, blocks.count(), work_of(a.rows(), rows.size(), cols.size()),
      [&] { return Matrix<double>(rows.size(), cols.size()); },
      [&](Index b, Matrix<double>& sum) {
        const auto block = a.rows_between(blocks[b].begin, blocks[b].end);
        Matrix<Scalar> product(rows.size(), cols.size());
        gemm<Scalar>(Op::kTransposed, Op::kPlain, Scalar(1), columns_of(block, rows),
                     columns_of(block, cols), Scalar(0), product);
        sum.view() = product.view().template cast<double>();
      });
}

/// Sees to it that OpenBLAS has a buffer before a thread's first product: OpenBLAS keeps one per
/// thread that multiplies at the same time, and if the system refuses it, retries forever. It is
/// unknown which threads already have theirs, so there must be room for all.
class BufferSpace {
 public:
  BufferSpace() {
    const std::size_t bytes = kBuffer * ++threads();
    // NORESERVE: untouched memory costs nothing. ulimit -v limits the address space of a process,
    // strict accounting (vm.overcommit_memory 2) the total of all processes.
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const probe = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (probe != MAP_FAILED) {
      ::munmap(probe, bytes);
      take_buffer();
      return;
    }
    const std::size_t count = threads()--;
    throw OutOfMemory(
        fmt::format("[blas] matrix products on {} thread{} need {} MB of address space, but the "
                    "system refuses it; raise the limit (ulimit -v) or use fewer threads",
                    count, count == 1 ? "" : "s", bytes >> 20));
  }
  ~BufferSpace() { --threads(); }
  BufferSpace(const BufferSpace&) = delete;
  BufferSpace& operator=(const BufferSpace&) = delete;

 private:
  static constexpr std::size_t kBuffer = std::size_t{128} << 20;  // BUFFER_SIZE of OpenBLAS

  /// By a product of one number, which takes a buffer all the same: later there may be no room.
  static void take_buffer() {
    constexpr float kOne = 1;
    float product = 0;
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, 1, 1, 1, &kOne, 1, 0, &product, 1);
  }

  static std::atomic<std::size_t>& threads() {
    static std::atomic<std::size_t> count = 0;
    return count;
  }
};

}  // namespace

void set_up() {
  static const bool done = [] {
    choose_kernels();
    openblas_set_num_threads(1);  // affects only our own hidden copy
    return true;
  }();
  static_cast<void>(done);
  static thread_local const BufferSpace space;
}

template <class Scalar>
void gemm(Op op_a, Op op_b, Scalar alpha, ConstMatrixView<Scalar> a, ConstMatrixView<Scalar> b,
          Scalar beta, MatrixView<Scalar> c) {
  set_up();
  const Index depth = op_a == Op::kPlain ? a.cols() : a.rows();
  assert((op_a == Op::kPlain ? a.rows() : a.cols()) == c.rows());
  assert((op_b == Op::kPlain ? b.cols() : b.rows()) == c.cols());
  assert((op_b == Op::kPlain ? b.rows() : b.cols()) == depth);
  const auto rows = static_cast<blasint>(c.rows());
  const auto cols = static_cast<blasint>(c.cols());
  const auto inner = static_cast<blasint>(depth);
  if constexpr (std::is_same_v<Scalar, float>) {
    cblas_sgemm(CblasRowMajor, flag(op_a), flag(op_b), rows, cols, inner, alpha, a.data(),
                stride(a), b.data(), stride(b), beta, c.data(), stride(c));
  } else {
    cblas_dgemm(CblasRowMajor, flag(op_a), flag(op_b), rows, cols, inner, alpha, a.data(),
                stride(a), b.data(), stride(b), beta, c.data(), stride(c));
  }
}

template <class Scalar>
void syrk_lower(Scalar alpha, ConstMatrixView<Scalar> a, Scalar beta, MatrixView<Scalar> c) {
  set_up();
  assert(a.cols() == c.rows() && c.rows() == c.cols());
  const auto order = static_cast<blasint>(c.rows());
  const auto inner = static_cast<blasint>(a.rows());
  if constexpr (std::is_same_v<Scalar, float>) {
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, order, inner, alpha, a.data(), stride(a),
                beta, c.data(), stride(c));
  } else {
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, order, inner, alpha, a.data(), stride(a),
                beta, c.data(), stride(c));
  }
}

template <class Scalar>
void gemm(const Context& context, Op op_a, Op op_b, Scalar alpha, ConstMatrixView<Scalar> a,
          ConstMatrixView<Scalar> b, Scalar beta, MatrixView<Scalar> c) {
  // Large tiles, as each packs B again, but enough of them to share.
  const Partition tiles(c.rows(), std::clamp(c.rows() / 8, kTile, 4 * kTile));
  const Index depth = op_a == Op::kPlain ? a.cols() : a.rows();
  parallel_for(context, tiles.count(), work_of(c.size(), depth), [&](Index t) {
    const Range tile = tiles[t];
    const auto a_tile =
        op_a == Op::kPlain ? a.rows_between(tile.begin, tile.end) : columns_of(a, tile);
    gemm(op_a, op_b, alpha, a_tile, b, beta, c.rows_between(tile.begin, tile.end));
  });
}

template <class Scalar>
void gram_of_rows(const Context& context, ConstMatrixView<Scalar> a, MatrixView<Scalar> gram) {
  assert(gram.rows() == a.rows() && gram.cols() == a.rows());
  const Partition tiles(a.rows(), kTile);
  // From the longest to the shortest, so that no thread is left with a long one.
  parallel_for(context, tiles.count(), work_of(a.size(), a.rows(), 0.5), [&](Index t) {
    const Range tile = tiles[tiles.count() - 1 - t];
    gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), a.rows_between(tile.begin, tile.end),
                 a.rows_between(0, tile.end), Scalar(0),
                 columns_of(gram.rows_between(tile.begin, tile.end), {0, tile.end}));
  });
  mirror_lower(context, gram);
}

template <class Scalar>
void gram_of_columns(const Context& context, ConstMatrixView<Scalar> a, MatrixView<double> gram) {
  assert(gram.rows() == a.cols() && gram.cols() == a.cols());
  const Partition tiles(a.cols(), kTile);
  const Work work = work_of(a.size(), a.cols(), 0.5);
  const auto compute = [&](Index t) {
    const Index row = t / tiles.count();
    const Index col = t % tiles.count();
    if (col > row) return;
    columns_of(gram.rows_between(tiles[row].begin, tiles[row].end), tiles[col]) =
        gram_tile(context, a, tiles[row], tiles[col]).view();
  };
  const Index pairs = tiles.count() * tiles.count();
  if (context.shares_rows()) {  // ranks share the rows of one tile after another
    for (Index t = 0; t < pairs; ++t) compute(t);
  } else {  // threads share the rows of a single tile, or whole tiles if there are several
    parallel_for(context, pairs, work, compute);
  }
  mirror_lower(context, gram);
}

template <class Scalar>
void mirror_lower(const Context& context, MatrixView<Scalar> matrix) {
  constexpr Index kSide = 32;  // of a block: reading whole columns would miss the cache
  const Partition blocks(matrix.rows(), kSide);
  parallel_for(context, blocks.count(), work_of(matrix.size(), kPerValue), [&](Index b) {
    for (Index c = b; c < blocks.count(); ++c) {
      for (Index i = blocks[b].begin; i < blocks[b].end; ++i) {
        for (Index j = std::max(i + 1, blocks[c].begin); j < blocks[c].end; ++j)
          matrix(i, j) = matrix(j, i);
      }
    }
  });
}

#define KRICA_INSTANTIATE(Scalar)                                                              \
  template void gemm(Op, Op, Scalar, ConstMatrixView<Scalar>, ConstMatrixView<Scalar>, Scalar, \
                     MatrixView<Scalar>);                                                      \
  template void gemm(const Context&, Op, Op, Scalar, ConstMatrixView<Scalar>,                  \
                     ConstMatrixView<Scalar>, Scalar, MatrixView<Scalar>);                     \
  template void syrk_lower(Scalar, ConstMatrixView<Scalar>, Scalar, MatrixView<Scalar>);       \
  template void gram_of_rows(const Context&, ConstMatrixView<Scalar>, MatrixView<Scalar>);     \
  template void gram_of_columns(const Context&, ConstMatrixView<Scalar>, MatrixView<double>);  \
  template void mirror_lower(const Context&, MatrixView<Scalar>)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica::blas
