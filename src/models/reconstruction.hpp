// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/models/model.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// Samples from their codes where these are linear, s = A(x - μ): μ plus the shortest d with the
/// least ‖Ad - s‖. With as many independent atoms as the samples vary in directions, or more, that
/// is the sample itself, but for rounding.
///
/// codes m × K, the result m × n. Throws InvalidArgument unless the model is of samples, its
/// codes are linear (has_linear_codes), and its preprocessing can be undone.
KRICA_EXPORT Matrix<float> samples_from_codes(const Model& model, ConstMatrixView<float> codes);

/// The atoms as filters in the space of the samples, K × n: a·(x - input_mean()) is w·(preprocessed
/// x). Both throw InvalidArgument where the preprocessing is not affine; the model must have atoms.
KRICA_EXPORT Matrix<double> input_filters(const Model& model);
KRICA_EXPORT std::vector<double> input_mean(const Model& model);

/// Whether samples_from_codes() can serve a model with these options (resolved).
bool has_linear_codes(const PipelineOptions& options);

}  // namespace krica
