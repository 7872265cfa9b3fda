// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// The mean of the squared values of X. Throws InvalidArgument if all are zero.
template <class Scalar>
double mean_square(const Context& context, ConstMatrixView<Scalar> X, std::string_view operation);

}  // namespace krica
