// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "data/errors.hpp"
#include "data/idx.hpp"
#include "data/labels.hpp"
#include "data/npy_format.hpp"
#include "data/readers.hpp"
#include "data/record_set.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

class FloatImages : public ImageSet {
 public:
  FloatImages(ImageSetInfo info, NpyArray array)
      : ImageSet(std::move(info)), array_(std::move(array)) {}

 private:
  void load_floats(Index first, Index count, float* out) const override {
    if (shape().channels == 1) return array_.read(first, count, out);
    std::vector<float> image(static_cast<std::size_t>(shape().values()));
    for (Index i = 0; i < count; ++i) {
      array_.read(first + i, 1, image.data());
      to_planar(image.data(), shape(), PixelOrder::kInterleaved, out + i * shape().values());
    }
  }

  NpyArray array_;
};

class NpySamples : public SampleSet {
 public:
  NpySamples(SampleSetInfo info, NpyArray array)
      : SampleSet(std::move(info)), array_(std::move(array)) {}

 private:
  void load(Index first, Index count, float* out) const override { array_.read(first, count, out); }
  void load(Index first, Index count, double* out) const override {
    array_.read(first, count, out);
  }

  NpyArray array_;
};

/// Labels, their names, and where they come from.
struct Labelling {
  std::vector<int> labels;
  std::vector<std::string> class_names;
};

Labelling label_rows(const Context& context, const NpyArray& array, const fs::path& file) {
  if (file.empty()) return {};
  Labelling labelling;
  labelling.labels = read_labels(context, file);
  const std::string name = file.filename().string();
  if (static_cast<Index>(labelling.labels.size()) != array.rows()) {
    data_error("npy", name, "{} labels for the {} rows of {}", labelling.labels.size(),
               array.rows(), array.source->name());
  }
  const Index classes = count_classes(labelling.labels, "npy", name);
  labelling.class_names = read_class_names(file.parent_path(), "class_names.txt", classes, "npy");
  return labelling;
}

ImageSetPtr make_images(const Context& context, NpyArray array, Labelling labelling,
                        std::string description) {
  ImageSetInfo info;
  info.size = array.rows();
  info.shape = {array.shape[1], array.shape[2], array.shape.size() == 4 ? array.shape[3] : 1};
  if (info.shape.channels != 1 && info.shape.channels != 3) {
    data_error("npy", array.source->name(),
               "shape ({}): the last dimension is that of the channels, 1 or 3",
               fmt::join(array.shape, ", "));
  }
  info.labels = std::move(labelling.labels);
  info.class_names = std::move(labelling.class_names);
  info.description = std::move(description);
  if (array.type.kind == 'u' && array.type.bytes == 1) {
    const RecordPart part = {array.source, array.data_at, info.shape.values(), info.size};
    const PixelOrder order =
        info.shape.channels == 1 ? PixelOrder::kPlanar : PixelOrder::kInterleaved;
    return std::make_shared<RecordSet>(std::move(info), std::vector{part}, order);
  }
  info.pixel_type = PixelType::kFloat32;
  require_finite_npy(context, array, true);
  return std::make_shared<FloatImages>(std::move(info), std::move(array));
}

SampleSetPtr make_samples(const Context& context, NpyArray array, Labelling labelling,
                          std::string description) {
  SampleSetInfo info;
  info.rows = array.rows();
  info.cols = array.shape[1];
  const bool wide = array.type.bytes == 8 || (array.type.kind != 'f' && array.type.bytes == 4);
  info.type = wide ? SampleType::kFloat64 : SampleType::kFloat32;
  info.labels = std::move(labelling.labels);
  info.class_names = std::move(labelling.class_names);
  info.description = std::move(description);
  require_finite_npy(context, array, !wide);
  return std::make_shared<NpySamples>(std::move(info), std::move(array));
}

