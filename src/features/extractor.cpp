// SPDX-License-Identifier: BSD-3-Clause
#include "krica/features/extractor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "features/fused_pooling.hpp"
#include "features/patch_tile.hpp"
#include "krica/features/pool_power.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "features";
constexpr Index kImagesAtATime = 16;
constexpr Index kFusedPositions = 1024;  // patches at a time where codes are not held

}  // namespace

FeatureExtractor::FeatureExtractor(FeatureOptions options, ImageShape shape,
                                   Preprocessing preprocessing, Encoder encoder)
    : options_(options),
      shape_(shape),
      preprocessing_(std::move(preprocessing)),
      encoder_(std::move(encoder)),
      grid_(options, shape),
      fused_(FusedPooling::of(encoder_)) {
  const Index field = options.receptive_field;
  require(preprocessing_.inputs() == field * field * shape.channels, kName,
          "patches of {} x {} with {} channel(s) have {} values, the preprocessing expects {}",
          field, field, shape.channels, field * field * shape.channels, preprocessing_.inputs());
  require(preprocessing_.outputs() == encoder_.inputs(), kName,
          "the preprocessing gives {} values, the atoms have {}", preprocessing_.outputs(),
          encoder_.inputs());
}

void FeatureExtractor::encode(const float* image, Index first, MatrixView<float> codes) const {
  Matrix<float> raw(codes.rows(), preprocessing_.inputs());
  Matrix<float> patches(codes.rows(), preprocessing_.outputs());
  const PatchLayout layout{grid_, shape_, options_.receptive_field, options_.stride};
  read_patches(layout, preprocessing_, image, first, raw, patches);
  encoder_.encode(patches, codes);
}

void FeatureExtractor::extract(const float* image, float* features) const {
  Matrix<float> sums(grid_.zones(), encoder_.channels());
  const Partition tiles(grid_.positions(), fused_ ? kFusedPositions : kTilePositions);
  for (Index t = 0; t < tiles.count(); ++t) {
    if (fused_) {
      add_fused(image, tiles[t], sums);
    } else {
      add_codes(image, tiles[t], sums);
    }
  }
  grid_.pool<float>(sums, features);
  raise_to_power<float>(options_.pool_power, features, nullptr, this->features());
}

void FeatureExtractor::add_fused(const float* image, Range tile, Matrix<float>& sums) const {
  Matrix<float> raw(tile.size(), preprocessing_.inputs());
  Matrix<float> patches(tile.size(), preprocessing_.outputs());
  const PatchLayout layout{grid_, shape_, options_.receptive_field, options_.stride};
  read_patches(layout, preprocessing_, image, tile.begin, raw, patches);
  std::vector<Range> zones(static_cast<std::size_t>(grid_.zones()));
  for (Index i = 0; i < tile.size(); ++i) {  // a zone's positions follow one another
    Range& zone = zones[static_cast<std::size_t>(grid_.place(tile.begin + i).zone)];
    if (zone.size() == 0) zone.begin = i;
    zone.end = i + 1;
  }
  fused_->add(patches, zones, sums.data());
}

void FeatureExtractor::add_codes(const float* image, Range tile, Matrix<float>& sums) const {
  Matrix<float> codes(tile.size(), encoder_.channels());
  encode(image, tile.begin, codes);
  for (Index i = 0; i < tile.size(); ++i) {
    const float* code = codes.row(i);
    float* sum = sums.row(grid_.place(tile.begin + i).zone);
    for (Index u = 0; u < codes.cols(); ++u) sum[u] += code[u];
  }
}

FeatureMatrix FeatureExtractor::extract(const Context& context, const ImageSet& images) const {
  FeatureMatrix result(context, images.size(), features());
  extract(context, images, 0, result, [](Index) {});
  return result;
}

void FeatureExtractor::extract(const Context& context, const ImageSet& images, Index first,
                               FeatureMatrix& result,
                               const std::function<void(Index)>& done) const {
  require(images.shape() == shape_, kName, "images of {} x {} x {} where {} x {} x {} were learned",
          images.shape().height, images.shape().width, images.shape().channels, shape_.height,
          shape_.width, shape_.channels);
  require(result.rows() == images.size() && result.cols() == features(), kName,
          "a result of {} x {} for {} x {}", result.rows(), result.cols(), images.size(),
          features());
  // In rounds, so that progress can be told from the calling thread.
  const Partition blocks(images.size() - first, kImagesAtATime);
  const Partition rounds(blocks.count(), std::max<Index>(1, 4 * context.threads()));
  for (Index round = 0; round < rounds.count(); ++round) {
    parallel_for(context, rounds[round].size(), [&](Index offset) {
      const Range block = blocks[rounds[round].begin + offset];
      std::vector<float> pixels(static_cast<std::size_t>(block.size() * shape_.values()));
      images.read(first + block.begin, block.size(), pixels.data());
      for (Index i = 0; i < block.size(); ++i) {
        context.check_cancelled();
        extract(pixels.data() + i * shape_.values(), result.row(first + block.begin + i));
      }
    });
    const Index finished = first + blocks[rounds[round].end - 1].end;
    done(finished);
    context.report({kName, finished, images.size(), 0});
  }
}

}  // namespace krica
