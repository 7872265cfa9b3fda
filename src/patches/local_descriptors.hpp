// SPDX-License-Identifier: BSD-3-Clause
//
// LocalDescriptors: an image as a grid of positions with a vector of numbers at each. What is
// learned from and what is encoded are these vectors; nothing else looks at pixels.
//
//   PixelPatches    the pixels of a square patch, channel by channel; positions are `stride` apart
//   SampleValues    samples: one position, at which the sample itself is the vector
//
// Another descriptor is another class here and a case in make_descriptors().
#pragma once

#include <memory>
#include <span>

#include "krica/data/image_set.hpp"

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

class LocalDescriptors {
 public:
  LocalDescriptors() = default;
  LocalDescriptors(const LocalDescriptors&) = delete;
  LocalDescriptors& operator=(const LocalDescriptors&) = delete;
  virtual ~LocalDescriptors() = default;

  /// Numbers in a descriptor.
  [[nodiscard]] virtual Index dimensions() const = 0;
  /// Of an image of that shape, which may be another for every image. Throws InvalidArgument where
  /// it has none.
  [[nodiscard]] virtual Positions positions(const ImageShape& shape) const = 0;
  /// Row after row of `descriptors`, run after run: those of a planar image. One thread.
  virtual void read(const float* image, const ImageShape& shape, std::span<const PositionRun> runs,
                    MatrixView<float> descriptors) const = 0;
};
using LocalDescriptorsPtr = std::shared_ptr<const LocalDescriptors>;

struct LocalDescriptorOptions {
  Index receptive_field = 6;  ///< side of a patch in pixels, >= 1
  Index stride = 1;           ///< pixels between neighbouring patches, >= 1

  /// The same at every place that they fit, to learn from.
  [[nodiscard]] LocalDescriptorOptions dense() const { return {receptive_field, 1}; }

  void validate() const;
};

/// The descriptors of images like these; of samples their values, whatever the options say. Throws
/// InvalidArgument for bad options.
LocalDescriptorsPtr make_descriptors(const LocalDescriptorOptions& options,
                                     const ImageShape& shape);

}  // namespace krica
