// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/models/model.hpp"

namespace krica {

/// Samples from their codes where these are linear, s = A(x - μ): μ plus the shortest d with the
/// least ‖Ad - s‖. With as many independent atoms as the samples vary in directions, or more, that
/// is the sample itself, but for rounding.
///
/// codes m × K, the result m × n. Throws InvalidArgument unless the model is of samples, its
/// encoder is "kernel" with the linear kernel, and its preprocessing can be undone.
Matrix<float> samples_from_codes(const Model& model, ConstMatrixView<float> codes);

/// Whether samples_from_codes() can serve a model with these options (resolved).
bool has_linear_codes(const PipelineOptions& options);

}  // namespace krica
