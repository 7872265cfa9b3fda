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
constexpr Index kImagesAtATime = 4;

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
  fused_->add(patches, zones_of(grid_, tile), sums.data());
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

/// Images with a single position: one tile for all, as one product is faster than one for each.
void FeatureExtractor::extract_single(const float* images, Index count, float* features) const {
  // At least two rows: products of one row do not repeat their bits (runtime/parallel.hpp).
  const Index rows = std::max<Index>(2, count);
  Matrix<float> raw(rows, preprocessing_.inputs());
  Matrix<float> patches(rows, preprocessing_.outputs());
  Matrix<float> codes(rows, encoder_.channels());
  for (Index i = 0; i < rows; ++i) {
    const float* image = images + std::min(i, count - 1) * shape_.values();
    copy_patch(image, shape_, options_.receptive_field, 0, 0, raw.row(i));
  }
  preprocessing_.apply_tile(raw, patches);
  encoder_.encode(patches, codes);
  std::copy(codes.row(0), codes.row(0) + count * codes.cols(), features);
  raise_to_power<float>(options_.pool_power, features, nullptr, count * codes.cols());
}

/// No estimate where it could be far too low: images may be decoded when they are read, and a lasso
/// is solved for every code.
Work FeatureExtractor::work_on(Index count) const {
  if (positions() > 1 || encoder_.options().kind == EncoderKind::kLasso) return {};
  return work_of(count, preprocessing_.inputs() * preprocessing_.outputs() +
                            encoder_.channels() * (encoder_.inputs() + kPerExp));
}

FeatureMatrix FeatureExtractor::extract(const Context& context, const ImageSet& images) const {
  FeatureMatrix result(context, images.size(), features());
  extract(context, images, 0, result, [](Index) {});
  return result;
}

void FeatureExtractor::extract(const Context& context, const ImageSet& images, Index first,
                               FeatureMatrix& result,
                               const std::function<void(Index)>& done) const {
  require(images.shape() == shape_, kName, "{} where {} were learned", to_text(images.shape()),
          to_text(shape_));
  require(result.rows() == images.size() && result.cols() == features(), kName,
          "a result of {} x {} for {} x {}", result.rows(), result.cols(), images.size(),
          features());
  // The blocks do not depend on `first`: resumed or not, each is computed as one, to the same bits.
  const bool single = positions() == 1;
  const Partition blocks(images.size(), single ? kTilePositions : kImagesAtATime);
  Index done_blocks = 0;
  while (done_blocks < blocks.count() && blocks[done_blocks].end <= first) ++done_blocks;
  // In rounds, so that progress can be told from the calling thread.
  const Partition rounds(blocks.count() - done_blocks,
                         std::max<Index>(1, Index{16} * context.threads()));
  for (Index round = 0; round < rounds.count(); ++round) {
    const Work work = work_on(rounds[round].size() * blocks.largest());
    parallel_for(context, rounds[round].size(), work, [&](Index offset) {
      const Range block = blocks[done_blocks + rounds[round].begin + offset];
      std::vector<float> pixels(static_cast<std::size_t>(block.size() * shape_.values()));
      images.read(block.begin, block.size(), pixels.data());
      if (single) return extract_single(pixels.data(), block.size(), result.row(block.begin));
      for (Index i = 0; i < block.size(); ++i) {
        context.check_cancelled();
        extract(pixels.data() + i * shape_.values(), result.row(block.begin + i));
      }
    });
    const Index finished = blocks[done_blocks + rounds[round].end - 1].end;
    done(finished);
    context.report({kName, finished, images.size(), 0});
  }
}

}  // namespace krica
