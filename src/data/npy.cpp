// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "data/errors.hpp"
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
  void load(Index first, Index count, float* out) const override { copy(first, count, out); }
  void load(Index first, Index count, double* out) const override { copy(first, count, out); }

  /// Files store the channels of each step together, samples the steps of each channel.
  template <class Scalar>
  void copy(Index first, Index count, Scalar* out) const {
    if (info().channels == 1) return array_.read(first, count, out);
    const ImageShape shape = {info().steps(), 1, info().channels};
    std::vector<Scalar> steps(static_cast<std::size_t>(cols()));
    for (Index i = 0; i < count; ++i) {
      array_.read(first + i, 1, steps.data());
      to_planar(steps.data(), shape, PixelOrder::kInterleaved, out + i * cols());
    }
  }

  NpyArray array_;
};

enum class Kind { kImages, kSamples };

/// The request, shared by all of its files.
struct Request {
  const Context& context;
  DataFormat format;  // kAuto, kNpy or kSignals
  DataSet& data;
};

Labelling label_rows(const Context& context, const NpyArray& array, const fs::path& file) {
  if (file.empty()) return {};
  const RawLabels raw = read_labels(context, file);
  const std::string name = file.filename().string();
  if (raw.size() != array.rows()) {
    data_error("npy", name, "{} labels for the {} rows of {}", raw.size(), array.rows(),
               array.source->name());
  }
  return to_classes(raw, file.parent_path(), "npy", name);
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
  set_labels(info, std::move(labelling));
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
  info.cols = array.row_size();
  info.channels = array.shape.size() == 3 ? array.shape[2] : 1;
  const bool wide = array.type.bytes == 8 || (array.type.kind != 'f' && array.type.bytes == 4);
  info.type = wide ? SampleType::kFloat64 : SampleType::kFloat32;
  set_labels(info, std::move(labelling));
  info.description = std::move(description);
  require_finite_npy(context, array, !wide);
  return std::make_shared<NpySamples>(std::move(info), std::move(array));
}

constexpr Index kFewest = 8;   // steps, channels, rows or columns
constexpr Index kLongest = 8;  // steps per channel, or height per width

/// Three dimensions of a type other than bytes may be images (N, H, W) or signals (N, T, C).
Kind kind_of_three(const NpyArray& array, DataSet& data) {
  const Index first = array.shape[1];
  const Index second = array.shape[2];
  if (array.type.kind == 'u' && array.type.bytes == 1) return Kind::kImages;
  const std::string& name = array.source->name();
  if (second < kFewest || first > kLongest * second) {
    data.notes.push_back(fmt::format(
        "{}: shape ({}) is read as {} signals of {} steps and {} channels; --format npy reads "
        "images instead",
        name, fmt::join(array.shape, ", "), array.rows(), first, second));
    data.format = DataFormat::kSignals;
    return Kind::kSamples;
  }
  if (first < kFewest || second > kLongest * first) {
    data.notes.push_back(fmt::format(
        "{}: shape ({}) is read as images of {} x {}; signals have the shape (N, steps, channels): "
        "transpose the array, and --format signals reads it",
        name, fmt::join(array.shape, ", "), first, second));
  }
  return Kind::kImages;
}

Kind kind_of(const NpyArray& array, DataFormat format, DataSet& data) {
  const std::size_t dimensions = array.shape.size();
  const bool signals = format == DataFormat::kSignals;
  if (dimensions < 2 || dimensions > (signals ? 3 : 4)) {
    data_error("npy", array.source->name(), "shape ({}); {}", fmt::join(array.shape, ", "),
               signals ? "(N, T) or (N, T, C) for signals"
                       : "(m, n) for samples, (N, T, C) for signals, (N, H, W) or (N, H, W, C) "
                         "for images");
  }
  if (dimensions == 2 || signals) return Kind::kSamples;
  if (dimensions == 4 || format == DataFormat::kNpy) return Kind::kImages;
  return kind_of_three(array, data);
}

/// Images or samples, depending on shape and format. If `train` is given, labels refer to its
/// classes.
void open_part(const Request& request, const fs::path& file, const fs::path& labels,
               const Labelling* train, ImageSetPtr& images, SampleSetPtr& samples) {
  NpyArray array = open_npy_array(request.context, open_file("npy", file));
  const Kind kind = kind_of(array, request.format, request.data);
  Labelling labelling = label_rows(request.context, array, labels);
  if (train != nullptr)
    labelling = match_classes(labelling, *train, "npy", labels.filename().string());
  std::string description = "NPY " + file.filename().string();
  if (kind == Kind::kSamples) {
    samples = make_samples(request.context, std::move(array), std::move(labelling), description);
  } else {
    images = make_images(request.context, std::move(array), std::move(labelling), description);
  }
}

/// The labels file for an array in a directory; empty if there is none.
fs::path labels_beside(const fs::path& directory, const std::string& part) {
  const fs::path file = directory / (part + "_y.npy");
  return fs::exists(file) ? file : fs::path();
}

void check_same_kind(const DataSet& data, const fs::path& path) {
  const bool has_test = data.test || data.test_samples;
  if (has_test && (data.test != nullptr) != (data.train != nullptr)) {
    data_error("npy", path.string(), "train_x.npy and test_x.npy are not both images or samples");
  }
  if (!data.test_samples) return;
  const SampleSetInfo& train = data.train_samples->info();
  const SampleSetInfo& test = data.test_samples->info();
  if (test.cols != train.cols || test.channels != train.channels) {
    data_error("npy", "test_x.npy", "{} values in {} channels, but train_x.npy has {} in {}",
               test.cols, test.channels, train.cols, train.channels);
  }
}

void open_directory(const Request& request, const fs::path& path) {
  DataSet& data = request.data;
  if (!fs::exists(path / "train_x.npy"))
    data_error("npy", path.string(), "train_x.npy is missing in the directory");
  open_part(request, path / "train_x.npy", labels_beside(path, "train"), nullptr, data.train,
            data.train_samples);
  if (fs::exists(path / "test_x.npy")) {
    const fs::path labels = labels_beside(path, "test");
    const Labelling train = train_labels(data);
    if (labels.empty() && !train.labels.empty())
      data_error("npy", "test_y.npy", "the label file is missing beside test_x.npy");
    open_part(request, path / "test_x.npy", labels, &train, data.test, data.test_samples);
  }
  if (fs::exists(path / "unlabelled_x.npy") && data.train) {
    SampleSetPtr none;
    open_part(request, path / "unlabelled_x.npy", {}, nullptr, data.unlabelled, none);
  }
  check_same_kind(data, path);
}

}  // namespace

DataSet open_npy(const Context& context, const fs::path& path, const OpenOptions& options) {
  DataSet data;
  const Request request{context, options.format, data};
  if (fs::is_directory(path)) {
    open_directory(request, path);
  } else {
    open_part(request, path, options.labels, nullptr, data.train, data.train_samples);
  }
  return data;
}

}  // namespace krica
