// SPDX-License-Identifier: BSD-3-Clause
//
// What a max-margin training ends with. Three models are compared by their accuracy on images that
// none of them was learned from: one held-out part, or where that would be too few to tell, every
// image in its turn (folds). The learned atoms have to beat those that training began with; the
// classifier that was learned with them has to beat an SVM fitted to their features.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "krica/classify/linear_classifier.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

enum class Kept {
  kStart,     ///< the initial atoms, with an SVM
  kRefitted,  ///< the learned atoms, with an SVM
  kJoint,     ///< the learned atoms, with the classifier that was learned with them
};

/// Held-out accuracy of SVMs by their C, over one or several held-out parts.
class SvmTrials {
 public:
  /// `held_out` images were tried with each C; every C is a part of the same grid.
  void add(const ChosenC& of_part, Index held_out);

  /// The C with the highest accuracy among those that were tried on every part, the smaller of
  /// equals; and that accuracy. 0 before the first part.
  [[nodiscard]] bool empty() const { return trials_.empty(); }
  [[nodiscard]] double C() const;
  [[nodiscard]] double accuracy() const;

  void save(Archive& archive, const std::string& name) const;
  static SvmTrials load(const Archive& archive, const std::string& name);

 private:
  struct Trial {
    double C = 0;
    double right = 0;
    double images = 0;
  };
  [[nodiscard]] Trial best() const;

  std::vector<Trial> trials_;
  double images_ = 0;
};

struct JointEvidence {
  SvmTrials start;
  SvmTrials learned;
  double joint_right = 0;  ///< held-out images that the jointly learned classifier got right
  double images = 0;       ///< held-out images
  Index parts = 0;
  /// The logarithms of temperatures (calibration.hpp) that fit held-out scores, summed.
  struct Temperature {
    double logarithms = 0;
    double parts = 0;  ///< of how many
  };
  std::array<Temperature, 3> temperatures = {};  ///< for each Kept

  [[nodiscard]] double joint_accuracy() const { return images > 0 ? joint_right / images : 0; }

  /// refit: whether the classifier must, or must not, be an SVM. The start is kept unless what was
  /// learned is better.
  [[nodiscard]] Kept choice(const Auto<bool>& refit) const;
  /// The geometric mean; 1 where there is none.
  [[nodiscard]] double temperature(Kept kept) const;
  [[nodiscard]] JointComparison comparison(Kept kept) const;

  [[nodiscard]] Archive saved() const;
  static JointEvidence load(const Archive& archive);
};

}  // namespace krica
