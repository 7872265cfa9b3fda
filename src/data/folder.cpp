// SPDX-License-Identifier: BSD-3-Clause
//
// Image files: one directory per class; or train/ and test/ (and unlabelled/) with such
// directories; or images without classes. Sorted by name, so that the result does not depend on the
// file system.
#include <algorithm>

#include "data/byte_source.hpp"
#include "data/codec.hpp"
#include "data/decoded_images.hpp"
#include "data/errors.hpp"
#include "data/folder_files.hpp"
#include "data/image_size.hpp"
#include "data/listing.hpp"
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

Part list_classes(FolderScan& scan, const fs::path& directory,
                  const std::vector<std::string>& classes) {
  Part part;
  part.labelled = true;
  std::size_t deeper = 0;
  for (const std::string& name : list_directory("folder", directory).directories) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      data_error("folder", (directory.filename() / name).string(),
                 "the training part has no class '{}'{}", name, did_you_mean(name, classes));
    }
    const Listing listing = list_directory("folder", directory / name);
    deeper += listing.directories.size();
    std::vector<ImageFile> files;
    for (const std::string& file : listing.files) {
      files.push_back({.path = directory / name / file,
                       .name = fmt::format("{}/{}", name, file),
                       .label = static_cast<int>(found - classes.begin())});
    }
    std::vector<ImageFile> images = scan.keep_images(directory / name, std::move(files));
    part.items.insert(part.items.end(), images.begin(), images.end());
  }
  scan.ignore(deeper, "directory inside a class directory", "directories inside class directories");
  return part;
}

Part list_flat(FolderScan& scan, const fs::path& directory) {
  std::vector<ImageFile> files;
  for (const std::string& file : list_directory("folder", directory).files)
    files.push_back({.path = directory / file, .name = file});
  return {scan.keep_images(directory, std::move(files))};
}

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
        decoded_(context, size(), shape().values()) {}

  [[nodiscard]] std::string item_name(Index i) const override {
    return items_[static_cast<std::size_t>(i)].name;
  }

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = first; i < first + count; ++i, out += shape().values()) {
      if (decoded_.get(i, out)) continue;
      const Image image = decode_file(items_[static_cast<std::size_t>(i)], shape_of(i));
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

DataSet open_train_and_test(FolderScan& scan, const fs::path& path, const OpenOptions& options) {
  const auto classes = list_directory("folder", path / "train").directories;
  if (classes.empty())
    data_error("folder", (path / "train").string(), "there are no class directories in it");
  Part train = list_classes(scan, path / "train", classes);
  Part test;
  Part unlabelled;
  if (fs::is_directory(path / "test")) test = list_classes(scan, path / "test", classes);
  if (fs::is_directory(path / "unlabelled")) unlabelled = list_flat(scan, path / "unlabelled");
  DataSet data;
  data.notes = scan.finish();
  std::vector<Part*> parts = {&train};
  for (Part* part : {&test, &unlabelled}) {
    if (!part->items.empty()) parts.push_back(part);
  }
  const ImageShape shape = common_shape(parts, options);
  const std::string name = path.filename().string();
  data.train = make_set(scan.context(), std::move(train), shape, classes, options, name + " train");
  if (!test.items.empty())
    data.test = make_set(scan.context(), std::move(test), shape, classes, options, name + " test");
  if (!unlabelled.items.empty()) {
    data.unlabelled =
        make_set(scan.context(), std::move(unlabelled), shape, {}, options, name + " unlabelled");
  }
  return data;
}

DataSet open_one_part(FolderScan& scan, Part part, const std::vector<std::string>& classes,
                      const fs::path& path, const OpenOptions& options) {
  DataSet data;
  data.notes = scan.finish();
  const ImageShape shape = common_shape({&part}, options);
  data.train =
      make_set(scan.context(), std::move(part), shape, classes, options, path.filename().string());
  return data;
}

DataSet open_image_file(FolderScan& scan, const fs::path& path, const OpenOptions& options) {
  Part part{scan.keep_images(path, {{.path = path, .name = path.filename().string()}})};
  return open_one_part(scan, std::move(part), {}, path, options);
}

}  // namespace

DataSet open_folder(const Context& context, const fs::path& path, const OpenOptions& options) {
  FolderScan scan(context, options);
  if (!fs::is_directory(path)) return open_image_file(scan, path, options);
  const Listing listing = list_directory("folder", path);
  if (listing.files.empty() && listing.directories.empty())
    data_error("folder", path.string(), "the directory is empty");
  if (!listing.directories.empty()) {
    const auto outside =
        std::count_if(listing.files.begin(), listing.files.end(),
                      [](const std::string& file) { return has_image_ending(file); });
    scan.ignore(static_cast<std::size_t>(outside), "image file outside the class directories",
                "image files outside the class directories");
  }
  if (fs::is_directory(path / "train")) return open_train_and_test(scan, path, options);
  if (listing.directories.size() == 1 && !options.one_class_allowed) {
    data_error("folder", path.string(),
               "one class only, '{}'; at least two class directories are needed, or the images "
               "directly in the directory to read them without classes",
               listing.directories[0]);
  }
  Part part = listing.directories.empty() ? list_flat(scan, path)
                                          : list_classes(scan, path, listing.directories);
  return open_one_part(scan, std::move(part), listing.directories, path, options);
}

}  // namespace krica
