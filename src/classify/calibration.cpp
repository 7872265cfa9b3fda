// SPDX-License-Identifier: BSD-3-Clause
#include "classify/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "calibration";
constexpr int kBisections = 60;  // more than the precision of a float in log T
constexpr float kUnsureBelow = 0.5F;
constexpr float kUnsureMargin = 0.1F;

void check_samples(ConstMatrixView<float> scores, std::span<const int> labels,
                   std::string_view what) {
  require_not_empty(scores, kName, what);
  require(scores.cols() >= 2, kName, "at least 2 classes are needed, got {}", scores.cols());
  require(static_cast<Index>(labels.size()) == scores.rows(), kName, "{} labels for {} samples",
          labels.size(), scores.rows());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] >= 0 && labels[i] < scores.cols(), kName,
            "label {} at sample {} is not in 0 ... {}", labels[i], i, scores.cols() - 1);
  }
  require_finite(scores, kName, what);
}

/// exp(β (s_c - max)), and their sum.
double exponentials(ConstMatrixView<float> scores, Index row, double beta,
                    std::vector<double>& out) {
  const float largest = scores.row(row).maxCoeff();
  double sum = 0;
  for (Index c = 0; c < scores.cols(); ++c) {
    out[static_cast<std::size_t>(c)] =
        std::exp(beta * static_cast<double>(scores(row, c) - largest));
    sum += out[static_cast<std::size_t>(c)];
  }
  return sum;
}

/// The derivative of the mean negative log-likelihood with respect to β = 1/T: the mean score under
/// the probabilities minus that under the smoothed labels. It increases with β, because the
/// likelihood is concave in β.
double slope(ConstMatrixView<float> scores, std::span<const int> labels, double beta) {
  const auto m = static_cast<double>(labels.size());
  const double label_weight = (m + 1) / (m + 2);
  const double other_weight = (1 - label_weight) / static_cast<double>(scores.cols() - 1);
  std::vector<double> weights(static_cast<std::size_t>(scores.cols()));
  double total = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double sum = exponentials(scores, i, beta, weights);
    for (Index c = 0; c < scores.cols(); ++c) {
      const double target = c == labels[static_cast<std::size_t>(i)] ? label_weight : other_weight;
      total +=
          (weights[static_cast<std::size_t>(c)] / sum - target) * static_cast<double>(scores(i, c));
    }
  }
  return total / m;
}

}  // namespace

double fit_temperature(ConstMatrixView<float> scores, std::span<const int> labels) {
  check_samples(scores, labels, "scores");
  double low = std::log(1 / kHighestTemperature);  // of log β
  double high = std::log(1 / kLowestTemperature);
  if (slope(scores, labels, std::exp(low)) >= 0) return kHighestTemperature;
  if (slope(scores, labels, std::exp(high)) <= 0) return kLowestTemperature;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (slope(scores, labels, std::exp(middle)) > 0 ? high : low) = middle;
  }
  return std::exp(-(low + high) / 2);
}

Matrix<float> probabilities_of(ConstMatrixView<float> scores, double temperature) {
  require(std::isfinite(temperature) && temperature > 0, kName,
          "the temperature must be finite and > 0, got {}", temperature);
  Matrix<float> result(scores.rows(), scores.cols());
  std::vector<double> weights(static_cast<std::size_t>(scores.cols()));
  for (Index i = 0; i < scores.rows(); ++i) {
    const double sum = exponentials(scores, i, 1 / temperature, weights);
    for (Index c = 0; c < scores.cols(); ++c)
      result(i, c) = static_cast<float>(weights[static_cast<std::size_t>(c)] / sum);
  }
  return result;
}

bool is_unsure(std::span<const float> probabilities) {
  float best = 0;
  float second = 0;
  for (const float p : probabilities) {
    if (p > best) {
      second = std::exchange(best, p);
    } else {
      second = std::max(second, p);
    }
  }
  return best < kUnsureBelow || best - second < kUnsureMargin;
}

double expected_calibration_error(ConstMatrixView<float> probabilities, std::span<const int> labels,
                                  int bins) {
  check_samples(probabilities, labels, "probabilities");
  require(bins >= 1, kName, "bins must be >= 1, got {}", bins);
  std::vector<double> excess(static_cast<std::size_t>(bins), 0.0);  // Σ (probability - right)
  for (Index i = 0; i < probabilities.rows(); ++i) {
    Index best = 0;
    const auto p = static_cast<double>(probabilities.row(i).maxCoeff(&best));
    const int bin = std::clamp(static_cast<int>(p * bins), 0, bins - 1);
    excess[static_cast<std::size_t>(bin)] +=
        p - (best == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0);
  }
  double error = 0;
  for (const double e : excess) error += std::abs(e);
  return error / static_cast<double>(labels.size());
}

}  // namespace krica
