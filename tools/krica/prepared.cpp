// SPDX-License-Identifier: BSD-3-Clause
#include "prepared.hpp"

#include <fmt/format.h>

#include "krica/runtime/error.hpp"
#include "models/method_defaults.hpp"
#include "models/model_parts.hpp"

namespace krica::cli {
namespace {

bool same_sides(const ImageShape& a, const ImageShape& b) {
  return a.height == b.height && a.width == b.width;
}

[[noreturn]] void refuse(const ImageShape& got, const ImageShape& learned) {
  throw DataError(fmt::format("[predict] the model was trained on {}, but these are {}",
                              to_text(learned), to_text(got)));
}

/// Whether the model takes images of any size that were prepared by rule "within".
bool keeps_sizes(const Model& model) {
  return model.accepts_any_size() && model.parts().preparation.size_rule == ImageSizeRule::kWithin;
}

/// Shrinks it if it is too large. Throws DataError if it has no room for a descriptor.
ImageShape own_shape(const ImageShape& shape, const Model& model) {
  const Index longest = model.parts().preparation.longest_side;
  ImageShape own = longest > 0 ? resized_shape(shape, longest, ImageSizeRule::kWithin) : shape;
  own.channels = model.shape().channels;
  try {
    static_cast<void>(model.parts().extractor->descriptors().positions(own));
  } catch (const InvalidArgument& error) {
    throw DataError(error.what());
  }
  return own;
}

}  // namespace

void suit_descriptor(DataOptions& options, const PipelineOptions& pipeline) {
  if (!options.image_size_rule && descriptor_of(pipeline) == DescriptorKind::kSift)
    options.image_size_rule = ImageSizeRule::kWithin;
}

Image prepared(const Image& image, const Model& model) {
  const ImageShape learned = model.shape();
  if (keeps_sizes(model))
    return fit_image(image, own_shape(image.shape, model), ImageSizeRule::kWithin);
  if (!same_sides(image.shape, learned) && learned.height != learned.width)
    refuse(image.shape, learned);
  return fit_image(image, learned, model.parts().preparation.size_rule);
}

ImageSetPtr prepared(const ImageSetPtr& images, const Model& model) {
  const ImageShape got = images->shape();
  const ImageShape learned = model.shape();
  if (got == learned) return images;
  if (got.is_sample() || learned.is_sample()) refuse(got, learned);
  if (keeps_sizes(model)) {
    const Index longest = model.parts().preparation.longest_side;
    const ImageSetPtr same = with_channels(images, learned.channels);
    return longest > 0 ? resized(same, longest, ImageSizeRule::kWithin) : same;
  }
  if (!same_sides(got, learned) && learned.height != learned.width) refuse(got, learned);
  return resized(with_channels(images, learned.channels), learned.height,
                 model.parts().preparation.size_rule);
}

}  // namespace krica::cli