/// Images or samples, whichever the shape says.
void open_part(const Context& context, const fs::path& file, const fs::path& labels,
               ImageSetPtr& images, SampleSetPtr& samples) {
  NpyArray array = open_npy_array(context, open_file("npy", file));
  const std::size_t dimensions = array.shape.size();
  if (dimensions < 2 || dimensions > 4) {
    data_error("npy", array.source->name(),
               "shape ({}); (m, n) for samples, (N, H, W) or (N, H, W, C) for images",
               fmt::join(array.shape, ", "));
  }
  Labelling labelling = label_rows(context, array, labels);
  std::string description = "NPY " + file.filename().string();
  if (dimensions == 2) {
    samples = make_samples(context, std::move(array), std::move(labelling), description);
  } else {
    images = make_images(context, std::move(array), std::move(labelling), description);
  }
}

/// The labels file beside an array of a directory; empty where there is none.
fs::path labels_beside(const fs::path& directory, const std::string& part) {
  const fs::path file = directory / (part + "_y.npy");
  return fs::exists(file) ? file : fs::path();
}

/// The classes of both parts: the one with more names has them all.
void check_same_kind(const DataSet& data, const fs::path& path) {
  const bool has_test = data.test || data.test_samples;
  if (has_test && (data.test != nullptr) != (data.train != nullptr)) {
    data_error("npy", path.string(), "train_x.npy and test_x.npy are not both images or samples");
  }
  if (data.test_samples && data.test_samples->cols() != data.train_samples->cols()) {
    data_error("npy", "test_x.npy", "{} columns, but train_x.npy has {}", data.test_samples->cols(),
               data.train_samples->cols());
  }
}

}  // namespace

std::vector<int> read_labels(const Context& context, const fs::path& path) {
  if (!fs::exists(path))
    throw IoError(fmt::format("[labels] {}: the label file does not exist", path.string()));
  ByteSourcePtr source = open_file("labels", path);
  if (is_gzip(*source)) source = gunzip(context, *source, kIdxStart);
  std::uint8_t first = 0;
  if (source->size() > 0) source->read(0, 1, &first);
  if (first == 0) return read_idx_labels(*source, read_idx_header(*source, 0, 1));
  const NpyArray array = open_npy_array(context, source);
  if (array.shape.size() > 2 || array.row_size() != 1) {
    data_error("labels", source->name(), "shape ({}); labels have the shape (m,)",
               fmt::join(array.shape, ", "));
  }
  std::vector<std::int64_t> wide(static_cast<std::size_t>(array.rows()));
  array.read(0, array.rows(), wide.data());
  std::vector<int> labels;
  for (const std::int64_t label : wide) {
    if (label < 0 || label >= kMostClasses) {
      data_error("labels", source->name(),
                 "the label at position {} is not an integer from 0 to {}", labels.size(),
                 kMostClasses - 1);
    }
    labels.push_back(static_cast<int>(label));
  }
  return labels;
}

DataSet open_npy(const Context& context, const fs::path& path, const OpenOptions& options) {
  DataSet data;
  if (!fs::is_directory(path)) {
    open_part(context, path, options.labels, data.train, data.train_samples);
    return data;
  }
  if (!fs::exists(path / "train_x.npy"))
    data_error("npy", path.string(), "train_x.npy is missing in the directory");
  open_part(context, path / "train_x.npy", labels_beside(path, "train"), data.train,
            data.train_samples);
  if (fs::exists(path / "test_x.npy")) {
    if (labels_beside(path, "test").empty() && !labels_beside(path, "train").empty())
      data_error("npy", "test_y.npy", "the label file is missing beside test_x.npy");
    open_part(context, path / "test_x.npy", labels_beside(path, "test"), data.test,
              data.test_samples);
  }
  if (fs::exists(path / "unlabelled_x.npy") && data.train) {
    SampleSetPtr none;
    open_part(context, path / "unlabelled_x.npy", {}, data.unlabelled, none);
  }
  check_same_kind(data, path);
  return data;
}

}  // namespace krica
