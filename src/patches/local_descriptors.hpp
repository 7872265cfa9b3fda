// SPDX-License-Identifier: BSD-3-Clause
//
// LocalDescriptors: an image as a grid of positions with a vector of numbers at each. Learning and
// encoding use these vectors; nothing else accesses pixels.
//
//   PixelPatches    the pixels of a square patch, channel by channel; positions are `stride` apart
//   DenseSift       histograms of gradients (dense_sift.hpp)
//   SampleValues    samples: one position, at which the sample itself is the vector
//
// To add a descriptor, add a class here and a case in make_descriptors().
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "krica/data/image_set.hpp"
#include "krica/patches/whitening.hpp"

namespace krica {

/// The size of a grid of positions.
struct Positions {
  Index rows = 0;
  Index cols = 0;

  [[nodiscard]] Index count() const { return rows * cols; }
  bool operator==(const Positions&) const = default;
};

/// Neighbouring positions in one row of the grid.
struct PositionRun {
  Index row = 0;
  Index col = 0;
  Index count = 0;
};

struct PixelPlace {
  Index row = 0;
  Index col = 0;
};

struct LocalDescriptorOptions {
  Index receptive_field = 6;  ///< side of a patch in pixels, >= 1
  Index stride = 1;           ///< pixels between neighbouring patches, >= 1
  DescriptorKind kind = DescriptorKind::kPixels;

  /// The same at every possible position, to learn from.
  [[nodiscard]] LocalDescriptorOptions dense() const { return {receptive_field, 1, kind}; }

  void validate() const;
};

class LocalDescriptors {
 public:
  LocalDescriptors() = default;
  LocalDescriptors(const LocalDescriptors&) = delete;
  LocalDescriptors& operator=(const LocalDescriptors&) = delete;
  virtual ~LocalDescriptors() = default;

  /// Number of values in a descriptor.
  [[nodiscard]] virtual Index dimensions() const = 0;
  /// Whether the images of a set may differ in size.
  [[nodiscard]] virtual bool any_size() const { return false; }
  /// The positions of an image of that shape. Throws InvalidArgument if it has none.
  [[nodiscard]] virtual Positions positions(const ImageShape& shape) const = 0;
  /// The upper left pixel of the first one; `stride` pixels further is the next.
  [[nodiscard]] virtual PixelPlace first_pixel(const ImageShape& /*shape*/) const { return {}; }
  /// How they are read if they are patches of pixels, for those who read pixels themselves.
  [[nodiscard]] virtual std::optional<LocalDescriptorOptions> pixel_patches() const {
    return std::nullopt;
  }
  /// What all descriptors of a planar image share, computed once: something in `memory`, or just
  /// the image. Single-threaded.
  [[nodiscard]] virtual const float* prepared(const float* image, const ImageShape& /*shape*/,
                                              std::vector<float>& /*memory*/) const {
    return image;
  }
  /// Writes descriptors of an image from prepared() to the rows of `descriptors`, run by run.
  /// Single-threaded.
  virtual void read(const float* prepared, const ImageShape& shape,
                    std::span<const PositionRun> runs, MatrixView<float> descriptors) const = 0;
};
using LocalDescriptorsPtr = std::shared_ptr<const LocalDescriptors>;

/// The descriptors for images like these; for samples their values, whatever the options. Throws
/// InvalidArgument for invalid options.
LocalDescriptorsPtr make_descriptors(const LocalDescriptorOptions& options,
                                     const ImageShape& shape);

/// Throws DataError naming the first image of the set that has no room for a descriptor.
void check_room(const ImageSet& images, const LocalDescriptors& descriptors);

}  // namespace krica
