// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "krica/runtime/matrix.hpp"
#include "runtime/vector_math.hpp"

namespace krica {

/// z_u ← 1 / (1 + exp(-z_u - b_u)), for one code.
template <class Scalar>
void sigmoid_in_place(Scalar* z, std::span<const Scalar> bias) {
  for (std::size_t u = 0; u < bias.size(); ++u) z[u] = -z[u] - bias[u];
  exp_in_place(z, static_cast<Index>(bias.size()));
  for (std::size_t u = 0; u < bias.size(); ++u) z[u] = Scalar(1) / (Scalar(1) + z[u]);
}

}  // namespace krica
