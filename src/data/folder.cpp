// SPDX-License-Identifier: BSD-3-Clause
//
// Image files: a directory per class; or train/ and test/ (and unlabelled/) with such directories;
// or images without classes. Sorted by name, so that the result does not depend on the file system.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "data/codec.hpp"
#include "data/decoded_images.hpp"
#include "data/errors.hpp"
#include "data/listing.hpp"
#include "data/readers.hpp"
#include "krica/data/image_size.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr Index kHeaderBytes = Index{1} << 16;
constexpr Index kLargestFile = Index{1} << 30;

struct Item {
  fs::path path;
  std::string name;  // for messages: class/file
  int label = 0;
  ImageShape shape;
};

/// A part of the data set before the common shape is known.
struct Part {
  std::vector<Item> items;
  bool labelled = false;
};

Bytes read_front(const ByteSource& source, Index count) {
  Bytes bytes(static_cast<std::size_t>(std::min(count, source.size())));
  source.read(0, static_cast<Index>(bytes.size()), bytes.data());
  return bytes;
}

bool has_image_ending(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 8> kEndings = {".jpg", ".jpeg", ".png", ".bmp",
                                                        ".pnm", ".pbm",  ".pgm", ".ppm"};
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

/// The image's shape; nothing for a file that neither is an image nor claims to be one.
std::optional<ImageShape> look_at(const Item& item) {
  const ByteSourcePtr source = open_file("folder", item.path);
  Bytes bytes = read_front(*source, kHeaderBytes);
  if (codec_of(bytes) == ImageCodec::kNone && !has_image_ending(item.path)) return std::nullopt;
  try {
    return shape_of({bytes, source->size(), item.name});
  } catch (const DataError&) {
    if (source->size() <= kHeaderBytes) throw;
  }
  bytes = read_all(*source, kLargestFile);  // a header may lie behind large comments
  return shape_of({bytes, source->size(), item.name});
}

/// Fills in the shapes and drops the files that are no images.
void look_at_all(const Context& context, std::vector<Item>& items) {
  parallel_for(context, static_cast<Index>(items.size()), [&](Index i) {
    Item& item = items[static_cast<std::size_t>(i)];
    item.shape = look_at(item).value_or(ImageShape{});
  });
  std::erase_if(items, [](const Item& item) { return item.shape.height == 0; });
}

Part list_classes(const Context& context, const fs::path& directory,
                  const std::vector<std::string>& classes) {
  Part part;
  part.labelled = true;
  for (const std::string& name : list_directory("folder", directory).directories) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      data_error("folder", (directory.filename() / name).string(),
                 "the training part has no class of this name");
    }
    std::vector<Item> items;
    for (const std::string& file : list_directory("folder", directory / name).files) {
      items.push_back({directory / name / file,
                       fmt::format("{}/{}", name, file),
                       static_cast<int>(found - classes.begin()),
                       {}});
    }
    look_at_all(context, items);
    if (items.empty())
      data_error("folder", (directory / name).string(), "the class directory holds no images");
    part.items.insert(part.items.end(), items.begin(), items.end());
  }
  return part;
}

Part list_flat(const Context& context, const fs::path& directory) {
  Part part;
  for (const std::string& file : list_directory("folder", directory).files)
    part.items.push_back({directory / file, file, 0, {}});
  look_at_all(context, part.items);
  if (part.items.empty()) data_error("folder", directory.string(), "the directory holds no images");
  return part;
}

/// The side of all images, or 0 where they stay as they are.
Index common_side(const std::vector<const Part*>& parts, const OpenOptions& options) {
  if (options.image_size) return *options.image_size;
  std::vector<ImageShape> shapes;
  for (const Part* part : parts) {
    for (const Item& item : part->items) shapes.push_back(item.shape);
  }
  return automatic_image_size(shapes);
}

ImageShape common_shape(const std::vector<const Part*>& parts, const OpenOptions& options) {
  const Item& first = parts.front()->items.front();
  const Index side = common_side(parts, options);
  ImageShape shape = first.shape;
  for (const Part* part : parts) {
    for (const Item& item : part->items) {
      shape.channels = std::max(shape.channels, item.shape.channels);
      const bool same =
          item.shape.height == first.shape.height && item.shape.width == first.shape.width;
      if (same || side > 0) continue;
      data_error("folder", item.name,
                 "{} x {} pixels, but {} has {} x {}; --image-size (image_size) makes them one "
                 "size, e.g. 32",
                 item.shape.width, item.shape.height, first.name, first.shape.width,
                 first.shape.height);
    }
  }
  if (side > 0) shape.height = shape.width = side;
  if (options.channels > 0) shape.channels = options.channels;
  return shape;
}

