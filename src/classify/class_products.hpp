// SPDX-License-Identifier: BSD-3-Clause
//
// The two products of a linear classifier's loss, for few classes and many features:
//
//   S = Z Wᵀ   (samples × classes)      and      G += Eᵀ Z   (classes × features)
//
// A general product packs Z, which takes longer than multiplying it by ten rows; these read Z once,
// as it lies. Written with Highway: every instruction set from one source, chosen at run time. A
// sample's scores do not depend on the samples beside it.
#pragma once

#include <memory>

#include "krica/runtime/matrix.hpp"

namespace krica {

class ClassScores {
 public:
  /// Packs W (classes × features).
  static std::unique_ptr<const ClassScores> of(ConstMatrixView<float> W);
  virtual ~ClassScores() = default;

  /// Overwrites scores (rows of Z × classes). One thread.
  virtual void compute(ConstMatrixView<float> Z, MatrixView<float> scores) const = 0;
};

/// G += Eᵀ Z: E rows × classes, Z rows × features, G classes × features. One thread.
void add_class_products(ConstMatrixView<float> E, ConstMatrixView<float> Z, MatrixView<float> G);

}  // namespace krica
