// SPDX-License-Identifier: BSD-3-Clause
//
// MarginTraining: atoms and a linear classifier learned together on a GPU, as joint/objective.hpp
// without its reconstruction term. Parameters, Adam's moments and the features of a batch stay on
// the device; a step sends labels there, and fetches the loss.
//
// Z: the pooled codes of N images, F features each (N × F, by far the largest matrix); φ the power,
// ẑ = (φ(z) - μ) / σ, scores = Ẑ Tᵀ + β, E = ∂L/∂scores. Three kernels pass over Z:
//
//   moments    reads Z        μ, σ
//   scores     reads Z        Ẑ Tᵀ in parts
//   backward   reads Z        ∂L/∂T = EᵀẐ; then, of the same columns and mostly from the cache,
//              writes over Z  ∂L/∂z = φ'(z)/σ (q - q̄ - ẑ p), q = E T, q̄ = mean E · T,
//                             p_j = mean(q_j ẑ_j) = Σ_c T_cj ∂L/∂T_cj / N
//
// so that Ẑ is never stored. Sums over images are in float32 or better and in a fixed order:
// the same bits in every run on the same kind of device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/pooled_codes.hpp"

namespace krica::device {

struct MarginSpec {
  PatchSpec patch;
  PoolSpec pool;
  AtomSpec atoms;             ///< its W and shapes are not used
  bool learn_shapes = false;  ///< else all atoms have atoms.shape
  bool log_shapes = false;    ///< what is learned are the shapes' logarithms
  int classes = 2;
  int batch = 2;     ///< the most images at a time
  double power = 1;  ///< of pooled codes
  double variance_floor = 1e-6;
  bool cross_entropy = false;  ///< else the squared hinge
  PooledCodesOptions codes = {};

  [[nodiscard]] std::size_t features() const {
    return pool.cells.size() * static_cast<std::size_t>(atoms.channels());
  }
  [[nodiscard]] std::size_t parameters() const {
    const auto K = static_cast<std::size_t>(atoms.count);
    return K * static_cast<std::size_t>(patch.values()) + (learn_shapes ? K : 0) +
           static_cast<std::size_t>(classes) * (features() + 1);
  }
  /// About what it allocates beside codes.memory_bytes.
  [[nodiscard]] std::size_t bytes() const {
    const auto parts_of_scores = std::size_t{128} * static_cast<std::size_t>(classes + 16);
    return 4 * (4 * parameters() +
                static_cast<std::size_t>(batch) * (features() + parts_of_scores)) +
           32 * features();
  }
};

/// One vector as long as the parameters, in this order: W (atoms × values), the shapes if they are
/// learned, T (classes × features), bias (classes).
enum class MarginVector {
  kParameters,
  kFirstMoment,  ///< Adam's
  kSecondMoment,
  kGradient,   ///< of the last step
  kEvaluated,  ///< the parameters for moments and scores; takes the gradient's place
};

struct AdamStep {
  std::int64_t step = 1;  ///< from 1
  double basis_rate = 0;  ///< of W and shapes
  double classifier_rate = 0;
  double decay = 0;  ///< of T
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

class MarginTraining {
 public:
  MarginTraining() = default;
  MarginTraining(const MarginTraining&) = delete;
  MarginTraining& operator=(const MarginTraining&) = delete;
  virtual ~MarginTraining() = default;

  virtual void put(MarginVector which, const float* values) = 0;
  virtual void get(MarginVector which, float* values) const = 0;

  struct Loss {
    double value = 0;
    bool finite = false;  ///< the loss and its whole gradient
  };
  /// One step on at least two images; labels are on the host. Changes no parameters if the loss or
  /// the gradient is not finite. Throws DeviceError, before it changes anything.
  virtual Loss step(const Pixels& images, std::span<const int> labels, const AdamStep& adam) = 0;

  /// The moments of features of kEvaluated, over images added in parts.
  virtual void clear_moments() = 0;
  virtual void add_moments(const Pixels& images, int count) = 0;
  /// Features each, on the host; variances without the floor.
  virtual void get_moments(double* mean, double* variance) const = 0;

  /// Sets the moments that scores() uses.
  virtual void put_moments(const double* mean, const double* variance) = 0;
  /// Of kEvaluated: count × classes, on the host.
  virtual void scores(const Pixels& images, int count, float* scores) = 0;
};

/// Throws what make_pooled_codes() does.
std::unique_ptr<MarginTraining> make_margin_training(const MarginSpec& spec);

}  // namespace krica::device
