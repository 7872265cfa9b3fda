// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/models/model.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// Reconstructs samples from linear codes s = A(x - μ): μ plus the shortest d that minimises ‖Ad -
/// s‖. With at least as many independent atoms as directions in which the samples vary, that is the
/// sample itself, up to rounding.
///
/// Signed codes of a lasso or a matching pursuit say which sum of atoms a sample is near: that sum
/// is the reconstruction.
///
/// codes m × K, result m × n. Throws InvalidArgument unless the model was trained on samples, its
/// codes are of either kind, and its preprocessing can be inverted.
KRICA_EXPORT Matrix<float> samples_from_codes(const Model& model, ConstMatrixView<float> codes);

/// The atoms as filters in the space of the samples, K × n: a·(x - input_mean()) is w·(preprocessed
/// x). Both throw InvalidArgument if the preprocessing is not affine; the model must have atoms.
KRICA_EXPORT Matrix<double> input_filters(const Model& model);
KRICA_EXPORT std::vector<double> input_mean(const Model& model);

/// Which kind of codes a model with these options (resolved) has.
bool has_linear_codes(const PipelineOptions& options);
bool has_sparse_sums(const PipelineOptions& options);

}  // namespace krica
