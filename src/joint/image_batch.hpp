// SPDX-License-Identifier: BSD-3-Clause
//
// A batch of images in memory, whose preprocessed patches are made tile by tile.
#pragma once

#include <span>
#include <vector>

#include "features/patch_tile.hpp"
#include "krica/joint/augmentation.hpp"
#include "krica/joint/pooled_codes.hpp"

namespace krica {

class ImageBatch final : public PatchTiles<float> {
 public:
  ImageBatch(const ImageSet& images, const Preprocessing& preprocessing, const PoolingGrid& grid,
             const FeatureOptions& features)
      : images_(images),
        preprocessing_(preprocessing),
        layout_{grid, images.shape(), features.receptive_field, features.stride} {}

  /// Reads the given images; each is changed by a random stream of its own where wanted.
  void load(const Context& context, std::span<const Index> chosen,
            const Augmentation& augmentation = {}, std::uint64_t epoch = 0);

  [[nodiscard]] Index images() const override { return count_; }
  void read(Index image, Index first, MatrixView<float> patches) const override;

 private:
  const ImageSet& images_;
  const Preprocessing& preprocessing_;
  PatchLayout layout_;
  Index count_ = 0;
  std::vector<float> pixels_;
};

}  // namespace krica
