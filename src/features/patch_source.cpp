// SPDX-License-Identifier: BSD-3-Clause
#include "features/patch_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/check.hpp"

namespace krica {

PositionTile::PositionTile(const PoolingGrid& grid, Range positions)
    : first_zone(positions.size() > 0 ? grid.run_at(positions.begin).zone : 0) {
  for (Index p = positions.begin; p < positions.end;) {
    PoolingGrid::Run run = grid.run_at(p);
    run.count = std::min(run.count, positions.end - p);
    runs.push_back(run);
    const Index row = p - positions.begin;
    const auto zone = static_cast<std::size_t>(run.zone - first_zone);
    if (zone == zones.size()) zones.push_back({row, row});  // zones are consecutive
    zones[zone].end = row + run.count;
    p += run.count;
  }
}

PatchSource::PatchSource(LocalDescriptorsPtr descriptors, PoolingOptions pooling,
                         const ImageShape& shape, Preprocessing preprocessing)
    : shape_(shape),
      descriptors_(std::move(descriptors)),
      pooling_(std::move(pooling)),
      grid_(grid_of(shape)),
      preprocessing_(std::move(preprocessing)) {
  require(preprocessing_.inputs() == descriptors_->dimensions(), "features",
          "patches of {} have {} values, the preprocessing expects {}", to_text(shape),
          descriptors_->dimensions(), preprocessing_.inputs());
}

PoolingGrid PatchSource::grid_of(const ImageShape& shape) const {
  const auto small = descriptors_->any_size() ? FewPositions::kShared : FewPositions::kRefused;
  return {pooling_, descriptors_->positions(shape), small};
}

void PatchSource::read_floats(const float* prepared, const ImageShape& shape,
                              const PositionTile& tile, MatrixView<float> patches) const {
  Matrix<float> raw(patches.rows(), preprocessing_.inputs());
  descriptors_->read(prepared, shape, tile.runs, raw);
  preprocessing_.apply_tile(raw, patches);
}

void PatchSource::read_single(ConstMatrixView<float> images, MatrixView<float> raw) const {
  constexpr std::array<PositionRun, 1> kOnly = {{{0, 0, 1}}};
  std::vector<float> memory;
  for (Index i = 0; i < images.rows(); ++i) {
    const float* image = prepared(images.data() + i * images.outerStride(), shape_, memory);
    descriptors_->read(image, shape_, kOnly, raw.rows_between(i, i + 1));
  }
}

}  // namespace krica
