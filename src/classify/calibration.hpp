// SPDX-License-Identifier: BSD-3-Clause
//
// Probabilities from a classifier's scores, with a single temperature:
//
//   p(class c | sample) = exp(s_c / T) / Σ_k exp(s_k / T)
//
// A single T for all classes preserves their order, and so the prediction. T minimises the mean
// negative log-likelihood of held-out samples: Guo, Pleiss, Sun and Weinberger, "On Calibration of
// Modern Neural Networks", ICML 2017. The labels are smoothed as in Platt, "Probabilistic Outputs
// for Support Vector Machines", 2000: with m samples the label has weight (m + 1) / (m + 2), and
// the other classes share the rest. Held-out samples that are all classified correctly therefore
// give a finite temperature, with a mean probability near (m + 1) / (m + 2).
#pragma once

#include <span>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// The range of temperatures.
inline constexpr double kLowestTemperature = 1e-3;
inline constexpr double kHighestTemperature = 1e3;

/// The best temperature for scores (samples × classes) of samples that the classifier has not been
/// trained on. Throws InvalidArgument for no samples, fewer than two classes, labels out of range,
/// NaN or Inf.
double fit_temperature(ConstMatrixView<float> scores, std::span<const int> labels);

/// Each row sums to 1; the largest probability belongs to the highest score. Throws InvalidArgument
/// for a temperature that is not finite and > 0.
Matrix<float> probabilities_of(ConstMatrixView<float> scores, double temperature);

/// Whether a row of probabilities is ambiguous: the largest is below 0.5, or less than 0.1 above
/// the second.
bool is_unsure(std::span<const float> probabilities);

/// How far probabilities are from frequencies: samples are grouped by their largest probability
/// into `bins` intervals of equal width; returns the mean over samples of |mean probability -
/// accuracy| of the sample's interval (Guo et al., section 2). Throws InvalidArgument like
/// fit_temperature.
double expected_calibration_error(ConstMatrixView<float> probabilities, std::span<const int> labels,
                                  int bins = 15);

}  // namespace krica
