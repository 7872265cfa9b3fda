// SPDX-License-Identifier: BSD-3-Clause
//
// Convolutional machines with images to evaluate them on: the first layer, and one above another.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "objectives/conv_rbm.hpp"
#include "objectives/conv_units.hpp"

namespace krica::device {

/// Relative errors of value and gradient in coarser products: a unit that flips may take 0.02.
inline constexpr double kTf32Value = 2e-2;
inline constexpr double kTf32Gradient = 0.1;
inline constexpr double kBf16Value = 5e-2;
inline constexpr double kBf16Gradient = 0.2;

/// In both precisions, with entries that float32 holds exactly.
struct ConvProblem {
  std::string name;
  ConvRbmOptions options;
  Matrix<double> X;
  Matrix<double> packed;
  std::vector<ConvLayer<double>> below = {};
  Matrix<float> narrow_X = as<float>(X);
  Matrix<float> narrow_packed = as<float>(packed);
  std::vector<ConvLayer<float>> narrow_below = {};
};

inline Matrix<double> rounded(const Matrix<double>& matrix) {
  return support::cast_to<double>(support::cast_to<float>(matrix));
}

inline ConvProblem conv_problem(std::string name, const ConvRbmOptions& options, Index images,
                                std::uint64_t seed) {
  const ConvShape& shape = options.shape;
  return {
      std::move(name), options,
      rounded(support::random_matrix<double>(images, shape.input.values(), seed)),
      rounded(parameters(shape, seed + 1, 0.7 / std::sqrt(static_cast<double>(shape.window()))))};
}

/// The machine above a first layer.
inline ConvProblem second_layer(Index images, std::uint64_t seed) {
  const ConvShape first{{14, 13, 2}, 3, 5};
  ConvProblem problem = conv_problem(
      "second layer", {.shape = {first.pooled(), 2, 9}, .visible = VisibleUnits::kBinary}, images,
      seed);
  problem.X = rounded(support::random_matrix<double>(images, first.input.values(), seed + 2));
  problem.narrow_X = as<float>(problem.X);
  const Matrix<double> W = rounded(parameters(first, seed + 3, 0.3));
  const Matrix<double> weights =
      Matrix<double>::copy_of(W.view().topLeftCorner(5, first.window()).eval());
  problem.below.emplace_back(first, weights, std::vector<double>(5, -0.5));
  problem.narrow_below.emplace_back(first, as<float>(weights), std::vector<float>(5, -0.5F));
  return problem;
}

/// Even and odd sizes, one group and several, windows that need filling up and one that does not.
inline std::vector<ConvProblem> conv_problems() {
  std::vector<ConvProblem> problems;
  problems.push_back(conv_problem(
      "Gaussian", {.shape = {{6, 7, 2}, 2, 3}, .sparsity = 0.7, .sparsity_target = 0.1}, 9, 1));
  problems.push_back(conv_problem("odd sizes", {.shape = {{13, 10, 3}, 4, 10}}, 21, 2));
  problems.push_back(conv_problem("one group", {.shape = {{5, 5, 1}, 1, 1}}, 5, 3));
  problems.push_back(conv_problem("one block", {.shape = {{9, 8, 1}, 7, 8}}, 12, 4));
  problems.push_back(conv_problem(
      "binary", {.shape = {{8, 9, 2}, 3, 4}, .visible = VisibleUnits::kBinary}, 11, 5));
  problems.push_back(second_layer(10, 6));
  return problems;
}

}  // namespace krica::device
