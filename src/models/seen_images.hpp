// SPDX-License-Identifier: BSD-3-Clause
//
// SeenImages: which images a model learned from, as hashes of their content, so that an evaluation
// can tell when it scores training images. At most 4,096 hashes are kept, the smallest ones: a set
// of that size or less is known completely, a larger one through a fixed sample of its images.
#pragma once

#include <cstdint>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

class SeenImages {
 public:
  SeenImages() = default;  ///< nothing is known, as of models made before this was kept
  static SeenImages of(const Context& context, const ImageSet& images);

  [[nodiscard]] bool known() const { return !hashes_.empty(); }
  /// Whether every image can be told apart, not only a sample of them.
  [[nodiscard]] bool complete() const { return complete_; }

  /// How many of `images` were learned from; where the set is known by a sample, an estimate from
  /// it, at least 1 if any sampled image was seen. Reads the images.
  [[nodiscard]] Index count_in(const Context& context, const ImageSet& images) const;
  /// Indices of the images that were not learned from. Needs complete().
  [[nodiscard]] std::vector<Index> unseen_in(const Context& context, const ImageSet& images) const;

  /// The tensor "training_images"; absent where nothing is known.
  void save(Archive& archive) const;
  /// Throws DataError for hashes that are not sorted.
  static SeenImages load(const Archive& archive);

 private:
  [[nodiscard]] bool has(std::uint64_t hash) const;

  std::vector<std::uint64_t> hashes_;  // ascending, without repetition
  bool complete_ = true;
};

}  // namespace krica
