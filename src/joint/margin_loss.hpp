// SPDX-License-Identifier: BSD-3-Clause
//
// The losses of scores (N × c) against labels.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "krica/classify/linear_classifier.hpp"

namespace krica {

/// Returns the loss; replaces the scores with the derivative of the loss.
template <class Scalar>
double loss_and_derivative(MarginLoss loss, std::span<const int> labels, MatrixView<Scalar> scores);

/// The best constant scores, from the label frequencies: 2p-1 for the squared hinge, log p (p at
/// least one image) for the cross-entropy. Training starts from them, because the bias is one of
/// many parameters and would otherwise take long to get there.
std::vector<double> best_constant_scores(MarginLoss loss, std::span<const int> labels,
                                         Index n_classes);

}  // namespace krica
