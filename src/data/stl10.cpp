// SPDX-License-Identifier: BSD-3-Clause
//
// STL-10 binary: 96 × 96 × 3 bytes per image, one channel after another, column-major within a
// channel; labels 1 to 10 in separate files.
#include <algorithm>
#include <charconv>

#include "data/errors.hpp"
#include "data/labels.hpp"
#include "data/readers.hpp"
#include "data/record_set.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr ImageShape kShape = {96, 96, 3};
constexpr int kClasses = 10;

std::vector<int> read_stl_labels(const fs::path& path, const std::string& images, Index count) {
  if (!fs::exists(path)) {
    data_error("stl10", path.filename().string(), "the label file is missing beside {}", images);
  }
  const ByteSourcePtr source = open_file("stl10", path);
  if (source->size() != count) {
    data_error("stl10", source->name(), "{} labels for the {} images of {}", source->size(), count,
               images);
  }
  std::vector<int> labels;
  for (const std::uint8_t byte : read_all(*source, count)) {
    if (byte < 1 || byte > kClasses) {
      data_error("stl10", source->name(), "label {} at position {} is outside 1 to {}", byte,
                 labels.size(), kClasses);
    }
    labels.push_back(byte - 1);
  }
  return labels;
}

/// Unlabelled if `labels` is empty.
ImageSetPtr open_part(const fs::path& images, const fs::path& labels,
                      const std::string& part_name) {
  const ByteSourcePtr source = open_file("stl10", images);
  if (source->size() == 0) data_error("stl10", source->name(), "the file is empty");
  if (source->size() % kShape.values() != 0) {
    data_error("stl10", source->name(), "{} bytes is not a multiple of {}", source->size(),
               kShape.values());
  }
  ImageSetInfo info;
  info.size = source->size() / kShape.values();
  info.shape = kShape;
  info.description = "STL-10 " + part_name;
  if (!labels.empty()) {
    info.labels = read_stl_labels(labels, source->name(), info.size);
    const fs::path names = images.parent_path() / "class_names.txt";
    const bool named = fs::exists(names);
    info.class_names =
        named ? read_class_names(names, kClasses, "stl10") : numbered_names(kClasses, 1);
    info.label_type = named ? LabelType::kText : LabelType::kInteger;
  }
  const RecordPart part = {source, 0, kShape.values(), info.size};
  return std::make_shared<RecordSet>(std::move(info), std::vector{part},
                                     PixelOrder::kPlanarTransposed);
}

std::vector<Index> parse_fold(const std::string& line, std::size_t number, Index size) {
  std::vector<Index> fold;
  const char* at = line.data();
  const char* end = at + line.size();
  while (true) {
    at = std::find_if(at, end, [](char c) { return c != ' ' && c != '\t'; });
    if (at == end) return fold;
    Index index = 0;
    const auto [next, status] = std::from_chars(at, end, index);
    if (status != std::errc() || index < 0 || index >= size) {
      data_error("stl10", "fold_indices.txt",
                 "line {} contains something that is not an index of one of the {} training images",
                 number, size);
    }
    fold.push_back(index);
    at = next;
  }
}

}  // namespace

DataSet open_stl10(const Context&, const fs::path& path, const OpenOptions&) {
  DataSet data;
  if (!fs::is_directory(path)) {
    data.train = open_part(path, {}, path.filename().string());
    return data;
  }
  if (!fs::exists(path / "train_X.bin"))
    data_error("stl10", path.string(), "train_X.bin is missing in the directory");
  data.train = open_part(path / "train_X.bin", path / "train_y.bin", "train");
  if (fs::exists(path / "test_X.bin"))
    data.test = open_part(path / "test_X.bin", path / "test_y.bin", "test");
  if (fs::exists(path / "unlabeled_X.bin"))
    data.unlabelled = open_part(path / "unlabeled_X.bin", {}, "unlabelled");
  if (fs::exists(path / "fold_indices.txt")) {
    for (const std::string& line : read_lines("stl10", path / "fold_indices.txt"))
      data.folds.push_back(parse_fold(line, data.folds.size() + 1, data.train->size()));
  }
  return data;
}

}  // namespace krica
