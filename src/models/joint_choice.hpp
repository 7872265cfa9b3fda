// SPDX-License-Identifier: BSD-3-Clause
//
// Decides what max-margin training keeps. Three models are compared by their accuracy on images
// that none of them was trained on: one held-out part, or, if that would be too small, every image
// in turn (folds). The learned atoms must beat the initial ones; the jointly learned classifier
// must beat an SVM fitted to their features.
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
  kJoint,     ///< the learned atoms, with their jointly learned classifier
};

/// Held-out accuracy of SVMs for each C, over one or more held-out parts.
class SvmTrials {
 public:
  /// `held_out` images were tested with each C; all C come from the same grid.
  void add(const ChosenC& of_part, Index held_out);

  /// The C with the highest accuracy among those tested on every part (the smallest on ties), and
  /// that accuracy. 0 before the first part.
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
  double joint_right = 0;  ///< held-out images classified correctly by the joint classifier
  double images = 0;       ///< held-out images
  Index parts = 0;
  /// The summed logarithms of the temperatures (calibration.hpp) fitted to held-out scores.
  struct Temperature {
    double logarithms = 0;
    double parts = 0;  ///< number of terms
  };
  std::array<Temperature, 3> temperatures = {};  ///< for each Kept

  [[nodiscard]] double joint_accuracy() const { return images > 0 ? joint_right / images : 0; }

  /// refit: whether the classifier must, or must not, be an SVM. Keeps the start unless what was
  /// learned is better.
  [[nodiscard]] Kept choice(const Auto<bool>& refit) const;
  /// The geometric mean; 1 if there are none.
  [[nodiscard]] double temperature(Kept kept) const;
  [[nodiscard]] JointComparison comparison(Kept kept) const;

  [[nodiscard]] Archive saved() const;
  static JointEvidence load(const Archive& archive);
};

}  // namespace krica
