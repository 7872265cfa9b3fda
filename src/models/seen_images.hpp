// SPDX-License-Identifier: BSD-3-Clause
//
// SeenImages: the images that a model was trained on, as content hashes, so that an evaluation can
// detect training images. Keeps the 4,096 smallest hashes: a set of up to that size is known
// completely, a larger one through a fixed sample of its images.
#pragma once

#include <cstdint>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

class SeenImages {
 public:
  SeenImages() = default;  ///< unknown, as for older model files
  static SeenImages of(const Context& context, const ImageSet& images);

  [[nodiscard]] bool known() const { return !hashes_.empty(); }
  /// Whether all training images are known, not only a sample.
  [[nodiscard]] bool complete() const { return complete_; }

  /// How many of `images` are training images; if only a sample is known, an estimate, at least 1
  /// if any sampled image was found. Reads the images.
  [[nodiscard]] Index count_in(const Context& context, const ImageSet& images) const;
  /// Indices of the images that are not training images. Requires complete().
  [[nodiscard]] std::vector<Index> unseen_in(const Context& context, const ImageSet& images) const;

  /// The tensor "training_images"; absent if unknown.
  void save(Archive& archive) const;
  /// Throws DataError for hashes that are not sorted.
  static SeenImages load(const Archive& archive);

 private:
  [[nodiscard]] bool has(std::uint64_t hash) const;

  std::vector<std::uint64_t> hashes_;  // ascending, unique
  bool complete_ = true;
};

}  // namespace krica
