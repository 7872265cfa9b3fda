// SPDX-License-Identifier: BSD-3-Clause
#include "krica/features/extractor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "krica/patches/sampling.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "features";
constexpr Index kTilePositions = 128;
constexpr Index kImagesAtATime = 16;

Index positions_along(Index pixels, Index field, Index stride) {
  return (pixels - field) / stride + 1;
}

/// Positions of one cell along an axis.
Range cell_range(Index cell, Index cells, Index positions) {
  return {cell * positions / cells, (cell + 1) * positions / cells};
}

}  // namespace

void FeatureOptions::validate() const {
  require(receptive_field >= 1, kName, "receptive_field must be >= 1, got {}", receptive_field);
  require(stride >= 1, kName, "stride must be >= 1, got {}", stride);
  require(pool_rows >= 1 && pool_cols >= 1, kName,
          "the pooling grid must be at least 1x1, got {}x{}", pool_rows, pool_cols);
}

FeatureExtractor::FeatureExtractor(FeatureOptions options, ImageShape shape,
                                   Preprocessing preprocessing, Encoder encoder)
    : options_(options),
      shape_(shape),
      preprocessing_(std::move(preprocessing)),
      encoder_(std::move(encoder)),
      position_rows_(0),
      position_cols_(0) {
  options_.validate();
  const Index field = options.receptive_field;
  require(field <= shape.height && field <= shape.width, kName,
          "images of {} x {} pixels are smaller than the receptive field of {} x {}", shape.height,
          shape.width, field, field);
  require(preprocessing_.inputs() == field * field * shape.channels, kName,
          "patches of {} x {} with {} channel(s) have {} values, the preprocessing expects {}",
          field, field, shape.channels, field * field * shape.channels, preprocessing_.inputs());
  require(preprocessing_.outputs() == encoder_.inputs(), kName,
          "the preprocessing gives {} values, the atoms have {}", preprocessing_.outputs(),
          encoder_.inputs());
  position_rows_ = positions_along(shape.height, field, options.stride);
  position_cols_ = positions_along(shape.width, field, options.stride);
  require(options.pool_rows <= position_rows_ && options.pool_cols <= position_cols_, kName,
          "a pooling grid of {}x{} is finer than the {} x {} positions", options.pool_rows,
          options.pool_cols, position_rows_, position_cols_);
}

void FeatureExtractor::extract(const float* image, float* features) const {
  std::fill(features, features + this->features(), 0.0F);
  for (Index row = 0; row < options_.pool_rows; ++row) {
    for (Index col = 0; col < options_.pool_cols; ++col) {
      const Index positions = cell_range(row, options_.pool_rows, position_rows_).size() *
                              cell_range(col, options_.pool_cols, position_cols_).size();
      const Partition tiles(positions, kTilePositions);
      float* sums = features + (row * options_.pool_cols + col) * encoder_.channels();
      for (Index t = 0; t < tiles.count(); ++t)
        add_tile(image, row, col, tiles[t].begin, tiles[t].size(), sums);
    }
  }
}

/// Positions first ... first + count - 1 of one cell, row by row: encoded, and their codes added to
/// sums.
void FeatureExtractor::add_tile(const float* image, Index cell_row, Index cell_col, Index first,
                                Index count, float* sums) const {
  const Range rows = cell_range(cell_row, options_.pool_rows, position_rows_);
  const Range cols = cell_range(cell_col, options_.pool_cols, position_cols_);
  Matrix<float> raw(count, preprocessing_.inputs());
  Matrix<float> patches(count, preprocessing_.outputs());
  Matrix<float> codes(count, encoder_.channels());
  for (Index i = 0; i < count; ++i) {
    const Index top = (rows.begin + (first + i) / cols.size()) * options_.stride;
    const Index left = (cols.begin + (first + i) % cols.size()) * options_.stride;
    copy_patch(image, shape_, options_.receptive_field, top, left, raw.row(i));
  }
  preprocessing_.apply_tile(raw, patches);
  encoder_.encode(patches, codes);
  for (Index i = 0; i < count; ++i) {
    const float* code = codes.row(i);
    for (Index u = 0; u < codes.cols(); ++u) sums[u] += code[u];
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
