// SPDX-License-Identifier: BSD-3-Clause
#include "prepared.hpp"

#include <fmt/format.h>

#include "krica/runtime/error.hpp"
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

}  // namespace

Image prepared(const Image& image, const Model& model) {
  const ImageShape learned = model.shape();
  if (!same_sides(image.shape, learned) && learned.height != learned.width)
    refuse(image.shape, learned);
  return fit_image(image, learned, model.parts().preparation.size_rule);
}

ImageSetPtr prepared(const ImageSetPtr& images, const Model& model) {
  const ImageShape got = images->shape();
  const ImageShape learned = model.shape();
  if (got == learned) return images;
  if (got.is_sample() || learned.is_sample()) refuse(got, learned);
  if (!same_sides(got, learned) && learned.height != learned.width) refuse(got, learned);
  return resized(with_channels(images, learned.channels), learned.height,
                 model.parts().preparation.size_rule);
}

}  // namespace krica::cli
