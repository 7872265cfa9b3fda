// SPDX-License-Identifier: BSD-3-Clause
#include "features/extractor.hpp"

#include <utility>

#include "features/device_encoder.hpp"
#include "features/pooled_encoder.hpp"
#include "features/unit_length.hpp"
#include "runtime/check.hpp"

namespace krica {

FeatureExtractor::FeatureExtractor(FeatureOptions options, ImageShape shape,
                                   Preprocessing preprocessing, Encoder encoder)
    : options_(std::move(options)),
      encoder_(std::move(encoder)),
      source_(std::make_shared<const PatchSource>(options_, shape, std::move(preprocessing))),
      pooled_(host_pooled_encoder(source_, encoder_)) {}

ImageShape FeatureExtractor::shape() const { return source_->shape(); }
const Preprocessing& FeatureExtractor::preprocessing() const { return source_->preprocessing(); }
const PoolingGrid& FeatureExtractor::grid() const { return source_->grid(); }
PoolingGrid FeatureExtractor::grid_of(const ImageShape& shape) const {
  return source_->grid_of(shape);
}
const LocalDescriptors& FeatureExtractor::descriptors() const { return source_->descriptors(); }
bool FeatureExtractor::any_size() const { return source_->descriptors().any_size(); }

void FeatureExtractor::encode(const float* image, const ImageShape& shape, Index first,
                              MatrixView<float> codes) const {
  std::vector<float> memory;
  Matrix<float> patches(codes.rows(), source_->dimensions());
  source_->read<float>(source_->prepared(image, shape, memory), shape,
                       PositionTile(grid_of(shape), {first, first + codes.rows()}), patches);
  encoder_.encode(patches, codes);
}

float FeatureExtractor::length_of(const float* features) const {
  return options_.unit_length ? row_length(features, this->features()) : 1.0F;
}

/// One per image, if they differ from the model's; each must have room for a descriptor.
std::vector<ImageShape> FeatureExtractor::own_shapes(const ImageSet& images) const {
  if (!images.varied() && images.shape() == shape()) return {};
  std::vector<ImageShape> shapes;
  for (Index i = 0; i < images.size(); ++i) shapes.push_back(images.shape_of(i));
  check_room(images, descriptors());
  return shapes;
}

void FeatureExtractor::extract(const Context& context, const ImageSet& images, Index first,
                               FeatureMatrix& result,
                               const std::function<void(Index)>& done) const {
  check(images, result);
  if (const auto on_device = device_encoder(context, *source_, encoder_, images.pixel_type())) {
    return extract_on_device(context, *on_device, images, first, options_.unit_length, result,
                             done);
  }
  const std::vector<ImageShape> shapes = own_shapes(images);
  const bool single = positions() == 1 && shapes.empty();
  extract_in_batches(
      context, images,
      {.encoder = *pooled_,
       .images_at_a_time = single ? kTilePositions : images_at_a_time(images.shape().values()),
       .work = [&](Index count) { return encoding_work(*source_, encoder_, count); },
       .shapes = shapes,
       .unit_length = options_.unit_length},
      first, result, done);
}

}  // namespace krica
