// SPDX-License-Identifier: BSD-3-Clause
//
// CIFAR binary: records of one label byte (CIFAR-100: coarse, then fine) and 3072 pixels: 1024 red,
// 1024 green, 1024 blue, row-major.
#include <algorithm>

#include "data/errors.hpp"
#include "data/labels.hpp"
#include "data/readers.hpp"
#include "data/record_set.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr ImageShape kShape = {32, 32, 3};
constexpr Index kLabelBlock = 256;  // records to read labels from at a time

/// The differences between CIFAR-10 and CIFAR-100.
struct Variant {
  std::string name;
  Index label_bytes = 1;
  Index label_at = 0;
  int classes = 10;
  std::string names_file;

  [[nodiscard]] Index record() const { return label_bytes + kShape.values(); }
};

Variant cifar10_variant() { return {"CIFAR-10", 1, 0, 10, "batches.meta.txt"}; }

Variant cifar100_variant(bool coarse) {
  if (coarse) return {"CIFAR-100", 2, 0, 20, "coarse_label_names.txt"};
  return {"CIFAR-100", 2, 1, 100, "fine_label_names.txt"};
}

void add_labels(const Context& context, const Variant& variant, const RecordPart& part,
                std::vector<int>& labels) {
  Bytes block(static_cast<std::size_t>(kLabelBlock * variant.record()));
  for (Index first = 0; first < part.count; first += kLabelBlock) {
    context.check_cancelled();
    const Index count = std::min(kLabelBlock, part.count - first);
    part.source->read(first * variant.record(), count * variant.record(), block.data());
    for (Index i = 0; i < count; ++i) {
      const int label = block[static_cast<std::size_t>(i * variant.record() + variant.label_at)];
      if (label >= variant.classes) {
        data_error("cifar", part.source->name(), "label {} of record {} is beyond {}", label,
                   first + i, variant.classes - 1);
      }
      labels.push_back(label);
    }
  }
}

/// From the file of names if present; otherwise the known names, or numbers.
void name_classes(const Variant& variant, const fs::path& directory, ImageSetInfo& info) {
  if (fs::exists(directory / variant.names_file)) {
    info.class_names = read_class_names(directory / variant.names_file, variant.classes, "cifar");
  } else if (variant.classes == 10) {
    info.class_names = cifar10_class_names();
  } else {
    info.class_names = numbered_names(variant.classes);
    info.label_type = LabelType::kInteger;
  }
}

ImageSetPtr open_files(const Context& context, const Variant& variant,
                       const std::vector<fs::path>& files, const std::string& part_name) {
  std::vector<RecordPart> parts;
  ImageSetInfo info;
  for (const fs::path& file : files) {
    const ByteSourcePtr source = open_file("cifar", file);
    if (source->size() == 0) data_error("cifar", source->name(), "the file is empty");
    if (source->size() % variant.record() != 0) {
      data_error("cifar", source->name(), "{} bytes is not a multiple of {}", source->size(),
                 variant.record());
    }
    parts.push_back(
        {source, variant.label_bytes, variant.record(), source->size() / variant.record()});
    add_labels(context, variant, parts.back(), info.labels);
  }
  info.size = static_cast<Index>(info.labels.size());
  info.shape = kShape;
  name_classes(variant, files.front().parent_path(), info);
  info.description = variant.name + " " + part_name;
  return std::make_shared<RecordSet>(std::move(info), std::move(parts), PixelOrder::kPlanar);
}

DataSet open_variant(const Context& context, const Variant& variant,
                     const std::vector<fs::path>& train, const fs::path& test,
                     const fs::path& directory) {
  DataSet data;
  const bool has_test = fs::exists(test);
  if (train.empty() && !has_test)
    data_error("cifar", directory.string(), "no {} file in the directory", variant.name);
  if (train.empty()) {
    data_error("cifar", directory.string(), "there is {}, but no training file",
               test.filename().string());
  }
  data.train = open_files(context, variant, train, "train");
  if (has_test) data.test = open_files(context, variant, {test}, "test");
  return data;
}

}  // namespace

std::vector<std::string> cifar10_class_names() {
  return {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
}

DataSet open_cifar10(const Context& context, const fs::path& path, const OpenOptions&) {
  const Variant variant = cifar10_variant();
  DataSet data;
  if (!fs::is_directory(path)) {
    data.train = open_files(context, variant, {path}, path.filename().string());
    return data;
  }
  std::vector<fs::path> train;
  for (int i = 1; i <= 5; ++i) {
    const fs::path file = path / fmt::format("data_batch_{}.bin", i);
    if (fs::exists(file)) train.push_back(file);
  }
  return open_variant(context, variant, train, path / "test_batch.bin", path);
}

DataSet open_cifar100(const Context& context, const fs::path& path, const OpenOptions& options) {
  const Variant variant = cifar100_variant(options.coarse_labels);
  DataSet data;
  if (!fs::is_directory(path)) {
    data.train = open_files(context, variant, {path}, path.filename().string());
    return data;
  }
  std::vector<fs::path> train;
  if (fs::exists(path / "train.bin")) train.push_back(path / "train.bin");
  return open_variant(context, variant, train, path / "test.bin", path);
}

}  // namespace krica
