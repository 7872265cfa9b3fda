// SPDX-License-Identifier: BSD-3-Clause
#include "device/hinge_sums.hpp"

namespace krica::device {

std::size_t hinge_bytes(std::int64_t rows, std::int64_t cols, int classes) {
  const auto of_rows =
      static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols + classes + 2);
  const auto of_weights =
      2 * static_cast<std::size_t>(classes) * static_cast<std::size_t>(cols + 1);
  return 4 * (of_rows + of_weights);
}

}  // namespace krica::device
