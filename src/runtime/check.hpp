// SPDX-License-Identifier: BSD-3-Clause
//
// Argument checks with uniform messages: "[operation] what must hold, got value".
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "krica/runtime/error.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// Throws InvalidArgument("[operation] " + message) unless the condition holds.
template <class... Args>
void require(bool condition, std::string_view operation, fmt::format_string<Args...> message,
             Args&&... args) {
  if (!condition) {
    throw InvalidArgument(
        fmt::format("[{}] {}", operation, fmt::format(message, std::forward<Args>(args)...)));
  }
}

/// Rejects NaN and Inf, reporting their count and the first position.
template <class Scalar>
void require_finite(ConstMatrixView<Scalar> matrix, std::string_view operation,
                    std::string_view name);

/// Rejects matrices without rows or columns.
template <class Scalar>
void require_not_empty(ConstMatrixView<Scalar> matrix, std::string_view operation,
                       std::string_view name) {
  require(matrix.rows() > 0 && matrix.cols() > 0, operation, "{} is empty ({} x {})", name,
          matrix.rows(), matrix.cols());
}

}  // namespace krica
