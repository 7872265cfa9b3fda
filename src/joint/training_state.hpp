// SPDX-License-Identifier: BSD-3-Clause
//
// The state of max-margin training between two steps, and its conversion to and from an archive.
#pragma once

#include <string>
#include <vector>

#include "joint/objective.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

/// Everything that prediction needs.
struct JointSnapshot {
  JointParameters<float> parameters;
  BatchMoments moments;  ///< of the training images' features
};

struct JointState {
  JointParameters<float> now;
  JointSnapshot best;
  JointParameters<float> first;  ///< Adam's moments of the gradient
  JointParameters<float> second;
  Index step = 0;
  Index stale_epochs = 0;
  Index best_epoch = 0;
  double best_accuracy = -1;
  double loss_sum = 0;  ///< over the epoch's steps so far
  std::vector<double> held_out_accuracy;

  /// Throws DataError if the archive is not such a state or has different shapes.
  void load(const Archive& archive);
  void save(Archive& archive) const;
};

/// Adam's rates for the parts.
struct JointRates {
  double basis = 0;       ///< of W and its shapes
  double classifier = 0;  ///< of T and the bias
  double decay = 0;       ///< of T
};
void adam_update(const JointParameters<float>& gradient, const JointRates& rates,
                 JointState& state);

/// Whether all parameters are finite.
bool all_finite(const JointParameters<float>& parameters);

}  // namespace krica
