// SPDX-License-Identifier: BSD-3-Clause
#include "krica/data/dataset.hpp"

#include "data/errors.hpp"
#include "data/image_size.hpp"
#include "data/labels.hpp"
#include "data/readers.hpp"
#include "data/same_data.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "runtime/printable.hpp"
#include "runtime/ranks.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr NameTable<DataFormat, 11> kNames = {{
    {DataFormat::kAuto, "auto"},
    {DataFormat::kCifar10, "cifar10"},
    {DataFormat::kCifar100, "cifar100"},
    {DataFormat::kCifar10Png, "cifar10-png"},
    {DataFormat::kStl10, "stl10"},
    {DataFormat::kIdx, "idx"},
    {DataFormat::kFolder, "folder"},
    {DataFormat::kNpy, "npy"},
    {DataFormat::kSignals, "signals"},
    {DataFormat::kCsv, "csv"},
    {DataFormat::kEmbedded, "embedded"},
}};

DataSet read(const Context& context, DataFormat format, const fs::path& path,
             const OpenOptions& options) {
  switch (format) {
    case DataFormat::kCifar10:
      return open_cifar10(context, path, options);
    case DataFormat::kCifar100:
      return open_cifar100(context, path, options);
    case DataFormat::kCifar10Png:
      return open_cifar10_png(context, path, options);
    case DataFormat::kStl10:
      return open_stl10(context, path, options);
    case DataFormat::kIdx:
      return open_idx(context, path, options);
    case DataFormat::kNpy:
    case DataFormat::kSignals:
      return open_npy(context, path, options);
    case DataFormat::kCsv:
      return open_csv(context, path, options);
    case DataFormat::kFolder:  // open_folder(), by all ranks together
    case DataFormat::kEmbedded:
    case DataFormat::kAuto:
      break;
  }
  return embedded_dataset();
}

void check_shapes(const ImageSetPtr& train, const ImageSetPtr& other, const std::string& operation,
                  const std::string& name) {
  if (!train || !other || train->shape() == other->shape()) return;
  const bool within = train->info().preparation.size_rule == ImageSizeRule::kWithin;
  if (within && train->shape().channels == other->shape().channels) return;
  const ImageShape a = train->shape();
  const ImageShape b = other->shape();
  data_error(operation, name,
             "images of {} have {} x {} pixels and {} channels, those of {} {} x {} and {}; "
             "image_size and channels make them alike",
             train->description(), a.width, a.height, a.channels, other->description(), b.width,
             b.height, b.channels);
}

/// Names are rejected up front, not escaped: models are saved as JSON, which is UTF-8 only, and a
/// class name in the model must match its directory name to be found.
void check_names(const Labelling& labelling, const std::string& operation,
                 const std::string& file) {
  for (const std::string& name : labelling.class_names) {
    if (!is_utf8(name)) {
      data_error(operation, file,
                 "the class name '{}' is not UTF-8; rename the class, or convert the names (convmv "
                 "for directories, iconv for files)",
                 printable(name));
    }
    if (name.find('\0') != std::string::npos) {
      data_error(operation, file, "the class name '{}' holds a zero byte; it must be text",
                 printable(name));
    }
  }
}

void check_parts(const DataSet& data, const OpenOptions& options, const std::string& name) {
  const std::string operation(name_of(data.format));
  check_shapes(data.train, data.test, operation, name);
  check_shapes(data.train, data.unlabelled, operation, name);
  const Labelling labelling = train_labels(data);
  check_names(labelling, operation, name);
  if (!options.one_class_allowed) require_two_classes(labelling, operation, name);
}

/// Rejects options that would have no effect.
void check_applicable(DataFormat format, const fs::path& path, const OpenOptions& options) {
  const bool arrays = format == DataFormat::kNpy || format == DataFormat::kSignals ||
                      format == DataFormat::kIdx || format == DataFormat::kCsv;
  require(options.labels.empty() || (arrays && !fs::is_directory(path)), "data",
          "labels (--labels) needs a single .npy, IDX or CSV file");
  require(options.label_column.empty() || format == DataFormat::kCsv, "data",
          "label_column (--label-column) needs CSV files");
}

/// Runs the body; if it throws on any rank, all throw.
template <class Body>
void on_all_ranks(const Context& together, const Body& body) {
  agree(together, [&] { with_io_errors("data", body); });
}

struct Place {
  fs::path path;
  DataFormat format = DataFormat::kAuto;
};

