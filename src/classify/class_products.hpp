// SPDX-License-Identifier: BSD-3-Clause
//
// The two products of a linear classifier's loss, for few classes and many features:
//
//   S = Z Wᵀ   (samples × classes)      and      G += Eᵀ Z   (classes × features)
//
// A general product packs Z, which takes longer than multiplying it by ten rows; these read Z once,
// unpacked. Written with Highway: one source for all instruction sets, selected at run time. The
// scores of a sample do not depend on its neighbours.
#pragma once

#include <memory>

#include "krica/runtime/matrix.hpp"

namespace krica {

class ClassScores {
 public:
  /// Packs W (classes × features).
  static std::unique_ptr<const ClassScores> of(ConstMatrixView<float> W);
  virtual ~ClassScores() = default;

  /// Overwrites scores (rows of Z × classes). Single-threaded.
  virtual void compute(ConstMatrixView<float> Z, MatrixView<float> scores) const = 0;
};

/// G += Eᵀ Z: E rows × classes, Z rows × features, G classes × features. Single-threaded.
void add_class_products(ConstMatrixView<float> E, ConstMatrixView<float> Z, MatrixView<float> G);

}  // namespace krica
