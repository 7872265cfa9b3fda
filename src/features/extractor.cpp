// SPDX-License-Identifier: BSD-3-Clause
#include "features/extractor.hpp"

#include <algorithm>
#include <utility>

#include "features/device_encoder.hpp"
#include "features/pooled_encoder.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "features";
constexpr Index kImagesAtATime = 4;  // per thread

void extract_on_device(const Context& context, DeviceEncoder& encoder, const ImageSet& images,
                       Index first, FeatureMatrix& result, const std::function<void(Index)>& done) {
  // As on the CPU, chunks do not depend on `first`.
  for (Index at = first / encoder.chunk() * encoder.chunk(); at < images.size();) {
    context.check_cancelled();
    const Range chunk{at, std::min(at + encoder.chunk(), images.size())};
    encoder.encode(context, images, chunk, result.view().rows_between(chunk.begin, chunk.end));
    release_pages_when_due();
    at = chunk.end;
    done(at);
    context.report({kName, at, images.size(), 0});
  }
}

}  // namespace

FeatureExtractor::FeatureExtractor(FeatureOptions options, ImageShape shape,
                                   Preprocessing preprocessing, Encoder encoder)
    : options_(std::move(options)),
      encoder_(std::move(encoder)),
      source_(std::make_shared<const PatchSource>(options_, shape, std::move(preprocessing))),
      pooled_(host_pooled_encoder(source_, encoder_)) {}

ImageShape FeatureExtractor::shape() const { return source_->shape(); }
const Preprocessing& FeatureExtractor::preprocessing() const { return source_->preprocessing(); }
const PoolingGrid& FeatureExtractor::grid() const { return source_->grid(); }

void FeatureExtractor::encode(const float* image, Index first, MatrixView<float> codes) const {
  Matrix<float> patches(codes.rows(), source_->dimensions());
  source_->read<float>(image, PositionTile(grid(), {first, first + codes.rows()}), patches);
  encoder_.encode(patches, codes);
}

void FeatureExtractor::extract(const Context& context, const ImageSet& images, Index first,
                               FeatureMatrix& result,
                               const std::function<void(Index)>& done) const {
  check(images, result);
  if (const auto on_device = device_encoder(context, *source_, encoder_, images.pixel_type()))
    return extract_on_device(context, *on_device, images, first, result, done);
  const auto work = [&](Index count) { return encoding_work(*source_, encoder_, count); };
  extract_in_batches(context, *pooled_, images, positions() == 1 ? kTilePositions : kImagesAtATime,
                     work, first, result, done);
}

}  // namespace krica