class FolderSet : public ImageSet {
 public:
  FolderSet(ImageSetInfo info, std::vector<Item> items, ImageSizeRule rule)
      : ImageSet(std::move(info)),
        items_(std::move(items)),
        rule_(rule),
        decoded_(size(), shape().values()) {}

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = first; i < first + count; ++i, out += shape().values()) {
      if (decoded_.get(i, out)) continue;
      const Image image = decode_file(items_[static_cast<std::size_t>(i)]);
      std::copy(image.pixels.begin(), image.pixels.end(), out);
      decoded_.put(i, out);
    }
  }

  [[nodiscard]] Image decode_file(const Item& item) const {
    const Bytes bytes = read_all(*open_file("folder", item.path), kLargestFile);
    const Image image = decode({bytes, static_cast<Index>(bytes.size()), item.name});
    if (image.shape != item.shape)
      data_error("folder", item.name, "the file changed after the data set was opened");
    return fit_image(image, shape(), rule_);
  }

  std::vector<Item> items_;
  ImageSizeRule rule_;
  mutable DecodedImages decoded_;
};

ImageSetPtr make_set(Part part, ImageShape shape, const std::vector<std::string>& classes,
                     const OpenOptions& options, std::string description) {
  ImageSetInfo info;
  info.size = static_cast<Index>(part.items.size());
  info.shape = shape;
  info.description = std::move(description);
  info.preparation.size_rule = options.image_size_rule;
  if (part.labelled) {
    info.class_names = classes;
    for (const Item& item : part.items) info.labels.push_back(item.label);
  }
  return std::make_shared<FolderSet>(std::move(info), std::move(part.items),
                                     options.image_size_rule);
}

DataSet open_train_and_test(const Context& context, const fs::path& path,
                            const OpenOptions& options) {
  const auto classes = list_directory("folder", path / "train").directories;
  if (classes.empty())
    data_error("folder", (path / "train").string(), "there are no class directories in it");
  Part train = list_classes(context, path / "train", classes);
  Part test;
  Part unlabelled;
  if (fs::is_directory(path / "test")) test = list_classes(context, path / "test", classes);
  if (fs::is_directory(path / "unlabelled")) unlabelled = list_flat(context, path / "unlabelled");
  std::vector<const Part*> parts = {&train};
  for (const Part* part : {&test, &unlabelled}) {
    if (!part->items.empty()) parts.push_back(part);
  }
  const ImageShape shape = common_shape(parts, options);
  const std::string name = path.filename().string();
  DataSet data;
  data.train = make_set(std::move(train), shape, classes, options, name + " train");
  if (!test.items.empty())
    data.test = make_set(std::move(test), shape, classes, options, name + " test");
  if (!unlabelled.items.empty())
    data.unlabelled = make_set(std::move(unlabelled), shape, {}, options, name + " unlabelled");
  return data;
}

}  // namespace

DataSet open_folder(const Context& context, const fs::path& path, const OpenOptions& options) {
  DataSet data;
  if (!fs::is_directory(path)) {  // one image
    Part part;
    part.items.push_back({path, path.filename().string(), 0, {}});
    part.items[0].shape = look_at(part.items[0]).value_or(ImageShape{});
    if (part.items[0].shape.height == 0) data_error("folder", part.items[0].name, "not an image");
    const ImageShape shape = common_shape({&part}, options);
    data.train = make_set(std::move(part), shape, {}, options, path.filename().string());
    return data;
  }
  const Listing listing = list_directory("folder", path);
  if (listing.files.empty() && listing.directories.empty())
    data_error("folder", path.string(), "the directory is empty");
  if (fs::is_directory(path / "train")) return open_train_and_test(context, path, options);
  if (listing.directories.size() == 1 && !options.one_class_allowed) {
    data_error("folder", path.string(),
               "one class only, '{}'; at least two class directories are needed, or the images "
               "directly in the directory to read them without classes",
               listing.directories[0]);
  }
  Part part = listing.directories.empty() ? list_flat(context, path)
                                          : list_classes(context, path, listing.directories);
  const ImageShape shape = common_shape({&part}, options);
  data.train =
      make_set(std::move(part), shape, listing.directories, options, path.filename().string());
  return data;
}

}  // namespace krica
