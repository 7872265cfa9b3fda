// SPDX-License-Identifier: BSD-3-Clause
//
// ImageSet: images read on demand from their source, so a set may be larger than memory. Usually
// all have one shape; image files may differ in size (ImageSizeRule::kWithin). All members are
// thread-safe.
//
//   std::vector<float> pixels(set.shape().values() * 100);
//   set.read(0, 100, pixels.data());
//
// Memory layout: image by image, each planar: all of channel 0, then channels 1 and 2; a channel is
// row-major. Bytes are 0 to 255 and keep these values when read as float. Float sets (from NPY)
// hold the values of the file, all finite. If sizes differ, every image still takes
// shape().values() values: its own planes of shape_of(i) in front, then zeros.
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
  Index channels = 0;  ///< 1: grey, 3: red, green, blue; for a sample: its number of values

  [[nodiscard]] Index pixels() const { return height * width; }
  /// Number of values in an image.
  [[nodiscard]] Index values() const { return pixels() * channels; }
  /// A sample has n channels, height 1 and width 1 (as_images).
  [[nodiscard]] bool is_sample() const { return pixels() == 1; }
  bool operator==(const ImageShape&) const = default;
};

/// "images of 28 x 28 x 1" or "samples of 20 values", for messages.
KRICA_EXPORT std::string to_text(const ImageShape& shape);

enum class PixelType { kUint8, kFloat32 };

/// How to resize an image to image_size × image_size, or to at most that.
enum class ImageSizeRule {
  kSquare,   ///< "square": scale each side separately, which changes the proportions
  kShorter,  ///< "shorter": fit the shorter side and crop the longer one to its middle
  kLonger,   ///< "longer": fit the longer side and pad the shorter one with its border pixels
  /// "within": shrink images whose longer side exceeds image_size, with their proportions; leave
  /// the others as they are. Sizes may then differ.
  kWithin,
};
KRICA_EXPORT std::string_view name_of(ImageSizeRule rule);
KRICA_EXPORT ImageSizeRule image_size_rule(std::string_view name);

/// How image files were converted. A model stores it and converts its later inputs in the same way.
struct ImagePreparation {
  ImageSizeRule size_rule = ImageSizeRule::kSquare;
  bool exif_orientation = true;
  Index longest_side = 0;  ///< of rule kWithin: the limit; 0: none

  bool operator==(const ImagePreparation&) const = default;
};

/// Properties of a set that are known without reading its pixels.
struct ImageSetInfo {
  Index size = 0;
  ImageShape shape;  ///< of every image; if sizes differ, of the smallest box that holds each
  std::vector<ImageShape> shapes = {};  ///< one per image; empty: all have `shape`
  PixelType pixel_type = PixelType::kUint8;
  std::vector<int> labels;               ///< one per image, 0 to classes - 1; empty: unlabelled
  std::vector<std::string> class_names;  ///< one per class; empty if unlabelled
  LabelType label_type = LabelType::kText;
  ImagePreparation preparation = {};
  std::string description;                ///< e.g. "CIFAR-10 train"
  std::vector<std::string> column_names;  ///< for samples: as SampleSetInfo::column_names
  Index signal_channels = 1;              ///< for samples: as SampleSetInfo::channels
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
  /// Whether images may differ in size.
  [[nodiscard]] bool varied() const { return !info_.shapes.empty(); }
  [[nodiscard]] ImageShape shape_of(Index i) const {
    return varied() ? info_.shapes[static_cast<std::size_t>(i)] : info_.shape;
  }
  /// For messages: its file, or its number counted from 1.
  [[nodiscard]] virtual std::string item_name(Index i) const;
  [[nodiscard]] PixelType pixel_type() const { return info_.pixel_type; }
  [[nodiscard]] const std::vector<int>& labels() const { return info_.labels; }
  [[nodiscard]] const std::vector<std::string>& class_names() const { return info_.class_names; }
  [[nodiscard]] Index classes() const { return static_cast<Index>(info_.class_names.size()); }
  [[nodiscard]] const std::string& description() const { return info_.description; }

