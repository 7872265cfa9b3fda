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
std::string to_text(const ImageShape& shape);

enum class PixelType { kUint8, kFloat32 };

/// How an image becomes image_size × image_size.
enum class ImageSizeRule {
  kSquare,   ///< "square": each side by itself, so that proportions change
  kShorter,  ///< "shorter": the shorter side fits, the middle of the longer one is kept
  kLonger,   ///< "longer": the longer side fits, the shorter one is filled with its border pixels
};
std::string_view name_of(ImageSizeRule rule);
ImageSizeRule image_size_rule(std::string_view name);

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

class ImageSet {
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
std::string fingerprint(const Context& context, const ImageSet& set);

/// One hash per image: the first 8 bytes of the SHA-256 over its shape, pixel type and pixels, as a
/// big-endian number. The label does not count, and the same content in another file format has the
/// same hash, so equal hashes mean duplicates. Reads the whole set.
std::vector<std::uint64_t> image_hashes(const Context& context, const ImageSet& set);

}  // namespace krica
