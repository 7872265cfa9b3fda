// SPDX-License-Identifier: BSD-3-Clause
//
// Views of an ImageSet: sets that read through another one, without a copy of its pixels; and the
// index lists of splits, which serve image and sample sets alike.
//
//   Split split = stratified_split(set->labels(), 0.2, seed);
//   ImageSetPtr train = subset(set, split.train);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/data/sample_set.hpp"

namespace krica {

/// The chosen images, in the given order (an index may come twice).
ImageSetPtr subset(ImageSetPtr set, std::vector<Index> indices);

/// The first `count` images, or all where there are fewer. count must be positive.
ImageSetPtr first_images(ImageSetPtr set, Index count);

/// Every image as image_size × image_size: averaged over areas where it shrinks, bilinear where it
/// grows. Gives the set itself where nothing changes.
ImageSetPtr resized(ImageSetPtr set, Index image_size, ImageSizeRule rule = ImageSizeRule::kSquare);

/// Grey (channels 1: 0.299 R + 0.587 G + 0.114 B) or colour (3: grey three times).
ImageSetPtr with_channels(ImageSetPtr set, Index channels);

/// Samples of n numbers as a set of shape 1 × 1 × n, so that what streams images streams them too.
/// A sample is its own only descriptor (krica/patches/local_descriptors.hpp). Gives null for null.
/// Reading throws DataError for a number beyond float32.
ImageSetPtr as_images(SampleSetPtr samples);

struct Split {
  std::vector<Index> train;  ///< ascending
  std::vector<Index> test;   ///< ascending
};

/// `test_fraction` of each class (rounded; at least one image and not all, where the class has two
/// or more) for test. Depends on labels, fraction and seed alone.
Split stratified_split(const std::vector<int>& labels, double test_fraction, std::uint64_t seed);

/// The same without labels.
Split random_split(Index size, double test_fraction, std::uint64_t seed);

/// `per_class` images of each class for training, the rest for test. `repeat` numbers independent
/// draws. Throws InvalidArgument where a class has fewer than per_class images.
Split stratified_draw(const std::vector<int>& labels, Index per_class, std::uint64_t seed,
                      std::uint64_t repeat = 0);

}  // namespace krica