  /// Writes images first to first + count - 1 to out (count * shape().values() values). Throws
  /// InvalidArgument for a range outside the set and for bytes of a float set, DataError for a
  /// corrupt file, IoError if it cannot be read.
  void read(Index first, Index count, std::uint8_t* out) const;
  void read(Index first, Index count, float* out) const;
  /// In full precision if the set holds float64 samples.
  void read(Index first, Index count, double* out) const;

 private:
  // Override the one that matches the pixel type.
  virtual void load_bytes(Index first, Index count, std::uint8_t* out) const;
  virtual void load_floats(Index first, Index count, float* out) const;
  // Default: the floats, converted.
  virtual void load_doubles(Index first, Index count, double* out) const;
  void check_range(Index first, Index count) const;

  ImageSetInfo info_;
};

using ImageSetPtr = std::shared_ptr<const ImageSet>;

/// As for their shape, or "images of up to 300 x 300 x 3" if they differ in size.
KRICA_EXPORT std::string to_text(const ImageSet& images);

/// SHA-256 (hexadecimal) of shapes, pixel type, pixels and labels: the same content gives the same
/// fingerprint in any file format. Reads the whole set.
KRICA_EXPORT std::string fingerprint(const Context& context, const ImageSet& set);

/// One hash per image: the first 8 bytes of the SHA-256 of its shape, pixel type and pixels, as a
/// big-endian number. Labels do not count, and the same content has the same hash in any file
/// format, so equal hashes mean duplicates. Reads the whole set.
KRICA_EXPORT std::vector<std::uint64_t> image_hashes(const Context& context, const ImageSet& set);

// Views of an ImageSet: sets that read through another one without copying its pixels; and index
// lists of splits, for image and sample sets alike.
//
//   Split split = stratified_split(set->labels(), 0.2, seed);
//   ImageSetPtr train = subset(set, split.train);

/// The selected images, in the given order; indices may repeat.
KRICA_EXPORT ImageSetPtr subset(ImageSetPtr set, std::vector<Index> indices);

/// The first `count` images, or all if there are fewer. count must be positive.
KRICA_EXPORT ImageSetPtr first_images(ImageSetPtr set, Index count);

/// The shape that the rule gives an image.
KRICA_EXPORT ImageShape resized_shape(ImageShape shape, Index image_size, ImageSizeRule rule);

/// The smallest box that holds every shape. Clears the list if all are alike, as ImageSetInfo wants
/// it.
KRICA_EXPORT ImageShape take_common_shape(std::vector<ImageShape>& shapes);

/// Every image in its resized_shape(): area averaging to shrink, bilinear to enlarge. Returns the
/// set itself if nothing changes.
KRICA_EXPORT ImageSetPtr resized(ImageSetPtr set, Index image_size,
                                 ImageSizeRule rule = ImageSizeRule::kSquare);

/// Grey (channels 1: 0.299 R + 0.587 G + 0.114 B) or colour (3: grey repeated three times).
KRICA_EXPORT ImageSetPtr with_channels(ImageSetPtr set, Index channels);

/// Samples of n values as a set of shape 1 × 1 × n, so that the image pipeline can stream them. A
/// sample is its own single descriptor (patches/local_descriptors.hpp). Returns null for null.
/// Reading throws DataError for a number outside the range of float32.
KRICA_EXPORT ImageSetPtr as_images(SampleSetPtr samples);

struct Split {
  std::vector<Index> train;  ///< ascending
  std::vector<Index> test;   ///< ascending
};

/// Puts `test_fraction` of each class in the test part (rounded; at least one image but not all, if
/// the class has two or more). Depends only on labels, fraction and seed.
KRICA_EXPORT Split stratified_split(const std::vector<int>& labels, double test_fraction,
                                    std::uint64_t seed);

/// The same, without labels.
KRICA_EXPORT Split random_split(Index size, double test_fraction, std::uint64_t seed);

/// `per_class` training images of each class, the rest for testing. `repeat` numbers independent
/// draws. Throws InvalidArgument if a class has fewer than per_class images.
KRICA_EXPORT Split stratified_draw(const std::vector<int>& labels, Index per_class,
                                   std::uint64_t seed, std::uint64_t repeat = 0);

}  // namespace krica
