// SPDX-License-Identifier: BSD-3-Clause
//
// CIFAR-10 as PNG strips: data_batch_1.png to data_batch_5.png and test_batch.png, 1024 × N RGB
// pixels, one 32 × 32 image per row; the labels as JSON lists in train_lables.json and
// test_lables.json (sic). Strips are decoded into memory when the set is opened.
#include <nlohmann/json.hpp>

#include "data/codec.hpp"
#include "data/errors.hpp"
#include "data/labels.hpp"
#include "data/readers.hpp"
#include "data/record_set.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr ImageShape kShape = {32, 32, 3};
constexpr Index kLargestFile = Index{1} << 28;

std::vector<int> read_json_labels(const fs::path& path) {
  const ByteSourcePtr source = open_file("cifar10-png", path);
  const Bytes bytes = read_all(*source, kLargestFile);
  const auto json = nlohmann::json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!json.is_array()) data_error("cifar10-png", source->name(), "not a JSON list");
  std::vector<int> labels;
  for (const auto& entry : json) {
    const bool good = entry.is_number_unsigned() && entry.get<std::uint64_t>() < 10;
    if (!good) {
      data_error("cifar10-png", source->name(), "the label at position {} is not one of 0 to 9",
                 labels.size());
    }
    labels.push_back(entry.get<int>());
  }
  return labels;
}

/// A strip stores each channel of all images in turn; records store images in turn.
RecordPart read_strip(const fs::path& path) {
  const std::string name = path.filename().string();
  const Image strip = read_image(path);
  if (strip.shape.width != kShape.pixels() || strip.shape.channels != 3) {
    data_error("cifar10-png", name,
               "{} x {} pixels with {} channels; a strip has rows of {} in RGB", strip.shape.width,
               strip.shape.height, strip.shape.channels, kShape.pixels());
  }
  Bytes records(strip.pixels.size());
  for (Index i = 0; i < strip.shape.height; ++i) {
    for (Index c = 0; c < 3; ++c) {
      std::copy_n(strip.pixels.data() + c * strip.shape.pixels() + i * kShape.pixels(),
                  kShape.pixels(), records.data() + i * kShape.values() + c * kShape.pixels());
    }
  }
  return {memory_source("cifar10-png", name, std::move(records)), 0, kShape.values(),
          strip.shape.height};
}

ImageSetPtr open_part(const Context& context, const std::vector<fs::path>& strips,
                      const fs::path& labels, const std::string& description) {
  std::vector<RecordPart> parts;
  ImageSetInfo info;
  for (const fs::path& strip : strips) {
    context.check_cancelled();
    parts.push_back(read_strip(strip));
    info.size += parts.back().count;
  }
  info.labels = read_json_labels(labels);
  if (static_cast<Index>(info.labels.size()) != info.size) {
    data_error("cifar10-png", labels.filename().string(), "{} labels for {} images",
               info.labels.size(), info.size);
  }
  info.shape = kShape;
  info.class_names = cifar10_class_names();
  info.description = description;
  return std::make_shared<RecordSet>(std::move(info), std::move(parts), PixelOrder::kPlanar);
}

}  // namespace

DataSet open_cifar10_png(const Context& context, const fs::path& path, const OpenOptions&) {
  std::vector<fs::path> train;
  for (int i = 1; i <= 5; ++i) {
    const fs::path strip = path / fmt::format("data_batch_{}.png", i);
    if (fs::exists(strip)) train.push_back(strip);
  }
  if (train.empty()) data_error("cifar10-png", path.string(), "there is no data_batch_1.png in it");
  DataSet data;
  data.train = open_part(context, train, path / "train_lables.json", "CIFAR-10 train");
  if (fs::exists(path / "test_batch.png")) {
    data.test =
        open_part(context, {path / "test_batch.png"}, path / "test_lables.json", "CIFAR-10 test");
  }
  return data;
}

}  // namespace krica
