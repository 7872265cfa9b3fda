// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices that may be larger than the memory budget: half of it for those in memory, a quarter for
// the others. These lie in mapped temporary files without a name, and only part of them stays
// resident: between two items of a parallel loop the process gives pages back whenever all such
// files together exceed their share. They remain in the system's page cache or on disk and come
// back when they are read; no value depends on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "krica/runtime/context.hpp"

namespace krica {

/// `bytes` of zeros, and whether they are in a temporary file: they are where all that this
/// function gives in memory would take more than half of the context's budget. Throws IoError where
/// a file is needed and cannot be made.
std::pair<std::shared_ptr<float[]>, bool> large_memory(const Context& context, std::size_t bytes);

/// A shared mapping of an open file, which is closed. About a quarter of the budget at most stays
/// resident, of this and all other such mappings together.
std::shared_ptr<float[]> map_file(const Context& context, int descriptor, std::size_t bytes);

/// Gives pages back where there are too many, a few times in a millisecond at most; called after
/// every item of a parallel loop. Cheap where nothing lies in files.
void release_pages_when_due();

/// The same whenever it is called: for loops that read rows here and there, where each brings in
/// its neighbours as well.
void release_pages();

/// Copies of some rows of a matrix that may lie in a file.
template <class Scalar>
Matrix<Scalar> rows_at(const ConstMatrixView<Scalar>& matrix, std::span<const Index> rows) {
  constexpr Index kRowsAtATime = 8;  // each brings in up to 2 MiB
  Matrix<Scalar> chosen(std::ssize(rows), matrix.cols());
  Index to = 0;
  for (const Index row : rows) {
    if (to % kRowsAtATime == 0) release_pages();
    chosen.view().row(to++) = matrix.row(row);
  }
  return chosen;
}

/// How many rows one product should read: all of them become resident at once.
inline Index rows_at_a_time(const ConstMatrixView<float>& matrix) {
  constexpr Index kBytes = Index{16} << 20;
  constexpr Index kFewest = 256;  // products over fewer are slow
  return std::max(kFewest, kBytes / (matrix.outerStride() * Index{sizeof(float)}));
}

/// rows × cols floats, zeros at first.
class LargeMatrix {
 public:
  LargeMatrix(const Context& context, Index rows, Index cols);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] Index size() const { return rows_ * cols_; }
  [[nodiscard]] float* row(Index i) { return memory_.get() + i * cols_; }
  [[nodiscard]] MatrixView<float> view() { return {memory_.get(), rows_, cols_}; }
  [[nodiscard]] ConstMatrixView<float> view() const { return {memory_.get(), rows_, cols_}; }

 private:
  Index rows_;
  Index cols_;
  std::shared_ptr<float[]> memory_;
};

}  // namespace krica
