// SPDX-License-Identifier: BSD-3-Clause
#include "features/image_features.hpp"

#include <algorithm>

#include "features/unit_length.hpp"
#include "runtime/check.hpp"
#include "runtime/pace.hpp"
#include "runtime/ranks.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "features";
constexpr Index kBatchBytes = Index{64} << 20;  // of pixels at most, but enough for all threads
constexpr Index kBlocksPerThread = 16;  // per batch at most: progress is reported after each

/// Blocks of images in a batch: one per thread at least, unless that were a quarter of the budget.
Index batch_blocks(const Context& context, Index block_values) {
  const Index block_bytes = block_values * static_cast<Index>(sizeof(float));
  const Index fit = std::min(kBatchBytes, context.memory_bytes() / 16) / block_bytes;
  const Index most = std::max<Index>(1, context.memory_bytes() / 4 / block_bytes);
  return std::min(most,
                  std::clamp<Index>(fit, context.threads(), kBlocksPerThread * context.threads()));
}

std::span<const ImageShape> part_of(std::span<const ImageShape> shapes, Range part) {
  if (shapes.empty()) return {};
  return shapes.subspan(static_cast<std::size_t>(part.begin),
                        static_cast<std::size_t>(part.size()));
}

}  // namespace

void ImageFeatures::check(const ImageSet& images, const FeatureMatrix& result) const {
  require(images.shape() == shape() || any_size(), kName,
          "the model was trained on {}, but these are {}", to_text(shape()),
          to_text(images.shape()));
  require(!images.varied() || any_size(), kName,
          "patches of pixels need images of one size; --image-size (image_size) makes them one");
  require(result.rows() == images.size() && result.cols() == features(), kName,
          "a result of {} x {} for {} x {}", result.rows(), result.cols(), images.size(),
          features());
}

namespace {

/// The blocks of this rank.
void extract_blocks(const Context& context, const ImageSet& images, const BatchEncoding& encoding,
                    const Partition& blocks, Index first, FeatureMatrix& result,
                    const std::function<void(Index)>& done) {
  const Index values = images.shape().values();
  const Range own = own_share(context, blocks.count());
  Index finished = own.begin;
  while (finished < own.end && blocks[finished].end <= first) ++finished;
  const Index at_a_time = batch_blocks(context, blocks.largest() * values);
  const Index before = own.size() > 0 ? blocks[own.begin].begin : 0;
  Pace pace(context, kName, own.size() > 0 ? blocks[own.end - 1].end - before : 0);
  Matrix<float> batch;
  while (finished < own.end) {
    stop_if_wanted(context);
    const Range round{finished, std::min(finished + at_a_time, own.end)};
    const Range part{blocks[round.begin].begin, blocks[round.end - 1].end};
    if (batch.rows() != part.size()) batch = Matrix<float>(part.size(), values);
    parallel_for(context, round.size(), encoding.work(part.size()), [&](Index b) {
      const Range block = blocks[round.begin + b];
      images.read(block.begin, block.size(), batch.row(block.begin - part.begin));
    });
    const MatrixView<float> features = result.view().rows_between(part.begin, part.end);
    encoding.encoder.encode(context, batch, part_of(encoding.shapes, part), features);
    if (encoding.unit_length) scale_to_unit_length(context, features);
    finished = round.end;
    done(part.end);
    pace.reach(part.end - before);
  }
  pace.finish();
}

}  // namespace

void extract_in_batches(const Context& context, const ImageSet& images,
                        const BatchEncoding& encoding, Index first, FeatureMatrix& result,
                        const std::function<void(Index)>& done) {
  // The blocks do not depend on `first`, so that resuming gives the same bits.
  const Partition blocks(images.size(), encoding.images_at_a_time);
  agree(context, [&] { extract_blocks(context, images, encoding, blocks, first, result, done); });
  if (!context.shares_rows()) return;
  const int ranks = context.ranks()->size();
  fetch_held_rows(
      context, result.view().data(), sizeof(float) * static_cast<std::size_t>(result.cols()),
      held_features(images.size()), [&](int rank) { return rows_of_share(blocks, rank, ranks); });
}

}  // namespace krica
