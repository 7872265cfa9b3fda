// SPDX-License-Identifier: BSD-3-Clause
//
// Image files: one directory per class; or train/ and test/ (and unlabelled/) with such
// directories; or images without classes. Sorted by name, so that the result does not depend on the
// file system.
#include <algorithm>

#include "data/byte_source.hpp"
#include "data/codec.hpp"
#include "data/decoded_images.hpp"
#include "data/decoding_room.hpp"
#include "data/errors.hpp"
#include "data/folder_files.hpp"
#include "data/image_size.hpp"
#include "data/readers.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

/// A part of the data set before the common shape is known.
struct Part {
  std::vector<ImageFile> items;
  bool labelled = false;
  std::vector<ImageShape> shapes = {};  // of the images as they are read, if sizes differ
};

/// The side of all images, or 0 to keep their size.
Index common_side(const std::vector<Part*>& parts, const OpenOptions& options) {
  if (options.image_size) return *options.image_size;
  std::vector<ImageShape> shapes;
  for (const Part* part : parts) {
    for (const ImageFile& item : part->items) shapes.push_back(item.shape);
  }
  return automatic_image_size(shapes);
}

Index most_channels(const std::vector<Part*>& parts) {
  Index channels = 1;
  for (const Part* part : parts) {
    for (const ImageFile& item : part->items) channels = std::max(channels, item.shape.channels);
  }
  return channels;
}

/// Rule "within": every image has its own shape, unless all turn out alike.
ImageShape settle_own_shapes(const std::vector<Part*>& parts, const OpenOptions& options) {
  const Index longest = options.image_size.value_or(kLongestPhotoSide);
  const Index channels = options.channels > 0 ? options.channels : most_channels(parts);
  std::vector<ImageShape> all;
  for (Part* part : parts) {
    for (const ImageFile& item : part->items) {
      ImageShape shape = item.shape;
      if (longest > 0) shape = resized_shape(shape, longest, ImageSizeRule::kWithin);
      shape.channels = channels;
      part->shapes.push_back(shape);
      all.push_back(shape);
    }
  }
  const ImageShape box = take_common_shape(all);
  for (Part* part : parts) {
    if (all.empty()) part->shapes.clear();
  }
  return box;
}

ImageShape one_shape(const std::vector<Part*>& parts, const OpenOptions& options) {
  const ImageFile& first = parts.front()->items.front();
  const Index side = common_side(parts, options);
  ImageShape shape = first.shape;
  for (const Part* part : parts) {
    for (const ImageFile& item : part->items) {
      shape.channels = std::max(shape.channels, item.shape.channels);
      const bool same =
          item.shape.height == first.shape.height && item.shape.width == first.shape.width;
      if (same || side > 0) continue;
      data_error("folder", item.name,
                 "{} x {} pixels, but {} has {} x {}; --image-size (image_size) makes them one "
                 "size, e.g. 32; SIFT (--descriptor sift) reads images of any size",
                 item.shape.width, item.shape.height, first.name, first.shape.width,
                 first.shape.height);
    }
  }
  if (side > 0) shape.height = shape.width = side;
  if (options.channels > 0) shape.channels = options.channels;
  return shape;
}

ImageShape common_shape(const std::vector<Part*>& parts, const OpenOptions& options) {
  return options.image_size_rule == ImageSizeRule::kWithin ? settle_own_shapes(parts, options)
                                                           : one_shape(parts, options);
}

class FolderSet : public ImageSet {
 public:
  FolderSet(const Context& context, ImageSetInfo info, std::vector<ImageFile> items,
            const OpenOptions& options)
      : ImageSet(std::move(info)),
        items_(std::move(items)),
        rule_(options.image_size_rule),
        exif_orientation_(options.exif_orientation),
        room_(context),
        decoded_(context, size(), shape().values()) {}

  [[nodiscard]] std::string item_name(Index i) const override {
    return items_[static_cast<std::size_t>(i)].name;
  }

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = first; i < first + count; ++i, out += shape().values()) {
      if (decoded_.get(i, out)) continue;
      const ImageFile& item = items_[static_cast<std::size_t>(i)];
      const Image image =
          room_.with_room_for(item.decoding_bytes, [&] { return decode_file(item, shape_of(i)); });
      std::uint8_t* rest = std::copy(image.pixels.begin(), image.pixels.end(), out);
      std::fill(rest, out + shape().values(), std::uint8_t{0});
      decoded_.put(i, out);
    }
  }

  [[nodiscard]] Image decode_file(const ImageFile& item, const ImageShape& wanted) const {
    const Bytes bytes = read_all(*open_file("folder", item.path), kLargestImageFile);
    const Image image = decode_or_advise(item, bytes);
    if (image.shape != item.shape)
      data_error("folder", item.name, "the file changed after the data set was opened");
    return fit_image(image, wanted, rule_);
  }

  /// Truncation is detected only here. There may be more such files: the advice covers all of them.
  [[nodiscard]] Image decode_or_advise(const ImageFile& item, const Bytes& bytes) const {
    try {
      return decode({bytes, static_cast<Index>(bytes.size()), item.name, exif_orientation_});
    } catch (const DataError& error) {
      throw DataError(fmt::format(
          "{}; --skip-bad (skip_bad) finds all such files when the data set is opened, lists them "
          "and leaves them out",
          error.what()));
    }
  }

  std::vector<ImageFile> items_;
  ImageSizeRule rule_;
  bool exif_orientation_;
  mutable DecodingRoom room_;
  mutable DecodedImages decoded_;
};

ImageSetPtr make_set(const Context& context, Part part, ImageShape shape,
                     const std::vector<std::string>& classes, const OpenOptions& options,
                     std::string description) {
  ImageSetInfo info;
  info.size = static_cast<Index>(part.items.size());
  info.shape = shape;
  info.shapes = std::move(part.shapes);
  info.description = std::move(description);
  info.preparation = {options.image_size_rule, options.exif_orientation};
  if (options.image_size_rule == ImageSizeRule::kWithin)
    info.preparation.longest_side = options.image_size.value_or(kLongestPhotoSide);
  if (part.labelled) {
    info.class_names = classes;
    for (const ImageFile& item : part.items) info.labels.push_back(item.label);
  }
  return std::make_shared<FolderSet>(context, std::move(info), std::move(part.items), options);
}

}  // namespace

DataSet open_folder(const Context& context, FolderListing listing, const OpenOptions& options) {
  FolderScan scan(context, options);
  const auto scanned = [&](ListedPart& part) {
    const bool labelled = part.labelled;
    return Part{scan.keep_images(std::move(part)), labelled};
  };
  Part train = scanned(listing.train);
  Part test = scanned(listing.test);
  Part unlabelled = scanned(listing.unlabelled);
  DataSet data;
  data.notes = std::move(listing.ignored);
  const std::vector<std::string> notes = scan.finish();
  data.notes.insert(data.notes.end(), notes.begin(), notes.end());
  std::vector<Part*> parts = {&train};
  for (Part* part : {&test, &unlabelled}) {
    if (!part->items.empty()) parts.push_back(part);
  }
  const ImageShape shape = common_shape(parts, options);
  const std::string name = listing.path.filename().string();
  const auto set_of = [&](Part& part, const char* which) {
    return make_set(context, std::move(part), shape, listing.classes, options,
                    listing.in_parts ? fmt::format("{} {}", name, which) : name);
  };
  data.train = set_of(train, "train");
  if (!test.items.empty()) data.test = set_of(test, "test");
  if (!unlabelled.items.empty()) data.unlabelled = set_of(unlabelled, "unlabelled");
  return data;
}

}  // namespace krica
