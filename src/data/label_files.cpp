// SPDX-License-Identifier: BSD-3-Clause
//
// Files that contain only labels: NPY (numbers or strings), IDX, or text with one label per line.
#include <algorithm>
#include <cmath>

#include "data/csv.hpp"
#include "data/errors.hpp"
#include "data/idx.hpp"
#include "data/labels.hpp"
#include "data/npy_format.hpp"
#include "data/readers.hpp"

namespace krica {
namespace {

RawLabels read_npy_labels(const Context& context, ByteSourcePtr source) {
  const NpyArray array = open_npy_array(context, std::move(source), NpyContent::kAny);
  const std::string& name = array.source->name();
  if (array.shape.size() > 2 || array.row_size() != 1) {
    data_error("labels", name, "shape ({}); labels have the shape (m,)",
               fmt::join(array.shape, ", "));
  }
  if (array.type.is_text()) return {{}, array.read_text(), LabelType::kText};
  RawLabels raw;
  raw.type = array.type.kind == 'b' ? LabelType::kBoolean : LabelType::kInteger;
  raw.numbers.resize(static_cast<std::size_t>(array.rows()));
  array.read(0, array.rows(), raw.numbers.data());
  const auto wrong = std::find(raw.numbers.begin(), raw.numbers.end(), kNoInteger);
  if (wrong != raw.numbers.end()) {
    data_error("labels", name, "the label at position {} is not an integer",
               wrong - raw.numbers.begin());
  }
  if (raw.type == LabelType::kBoolean) {
    for (std::int64_t& number : raw.numbers) number = number != 0 ? 1 : 0;
  }
  return raw;
}

RawLabels read_text_labels(const ByteSourcePtr& source) {
  const bool table = source->name().ends_with(".csv") || source->name().ends_with(".tsv");
  CsvReader reader(source, table ? detect_dialect(*source) : CsvDialect{.delimiter = '\n'});
  std::vector<std::string> texts;
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    if (fields.size() > 1) {
      data_error("labels", source->name(), "line {} has {} fields; a label file has one per line",
                 reader.line(), fields.size());
    }
    texts.push_back(fields.front());
  }
  // A header, unless a class has that name.
  if (texts.size() > 1 && is_label_name(texts[0]) &&
      std::find(texts.begin() + 1, texts.end(), texts[0]) == texts.end()) {
    texts.erase(texts.begin());
  }
  if (texts.empty()) data_error("labels", source->name(), "the file holds no labels");
  return labels_from_text(std::move(texts), "labels", source->name());
}

}  // namespace

RawLabels read_labels(const Context& context, const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw IoError(fmt::format("[labels] {}: the label file does not exist", path.string()));
  ByteSourcePtr source = open_file("labels", path);
  if (is_gzip(*source)) source = gunzip(context, *source, kIdxStart);
  if (source->size() == 0) data_error("labels", source->name(), "the file holds no labels");
  std::uint8_t first = 0;
  source->read(0, 1, &first);
  if (first == 0x93) return read_npy_labels(context, std::move(source));
  if (first != 0) return read_text_labels(source);
  const std::vector<int> labels = read_idx_labels(*source, read_idx_header(*source, 0, 1));
  return {{labels.begin(), labels.end()}, {}, LabelType::kInteger};
}

}  // namespace krica
