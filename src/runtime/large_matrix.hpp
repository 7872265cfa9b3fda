// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices that may be larger than the memory budget. What does not fit lies in a mapped temporary
// file without a name, and only part of it stays resident: between two items of a parallel loop the
// process gives pages back whenever all such files together exceed their share. They remain in the
// system's page cache or on disk and come back when they are read; no value depends on it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "krica/runtime/context.hpp"

namespace krica {

/// Whether `bytes` are more than half of the context's budget, so that they go to a file.
bool exceeds_budget(const Context& context, std::size_t bytes);

/// `bytes` of zeros, in memory or in a temporary file. Throws IoError where a file is needed and
/// cannot be made.
std::shared_ptr<float[]> large_memory(const Context& context, std::size_t bytes);

/// A shared mapping of an open file, which is closed. With a limit, about so many bytes at most
/// stay resident, of this and all other limited mappings together.
std::shared_ptr<float[]> map_file(int descriptor, std::size_t bytes, std::int64_t resident_limit);

/// Gives pages back where there are too many, at most once in a millisecond; called after every
/// item of a parallel loop. Cheap where nothing lies in files.
void release_pages_when_due();

/// The same whenever it is called: for loops that read rows here and there, where each brings in
/// its neighbours as well.
void release_pages();

/// How much may stay resident under the context's budget.
std::int64_t resident_limit(const Context& context);

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
