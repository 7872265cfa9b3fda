// SPDX-License-Identifier: BSD-3-Clause
//
// ImageSet: images of one shape, read on demand from wherever they lie, so a set may be larger than
// memory. All members may be called from several threads at once.
//
//   std::vector<float> pixels(set.shape().values() * 100);
//   set.read(0, 100, pixels.data());
//
// Layout of what is read: image by image, each planar: all of channel 0, then channel 1 and 2; a
// channel is row-major. Bytes are 0 to 255; read as float they keep these values. Float sets (from
// NPY) hold whatever the file holds, all finite.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "krica/data/sample_set.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

struct ImageShape {
  Index height = 0;
  Index width = 0;
  Index channels = 0;  ///< 1: grey, 3: red, green, blue; of a sample: its numbers

  [[nodiscard]] Index pixels() const { return height * width; }
  /// Numbers in an image.
  [[nodiscard]] Index values() const { return pixels() * channels; }
  /// A sample has n channels and neither height nor width beyond 1 (as_images).
  [[nodiscard]] bool is_sample() const { return pixels() == 1; }
  bool operator==(const ImageShape&) const = default;
};

/// "images of 28 x 28 x 1" or "samples of 20 values", for messages.
KRICA_EXPORT std::string to_text(const ImageShape& shape);

enum class PixelType { kUint8, kFloat32 };

/// How an image becomes image_size × image_size.
enum class ImageSizeRule {
  kSquare,   ///< "square": each side by itself, so that proportions change
  kShorter,  ///< "shorter": the shorter side fits, the middle of the longer one is kept
  kLonger,   ///< "longer": the longer side fits, the shorter one is filled with its border pixels
};
KRICA_EXPORT std::string_view name_of(ImageSizeRule rule);
KRICA_EXPORT ImageSizeRule image_size_rule(std::string_view name);

/// What is done to image files so that they become images of one shape. A model remembers it and
/// does the same to what it is given later.
struct ImagePreparation {
  ImageSizeRule size_rule = ImageSizeRule::kSquare;
  bool exif_orientation = true;

  bool operator==(const ImagePreparation&) const = default;
};

/// What is known of a set without reading its pixels.
struct ImageSetInfo {
  Index size = 0;
  ImageShape shape;
  PixelType pixel_type = PixelType::kUint8;
  std::vector<int> labels;               ///< one per image, 0 to classes - 1; empty: unlabelled
  std::vector<std::string> class_names;  ///< one per class; empty where unlabelled
  LabelType label_type = LabelType::kText;
  ImagePreparation preparation = {};
  std::string description;                ///< e.g. "CIFAR-10 train"
  std::vector<std::string> column_names;  ///< of samples: as SampleSetInfo::column_names
  Index signal_channels = 1;              ///< of samples: as SampleSetInfo::channels
};

class KRICA_EXPORT ImageSet {
 public:
  explicit ImageSet(ImageSetInfo info);
  virtual ~ImageSet() = default;
  ImageSet(const ImageSet&) = delete;
  ImageSet& operator=(const ImageSet&) = delete;

  [[nodiscard]] const ImageSetInfo& info() const { return info_; }
  [[nodiscard]] Index size() const { return info_.size; }
  [[nodiscard]] ImageShape shape() const { return info_.shape; }
  [[nodiscard]] PixelType pixel_type() const { return info_.pixel_type; }
  [[nodiscard]] const std::vector<int>& labels() const { return info_.labels; }
  [[nodiscard]] const std::vector<std::string>& class_names() const { return info_.class_names; }
  [[nodiscard]] Index classes() const { return static_cast<Index>(info_.class_names.size()); }
  [[nodiscard]] const std::string& description() const { return info_.description; }

  /// Images first to first + count - 1, written to out (count * shape().values() numbers). Throws
  /// InvalidArgument for a range outside the set and for bytes of a float set, DataError for a
  /// broken file, IoError where the file system refuses.
  void read(Index first, Index count, std::uint8_t* out) const;
  void read(Index first, Index count, float* out) const;
  /// With all digits where the set holds samples of float64.
  void read(Index first, Index count, double* out) const;

 private:
  // A set overrides the one that its pixel type names.
  virtual void load_bytes(Index first, Index count, std::uint8_t* out) const;
  virtual void load_floats(Index first, Index count, float* out) const;
  // By default the floats.
  virtual void load_doubles(Index first, Index count, double* out) const;
  void check_range(Index first, Index count) const;

  ImageSetInfo info_;
};

using ImageSetPtr = std::shared_ptr<const ImageSet>;

/// sha256 (hexadecimal) over shape, pixel type, pixels and labels: the same for the same content in
/// another file format. Reads the whole set.
KRICA_EXPORT std::string fingerprint(const Context& context, const ImageSet& set);

/// One hash per image: the first 8 bytes of the SHA-256 over its shape, pixel type and pixels, as a
/// big-endian number. The label does not count, and the same content in another file format has the
/// same hash, so equal hashes mean duplicates. Reads the whole set.
KRICA_EXPORT std::vector<std::uint64_t> image_hashes(const Context& context, const ImageSet& set);

// Views of an ImageSet: sets that read through another one, without a copy of its pixels; and the
// index lists of splits, which serve image and sample sets alike.
//
//   Split split = stratified_split(set->labels(), 0.2, seed);
//   ImageSetPtr train = subset(set, split.train);

/// The chosen images, in the given order (an index may come twice).
KRICA_EXPORT ImageSetPtr subset(ImageSetPtr set, std::vector<Index> indices);

/// The first `count` images, or all where there are fewer. count must be positive.
KRICA_EXPORT ImageSetPtr first_images(ImageSetPtr set, Index count);

/// Every image as image_size × image_size: averaged over areas where it shrinks, bilinear where it
/// grows. Gives the set itself where nothing changes.
KRICA_EXPORT ImageSetPtr resized(ImageSetPtr set, Index image_size,
                                 ImageSizeRule rule = ImageSizeRule::kSquare);

/// Grey (channels 1: 0.299 R + 0.587 G + 0.114 B) or colour (3: grey three times).
KRICA_EXPORT ImageSetPtr with_channels(ImageSetPtr set, Index channels);

/// Samples of n numbers as a set of shape 1 × 1 × n, so that what streams images streams them too.
/// A sample is its own only descriptor (patches/local_descriptors.hpp). Gives null for null.
/// Reading throws DataError for a number beyond float32.
KRICA_EXPORT ImageSetPtr as_images(SampleSetPtr samples);

struct Split {
  std::vector<Index> train;  ///< ascending
  std::vector<Index> test;   ///< ascending
};

/// `test_fraction` of each class (rounded; at least one image and not all, where the class has two
/// or more) for test. Depends on labels, fraction and seed alone.
KRICA_EXPORT Split stratified_split(const std::vector<int>& labels, double test_fraction,
                                    std::uint64_t seed);

/// The same without labels.
KRICA_EXPORT Split random_split(Index size, double test_fraction, std::uint64_t seed);

/// `per_class` images of each class for training, the rest for test. `repeat` numbers independent
/// draws. Throws InvalidArgument where a class has fewer than per_class images.
KRICA_EXPORT Split stratified_draw(const std::vector<int>& labels, Index per_class,
                                   std::uint64_t seed, std::uint64_t repeat = 0);

}  // namespace krica
