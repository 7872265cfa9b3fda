// SPDX-License-Identifier: BSD-3-Clause
//
// Features of an image scaled to length 1, as Yang, Yu, Gong and Huang (CVPR 2009) give them to the
// classifier.
#pragma once

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// The length of a row, or 1 if all its values are 0.
float row_length(const float* row, Index values);

/// Divides every row by its row_length(), on the context's threads.
void scale_to_unit_length(const Context& context, MatrixView<float> features);

}  // namespace krica
