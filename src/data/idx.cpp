// SPDX-License-Identifier: BSD-3-Clause
#include "data/idx.hpp"

#include <array>
#include <optional>

#include "data/errors.hpp"
#include "data/labels.hpp"
#include "data/readers.hpp"
#include "data/record_set.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

/// Unpacks gzip; plain files are read on demand.
ByteSourcePtr open_idx_file(const Context& context, const fs::path& path) {
  ByteSourcePtr source = open_file("idx", path);
  return is_gzip(*source) ? gunzip(context, *source, kIdxStart) : source;
}

/// "train-images" matches train-images-idx3-ubyte and train-images.idx3-ubyte, with or without .gz.
std::optional<fs::path> find_file(const fs::path& directory, const std::string& stem,
                                  int dimensions) {
  for (const char* separator : {"-", "."}) {
    for (const char* ending : {"", ".gz"}) {
      const fs::path path =
          directory / fmt::format("{}{}idx{}-ubyte{}", stem, separator, dimensions, ending);
      if (fs::exists(path)) return path;
    }
  }
  return std::nullopt;
}

/// `train`: the training part if this is the test part, otherwise null.
ImageSetPtr open_pair(const Context& context, const fs::path& images,
                      const std::optional<fs::path>& labels, const ImageSet* train,
                      const std::string& description) {
  ByteSourcePtr source = open_idx_file(context, images);
  const IdxHeader header = read_idx_header(*source, 0, 3);
  ImageSetInfo info;
  info.description = description;
  if (labels) {
    const RawLabels raw = read_labels(context, *labels);
    const std::string name = labels->filename().string();
    if (raw.size() != header.count()) {
      data_error("idx", name, "{} labels for the {} images of {}", raw.size(), header.count(),
                 source->name());
    }
    Labelling labelling = to_classes(raw, images.parent_path(), "idx", name);
    if (train != nullptr)
      labelling = match_classes(labelling, labelling_of(train->info()), "idx", name);
    set_labels(info, std::move(labelling));
  }
  return idx_images(std::move(source), header, std::move(info));
}

ImageSetPtr open_usual_names(const Context& context, const fs::path& directory,
                             const std::string& part, const ImageSet* train) {
  const auto images = find_file(directory, part + "-images", 3);
  if (!images) return nullptr;
  const auto labels = find_file(directory, part + "-labels", 1);
  if (!labels) {
    data_error("idx", part + "-labels-idx1-ubyte", "the label file is missing beside {}",
               images->filename().string());
  }
  return open_pair(context, *images, labels, train, part == "train" ? "IDX train" : "IDX test");
}

}  // namespace

Index IdxHeader::end() const {
  Index values = 1;
  for (const Index size : sizes) values = checked_product(values, size);
  return values < 0 ? -1 : data_at + values;
}

IdxHeader read_idx_header(const ByteSource& source, Index offset, int dimensions) {
  std::array<std::uint8_t, 4> magic{};
  if (source.size() - offset < 4) data_error("idx", source.name(), "truncated: no header");
  source.read(offset, 4, magic.data());
  if (magic[0] != 0 || magic[1] != 0) data_error("idx", source.name(), "not an IDX file");
  if (magic[2] != 8) {
    data_error("idx", source.name(), "numbers of type 0x{:02x}; only bytes (0x08) can be read",
               magic[2]);
  }
  if (magic[3] != dimensions) {
    data_error("idx", source.name(), "{} dimensions; {} have {}", magic[3],
               dimensions == 3 ? "images" : "labels", dimensions);
  }
  IdxHeader header;
  header.data_at = offset + 4 + Index{4} * dimensions;
  if (header.data_at > source.size()) data_error("idx", source.name(), "truncated header");
  for (int d = 0; d < dimensions; ++d) {
    std::array<std::uint8_t, 4> size{};
    source.read(offset + 4 + Index{4} * d, 4, size.data());
    header.sizes.push_back(Index{size[0]} << 24 | Index{size[1]} << 16 | Index{size[2]} << 8 |
                           Index{size[3]});
    if (header.sizes.back() == 0) data_error("idx", source.name(), "dimension {} is 0", d);
  }
  if (header.end() < 0 || header.end() > source.size()) {
    data_error("idx", source.name(),
               "truncated: the header says {} numbers, but there are {} bytes",
               fmt::join(header.sizes, " x "), source.size() - header.data_at);
  }
  return header;
}

std::vector<int> read_idx_labels(const ByteSource& source, const IdxHeader& header) {
  Bytes bytes(static_cast<std::size_t>(header.count()));
  source.read(header.data_at, header.count(), bytes.data());
  return {bytes.begin(), bytes.end()};
}

ImageSetPtr idx_images(ByteSourcePtr source, const IdxHeader& header, ImageSetInfo info) {
  info.size = header.count();
  info.shape = {header.sizes[1], header.sizes[2], 1};
  const RecordPart part = {std::move(source), header.data_at, info.shape.values(), info.size};
  return std::make_shared<RecordSet>(std::move(info), std::vector{part}, PixelOrder::kPlanar);
}

DataSet open_idx(const Context& context, const fs::path& path, const OpenOptions& options) {
  DataSet data;
  if (!fs::is_directory(path)) {
    const std::optional<fs::path> labels =
        options.labels.empty() ? std::nullopt : std::optional(options.labels);
    data.train = open_pair(context, path, labels, nullptr, "IDX " + path.filename().string());
    return data;
  }
  data.train = open_usual_names(context, path, "train", nullptr);
  if (!data.train) {
    data_error("idx", path.string(),
               "train-images-idx3-ubyte (or .gz) is missing in the directory");
  }
  data.test = open_usual_names(context, path, "t10k", data.train.get());
  return data;
}

}  // namespace krica
