// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// A rows × cols float matrix in memory or, if matrices there would take more than half of the
/// context's memory budget, in a mapped temporary file that vanishes with it; or in a file of the
/// caller's, to survive an interruption. Of files, a quarter of the budget at most stays resident.
class KRICA_EXPORT FeatureMatrix {
 public:
  /// Throws IoError if it needs a temporary file and cannot create one.
  FeatureMatrix(const Context& context, Index rows, Index cols);

  /// In the named file: what a file of the right size holds is kept, any other is replaced. Throws
  /// IoError.
  FeatureMatrix(const Context& context, const std::filesystem::path& file, Index rows, Index cols);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] bool on_disk() const { return on_disk_; }
  [[nodiscard]] float* row(Index i) { return memory_.get() + i * cols_; }
  [[nodiscard]] ConstMatrixView<float> view() const { return {memory_.get(), rows_, cols_}; }
  [[nodiscard]] MatrixView<float> view() { return {memory_.get(), rows_, cols_}; }

  /// Flushes a named file to disk. Throws IoError.
  void sync() const;
  /// From here on changes do not reach the named file.
  void detach(const Context& context);

 private:
  Index rows_;
  Index cols_;
  bool on_disk_ = false;
  std::filesystem::path file_;  // empty: no named file
  std::shared_ptr<float[]> memory_;
};

}  // namespace krica