/// Recognises the format. Files that the first rank made before are seen by the others afterwards:
/// all have waited for it here.
Place find_place(const Context& together, const fs::path& path, const OpenOptions& options) {
  Place place = {path, options.format};
  on_all_ranks(together, [&] {
    if (place.format == DataFormat::kAuto) {
      place.format = path == "embedded" ? DataFormat::kEmbedded : recognise(place.path);
    } else if (place.format != DataFormat::kEmbedded && !fs::exists(path)) {
      no_such_data(path);
    }
    check_applicable(place.format, place.path, options);
  });
  require_same_format(together, place.path, place.format, options);
  return place;
}

DataSet read_folder(const Context& together, const fs::path& path, const OpenOptions& options) {
  FolderListing listing;
  on_all_ranks(together, [&] { listing = list_folder(path, options); });
  require_same_files(together, listing);
  return open_folder(together, std::move(listing), options);
}

DataSet read_files(const Context& together, const Place& place, const OpenOptions& options) {
  DataSet data;
  const OpenedFiles opened;
  on_all_ranks(together,
               [&] { data = read(together.with_all_rows(), place.format, place.path, options); });
  require_same_data(together, place.path, data, opened.files());
  return data;
}

void unify(DataSet& data, const OpenOptions& options) {
  if (!data.train) return;
  const bool within = options.image_size_rule == ImageSizeRule::kWithin;
  const Index size = options.image_size.value_or(
      within ? kLongestPhotoSide : automatic_image_size({data.train->shape()}));
  for (ImageSetPtr* part : {&data.train, &data.test, &data.unlabelled}) {
    if (!*part) continue;
    if (options.channels > 0) *part = with_channels(*part, options.channels);
    if (size > 0 && !(within && (*part)->varied()))
      *part = resized(*part, size, options.image_size_rule);
  }
}

/// Splits off a test part if one is wanted and there is none.
void split_off(DataSet& data, double test_fraction, std::uint64_t seed) {
  if (test_fraction == 0 || data.test || data.test_samples) return;
  const std::vector<int>& labels = data.train ? data.train->labels() : data.train_samples->labels();
  const Index size = data.train ? data.train->size() : data.train_samples->rows();
  const Split split = labels.empty() ? random_split(size, test_fraction, seed)
                                     : stratified_split(labels, test_fraction, seed);
  if (split.test.empty()) return;
  data.test_was_split_off = true;
  if (data.train) {
    data.test = subset(data.train, split.test);
    data.train = subset(data.train, split.train);
  } else {
    data.test_samples = subset(data.train_samples, split.test);
    data.train_samples = subset(data.train_samples, split.train);
  }
}

}  // namespace

std::string_view name_of(DataFormat format) { return find_name(kNames, format); }
DataFormat data_format(std::string_view name) { return find_value(kNames, name, "format"); }

void OpenOptions::validate() const {
  require(!image_size || (*image_size >= 0 && *image_size <= 16384), "data",
          "image_size must be 0 to 16384, got {}", image_size.value_or(0));
  require(channels == 0 || channels == 1 || channels == 3, "data",
          "channels must be 0, 1 or 3, got {}", channels);
  require(test_fraction >= 0 && test_fraction < 1, "data",
          "test_fraction must be at least 0 and below 1, got {}", test_fraction);
  require(labels.empty() || label_column.empty(), "data",
          "labels come from a file (labels) or from a column (label_column), not from both");
}

DataFormat recognised_format(const fs::path& path) {
  return with_io_errors("data", [&] {
    fs::path place = path;
    return path == "embedded" ? DataFormat::kEmbedded : recognise(place);
  });
}

DataSet open_dataset(const Context& context, const fs::path& path, const OpenOptions& options) {
  options.validate();
  const Context together = dividing(context);
  const Place place = find_place(together, path, options);
  DataSet data = place.format == DataFormat::kFolder ? read_folder(together, place.path, options)
                                                     : read_files(together, place, options);
  if (data.format == DataFormat::kAuto) data.format = place.format;
  unify(data, options);
  check_parts(data, options, path.filename().string());
  if (data.train && data.train->shape().pixels() == 1) {
    throw DataError(fmt::format(
        "[data] {}: images of 1 x 1 pixels; vectors are read from an .npy of shape (m, n)",
        path.filename().string()));
  }
  split_off(data, options.test_fraction, context.seed());
  return data;
}

}  // namespace krica
