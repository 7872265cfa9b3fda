// SPDX-License-Identifier: BSD-3-Clause
//
// PatchSource: the preprocessed patches of images in memory, one tile of positions at a time, in
// the order of the pooling grid. "Patch" means any local descriptor.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "features/pooling_grid.hpp"
#include "patches/preprocessing.hpp"
#include "runtime/parallel.hpp"

namespace krica {

/// Positions encoded at a time: enough for fast products, few enough for the cache.
inline constexpr Index kTilePositions = 128;

/// Patches at a time if codes are not stored.
inline constexpr Index kFusedPositions = 1024;

/// Consecutive positions in the grid's order.
struct PositionTile {
  std::vector<PositionRun> runs;
  Index first_zone = 0;
  std::vector<Range> zones;  ///< the tile's positions in each zone, starting with the first

  PositionTile(const PoolingGrid& grid, Range positions);
};

class PatchSource {
 public:
  /// `shape`: of the images, or where descriptors allow any size, the largest. Throws
  /// InvalidArgument if the parts do not fit together: descriptors, preprocessing, grid and image
  /// shape.
  PatchSource(LocalDescriptorsPtr descriptors, PoolingOptions pooling, const ImageShape& shape,
              Preprocessing preprocessing);
  PatchSource(const FeatureOptions& options, const ImageShape& shape, Preprocessing preprocessing)
      : PatchSource(make_descriptors(options.descriptors, shape), options.pooling, shape,
                    std::move(preprocessing)) {}

  [[nodiscard]] const ImageShape& shape() const { return shape_; }
  [[nodiscard]] const LocalDescriptors& descriptors() const { return *descriptors_; }
  [[nodiscard]] const Preprocessing& preprocessing() const { return preprocessing_; }
  /// For images of shape().
  [[nodiscard]] const PoolingGrid& grid() const { return grid_; }
  [[nodiscard]] PoolingGrid grid_of(const ImageShape& shape) const;
  /// Exponent of the pooled codes.
  [[nodiscard]] double power() const { return pooling_.power; }
  /// Number of values in a patch.
  [[nodiscard]] Index dimensions() const { return preprocessing_.outputs(); }

  /// What all patches of an image share: something in `memory`, or just the image.
  [[nodiscard]] const float* prepared(const float* image, const ImageShape& shape,
                                      std::vector<float>& memory) const {
    return descriptors_->prepared(image, shape, memory);
  }

  /// The patches of one planar image, from prepared(), at these positions. Single-threaded.
  template <class Scalar>
  void read(const float* prepared, const ImageShape& shape, const PositionTile& tile,
            MatrixView<Scalar> patches) const {
    if constexpr (std::is_same_v<Scalar, float>) {
      read_floats(prepared, shape, tile, patches);
    } else {
      Matrix<float> narrow(patches.rows(), patches.cols());
      read_floats(prepared, shape, tile, narrow);
      patches = narrow.view().template cast<Scalar>();
    }
  }

  /// Row i: the raw descriptor of image i, if images have one position each.
  void read_single(ConstMatrixView<float> images, MatrixView<float> raw) const;

 private:
  void read_floats(const float* prepared, const ImageShape& shape, const PositionTile& tile,
                   MatrixView<float> patches) const;

  ImageShape shape_;
  LocalDescriptorsPtr descriptors_;
  PoolingOptions pooling_;
  PoolingGrid grid_;
  Preprocessing preprocessing_;
};

}  // namespace krica
