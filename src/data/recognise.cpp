// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "data/byte_source.hpp"
#include "data/codec.hpp"
#include "data/errors.hpp"
#include "data/listing.hpp"
#include "data/readers.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr Index kCifar10Record = 3073;
constexpr Index kCifar100Record = 3074;
constexpr Index kStl10Record = 27648;

bool has(const Listing& listing, std::string_view file) {
  return std::binary_search(listing.files.begin(), listing.files.end(), file);
}

bool has_prefix(const Listing& listing, std::string_view prefix, std::string_view ending = "") {
  return std::any_of(listing.files.begin(), listing.files.end(), [&](const std::string& file) {
    return file.starts_with(prefix) && file.ends_with(ending);
  });
}

/// kAuto if the names are inconclusive.
DataFormat by_names(const Listing& listing) {
  if (has(listing, "train_X.bin") || has(listing, "test_X.bin")) return DataFormat::kStl10;
  if (has_prefix(listing, "data_batch_", ".bin") || has(listing, "test_batch.bin"))
    return DataFormat::kCifar10;
  if (has(listing, "train.bin") || has(listing, "test.bin")) return DataFormat::kCifar100;
  if (has_prefix(listing, "train-images") || has_prefix(listing, "t10k-images"))
    return DataFormat::kIdx;
  if (has(listing, "train_x.npy")) return DataFormat::kNpy;
  if (has(listing, "train.csv")) return DataFormat::kCsv;
  if (has(listing, "train_lables.json")) return DataFormat::kCifar10Png;
  return DataFormat::kAuto;
}

/// A partly downloaded set must not be mistaken for a complete one.
void refuse_unfinished(const Listing& listing, const fs::path& path) {
  for (const auto* names : {&listing.files, &listing.directories}) {
    for (const std::string& name : *names) {
      if (!name.ends_with(".part")) continue;
      data_error("data", path.string(),
                 "{} is an unfinished download; finish it with `krica data get`, or remove it",
                 name);
    }
  }
}

DataFormat recognise_directory(fs::path& path) {
  const Listing listing = list_directory("data", path);
  refuse_unfinished(listing, path);
  const DataFormat format = by_names(listing);
  if (format != DataFormat::kAuto) return format;
  for (const char* inside :
       {"cifar-10-batches-bin", "cifar-100-binary", "stl10_binary", "101_ObjectCategories"}) {
    if (!fs::is_directory(path / inside)) continue;
    path /= inside;
    const DataFormat deeper = by_names(list_directory("data", path));
    return deeper == DataFormat::kAuto ? DataFormat::kFolder : deeper;
  }
  if (listing.files.empty() && listing.directories.empty())
    data_error("data", path.string(), "the directory is empty");
  if (has_prefix(listing, "", ".npy") && listing.directories.empty()) {
    data_error(
        "data", path.string(),
        "the directory contains .npy files, but no train_x.npy; give a single file, or rename it");
  }
  if (has_prefix(listing, "", ".csv") && listing.directories.empty()) {
    data_error(
        "data", path.string(),
        "the directory contains .csv files, but no train.csv; give a single file, or rename it");
  }
  return DataFormat::kFolder;
}

/// Whether byte `at` of each of the first records (`record` bytes each) is below `bound`.
bool labels_fit(const ByteSource& source, Index record, Index at, int bound) {
  const Index count = std::min<Index>(1000, source.size() / record);
  for (Index i = 0; i < count; ++i) {
    std::uint8_t label = 0;
    source.read(i * record + at, 1, &label);
    if (label >= bound) return false;
  }
  return true;
}

DataFormat by_record_size(const ByteSource& source) {
  const Index size = source.size();
  if (size == 0) data_error("data", source.name(), "the file is empty");
  if (size % kCifar10Record == 0 && labels_fit(source, kCifar10Record, 0, 10))
    return DataFormat::kCifar10;
  if (size % kCifar100Record == 0 && labels_fit(source, kCifar100Record, 0, 20) &&
      labels_fit(source, kCifar100Record, 1, 100)) {
    return DataFormat::kCifar100;
  }
  const bool named_bin = source.name().ends_with(".bin");
  if (named_bin && size % kStl10Record == 0) return DataFormat::kStl10;
  const bool named_cifar =
      source.name().starts_with("data_batch_") || source.name() == "test_batch.bin";
  if (named_bin && named_cifar) return DataFormat::kCifar10;  // its reader reports what is wrong
  data_error("data", source.name(),
             "neither CIFAR ({} bytes is not a multiple of 3073 or 3074, or the labels do not "
             "fit), nor STL-10, IDX, NPY, a table of numbers or an image",
             size);
}

bool is_table(const ByteSourcePtr& source) {
  std::string ending = fs::path(source->name()).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".csv" || ending == ".tsv") return source->size() > 0;
  return (ending == ".txt" || ending == ".data" || ending == ".dat") && looks_like_table(source);
}

DataFormat recognise_file(const fs::path& path) {
  const ByteSourcePtr source = open_file("data", path);
  Bytes start(static_cast<std::size_t>(std::min<Index>(64, source->size())));
  source->read(0, static_cast<Index>(start.size()), start.data());
  const auto begins = [&](std::initializer_list<int> magic) {
    return start.size() >= magic.size() && std::equal(magic.begin(), magic.end(), start.begin());
  };
  if (begins({0x93, 'N', 'U', 'M', 'P', 'Y'})) return DataFormat::kNpy;
  if (begins({0, 0, 8, 3}) || begins({0x1f, 0x8b})) return DataFormat::kIdx;
  if (codec_of(start) != ImageCodec::kNone) return DataFormat::kFolder;
  if (is_table(source)) return DataFormat::kCsv;
  return by_record_size(*source);
}

}  // namespace

DataFormat recognise(fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) no_such_data(path);
  if (!fs::exists(status)) io_error("data", path, "cannot open", error.value());
  return fs::is_directory(status) ? recognise_directory(path) : recognise_file(path);
}

}  // namespace krica
