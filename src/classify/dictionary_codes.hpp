// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "classify/feature_projection.hpp"
#include "krica/features/encoder.hpp"

namespace krica {

/// Codes of features by a dictionary: their principal components, scaled to length 1, are coded by
/// matching pursuit. What d-ksvd and lc-ksvd make of the pooled features of images.
struct DictionaryCodes {
  FeatureProjection projection;
  Encoder encoder;

  /// Samples × atoms, on the context's threads.
  [[nodiscard]] Matrix<float> of(const Context& context, ConstMatrixView<float> features) const;

  void save(Archive& archive) const;
  /// None if the archive holds no dictionary. Throws DataError for one that does not fit together
  /// or has more than `most_atoms`.
  static std::optional<DictionaryCodes> load_if(const Archive& archive, Index most_atoms);
};

}  // namespace krica
