// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "device/basis_twin.hpp"
#include "device/device_error.hpp"
#include "runtime/check.hpp"

namespace krica::device {

void require_usable(const TwinSamples& samples, int atoms) {
  require(samples.count >= 1 && samples.count < std::numeric_limits<int>::max() - 8 &&
              samples.n >= 1 && samples.stride >= samples.n && atoms >= 1,
          "device", "{} samples of {} values with {} atoms", samples.count, samples.n, atoms);
}

void require_usable(const TwinSamples& samples, const TwinOptions& options) {
  require_usable(samples, options.atoms);
  require(options.block_rows >= 0, "device", "block_rows must be >= 0, got {}", options.block_rows);
  const std::size_t labels = options.classes.active() ? static_cast<std::size_t>(samples.count) : 0;
  require(samples.labels.size() >= labels, "device", "{} labels for {} samples",
          samples.labels.size(), samples.count);
}

void require_usable(const TwinSamples& samples, const KricaTwinOptions& options) {
  require_usable(samples, options.common);
  if (options.kernel.kind == MercerKind::kPolynomial && options.kernel.degree % 2 == 0) {
    throw DeviceError(Trouble::kUnsupported,
                      "[device] no kRICA with a polynomial kernel of even degree");
  }
}

int block_rows_that_fit(const TwinMemory& memory, std::size_t budget, std::int64_t most,
                        std::int64_t samples, std::int64_t fewest) {
  std::int64_t rows = std::min(most, samples);
  const auto needed = [&] {
    return memory.fixed + memory.per_row * static_cast<std::size_t>(rows);
  };
  while (needed() > budget && rows >= 2 * fewest) rows /= 2;
  if (needed() > budget) {
    throw DeviceError(
        Trouble::kOutOfMemory,
        fmt::format("[device] {} samples with {} at a time need {} MiB, the budget is "
                    "{} MiB",
                    samples, rows, needed() >> 20, budget >> 20));
  }
  return filled_up(static_cast<int>(rows));
}

SparseMatrix transposed(const SparseMatrix& matrix) {
  const std::size_t rows = matrix.offsets.size() - 1;
  SparseMatrix result;
  result.offsets.assign(rows + 1, 0);
  for (const int column : matrix.columns) ++result.offsets[static_cast<std::size_t>(column) + 1];
  for (std::size_t j = 0; j < rows; ++j) result.offsets[j + 1] += result.offsets[j];
  std::vector<int> next(result.offsets.begin(), result.offsets.end() - 1);
  result.columns.resize(matrix.columns.size());
  result.values.resize(matrix.values.size());
  for (std::size_t j = 0; j < rows; ++j) {
    for (auto e = static_cast<std::size_t>(matrix.offsets[j]);
         e < static_cast<std::size_t>(matrix.offsets[j + 1]); ++e) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(matrix.columns[e])]++);
      result.columns[at] = static_cast<int>(j);
      result.values[at] = matrix.values[e];
    }
  }
  return result;
}

}  // namespace krica::device
