// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/models/model.hpp"

namespace krica {

/// Samples from their codes where these are linear, s = Wz of the whitened sample z: the shortest z
/// with the least ‖Wz - s‖, un-whitened. With as many independent atoms as z has values, or more,
/// that is the sample itself, but for rounding.
///
/// codes m × K, the result m × n. Throws InvalidArgument unless the model is of samples, its
/// encoder is "kernel" with the linear kernel, and its preprocessing can be undone.
Matrix<float> samples_from_codes(const Model& model, ConstMatrixView<float> codes);

/// Whether samples_from_codes() can serve a model with these options (resolved).
bool has_linear_codes(const PipelineOptions& options);

}  // namespace krica
