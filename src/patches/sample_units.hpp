// SPDX-License-Identifier: BSD-3-Clause
//
// Samples come in arbitrary units (volts or microvolts); what is learned must not depend on them.
// So samples are brought to a mean variance of 1 before anything else, x ← scale · (x - centre), in
// double precision: the same data in another unit then gives the same float32 numbers, and the same
// model (docs/decisions/0007-units.md). Images have no such step: their pixels have a known range.
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

struct SampleUnits {
  std::vector<double> centre = {};  ///< one number per feature; empty: 0
  double scale = 1;

  struct Options {
    bool rescaled = true;  ///< false: scale stays 1, for objectives that depend on the unit
    bool centred = true;   ///< for whitening, which removes the mean anyway
    /// Rows are normalised by themselves: the variance within rows counts, and centre is empty.
    bool by_rows = false;
  };
  /// Throws InvalidArgument for samples that are all 0, DataError and IoError as ImageSet::read.
  static SampleUnits of(const Context& context, const ImageSet& samples, const Options& options);

  [[nodiscard]] bool is_identity() const { return centre.empty() && scale == 1; }
  /// `count` rows of `features` numbers.
  void apply(const double* rows, Index count, Index features, float* out) const;

  /// Nothing is written for the identity; archives without units load as the identity.
  void save(Archive& archive) const;
  static SampleUnits load(const Archive& archive);
};

/// Samples as they are in these units; images and the identity pass through. Keeps references.
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
