// SPDX-License-Identifier: BSD-3-Clause
//
// The losses of scores (N × c) against labels.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "krica/classify/linear_classifier.hpp"

namespace krica {

/// The loss; overwrites the scores with its derivative in them.
template <class Scalar>
double loss_and_derivative(MarginLoss loss, std::span<const int> labels, MatrixView<Scalar> scores);

/// The scores that are best for images of which nothing is known, from the labels' frequencies:
/// 2p-1 for the squared hinge, log p (p at least one image) for the cross-entropy. Training begins
/// with them, for the bias is one of many parameters and would otherwise take long to get there.
std::vector<double> best_constant_scores(MarginLoss loss, std::span<const int> labels,
                                         Index n_classes);

}  // namespace krica
