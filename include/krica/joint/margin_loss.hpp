// SPDX-License-Identifier: BSD-3-Clause
//
// Losses of scores f (N × c) against labels, as a mean over the N images:
//   squared-hinge    Σ_c max(0, 1 - y_c f_c)², y_c = 1 for the label's class, else -1
//   cross-entropy    -log softmax(f)_label
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

enum class MarginLoss { kSquaredHinge, kCrossEntropy };
std::string_view name_of(MarginLoss loss);
MarginLoss margin_loss(std::string_view name);

/// The loss; overwrites the scores with its derivative in them.
template <class Scalar>
double loss_and_derivative(MarginLoss loss, std::span<const int> labels, MatrixView<Scalar> scores);

/// The scores that are best for images of which nothing is known, from the labels' frequencies:
/// 2p-1 for the squared hinge, log p (p at least one image) for the cross-entropy. Training begins
/// with them, for the bias is one of many parameters and would otherwise take long to get there.
std::vector<double> best_constant_scores(MarginLoss loss, std::span<const int> labels,
                                         Index n_classes);

}  // namespace krica
