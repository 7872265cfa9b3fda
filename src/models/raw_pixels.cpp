// SPDX-License-Identifier: BSD-3-Clause
#include "models/raw_pixels.hpp"

#include <algorithm>

#include "features/unit_length.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {

FeatureMatrix raw_pixels(const Context& context, const ImageSet& images, const ImageShape& shape,
                         bool unit_length) {
  require(images.shape() == shape, "raw_pixels", "the model was trained on {}, but these are {}",
          to_text(shape), to_text(images.shape()));
  FeatureMatrix features(context, images.size(), shape.values());
  const Partition blocks(images.size(),
                         std::clamp<Index>((Index{1} << 22) / shape.values(), 1, 256));
  parallel_for(context, blocks.count(), [&](Index b) {
    images.read(blocks[b].begin, blocks[b].size(), features.row(blocks[b].begin));
  });
  if (unit_length) scale_to_unit_length(context, features.view());
  return features;
}

}  // namespace krica
