// SPDX-License-Identifier: BSD-3-Clause
//
// Samples come in arbitrary units (volts or microvolts); the result must not depend on them.
// Samples are therefore scaled to a mean variance of 1 before anything else, x ← scale · (x -
// centre), in double precision: the same data in another unit then gives the same float32 numbers,
// and the same model (docs/decisions/0007-units.md). Images need no such step: their pixels have a
// known range.
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

struct SampleUnits {
  std::vector<double> centre = {};  ///< one number per feature; empty: 0
  double scale = 1;

  struct Options {
    bool rescaled = true;  ///< false: scale is 1, for objectives that depend on the unit
    bool centred = true;   ///< for whitening, which removes the mean anyway
    /// Rows are normalised separately: scale by the variance within rows; centre is empty.
    bool by_rows = false;
  };
  /// Throws InvalidArgument for samples that are all 0, DataError and IoError like ImageSet::read.
  static SampleUnits of(const Context& context, const ImageSet& samples, const Options& options);

  [[nodiscard]] bool is_identity() const { return centre.empty() && scale == 1; }
  /// `count` rows of `features` numbers.
  void apply(const double* rows, Index count, Index features, float* out) const;

  /// The identity is not saved; archives without units load as the identity.
  void save(Archive& archive) const;
  static SampleUnits load(const Archive& archive);
};

/// Samples in these units; images and the identity pass through. Keeps references.
class SamplesInUnits final : public ImageSet {
 public:
  SamplesInUnits(const ImageSet& samples, const SampleUnits& units);

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override;
  void load_floats(Index first, Index count, float* out) const override;

  const ImageSet& samples_;
  const SampleUnits& units_;
};

}  // namespace krica
