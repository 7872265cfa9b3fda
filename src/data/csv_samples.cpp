// SPDX-License-Identifier: BSD-3-Clause
//
// Samples in text tables: one per line, one number per column, labels in a separate column.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "data/csv.hpp"
#include "data/errors.hpp"
#include "data/labels.hpp"
#include "data/readers.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

using Fields = std::vector<std::string>;

constexpr Index kRowsBetweenChecks = 1024;

class CsvSamples : public SampleSet {
 public:
  CsvSamples(SampleSetInfo info, std::vector<double> values)
      : SampleSet(std::move(info)), values_(std::move(values)) {}

 private:
  void load(Index first, Index count, float* out) const override { copy(first, count, out); }
  void load(Index first, Index count, double* out) const override { copy(first, count, out); }

  template <class Scalar>
  void copy(Index first, Index count, Scalar* out) const {
    const double* from = values_.data() + first * cols();
    std::transform(from, from + count * cols(), out,
                   [](double value) { return static_cast<Scalar>(value); });
  }

  std::vector<double> values_;
};

/// The roles of the columns.
struct Layout {
  Fields names;  // empty without a header
  std::size_t columns = 0;
  std::optional<std::size_t> label;
  bool row_names = false;  // the first column numbers or names the rows and is skipped

  [[nodiscard]] bool is_feature(std::size_t column) const {
    return column != label && !(row_names && column == 0);
  }
  /// "column 3" or "column 3 ('width')".
  [[nodiscard]] std::string column_text(std::size_t column) const {
    const bool named = !names.empty() && !names[column].empty();
    return named ? fmt::format("column {} ('{}')", column + 1, names[column])
                 : fmt::format("column {}", column + 1);
  }
};

bool is_number(const std::string& text) {
  double number = 0;
  return parse_number(text, number);
}

/// ",0,1,name": pandas and R leave the header of row names empty; pandas numbers unnamed columns.
bool is_header_with_row_names(const Fields& fields) {
  if (fields.size() < 2 || !fields[0].empty()) return false;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (is_number(fields[i]) && fields[i] != std::to_string(i - 1)) return false;
  }
  return true;
}

/// The first line is a header if it names the label column, or if it contains no number but the
/// second line does.
bool is_header(const Fields& first, const Fields& second) {
  if (std::any_of(first.begin(), first.end(), is_label_name)) return true;
  return is_header_with_row_names(first) || (std::none_of(first.begin(), first.end(), is_number) &&
                                             std::any_of(second.begin(), second.end(), is_number));
}

/// Determines the roles of the columns from the first two lines and the options.
class LayoutFinder {
 public:
  LayoutFinder(const std::string& file, const OpenOptions& options)
      : file_(file), options_(options) {}

  [[nodiscard]] Layout find(const Fields& first, const Fields& second) const {
    Layout layout;
    layout.columns = first.size();
    const bool header = is_header(first, second);
    if (header) layout.names = first;
    layout.row_names = header && is_header_with_row_names(first);
    const Fields& data = header ? second : first;
    if (!options_.labels.empty() || options_.label_column == "none") return layout;
    layout.label = !options_.label_column.empty() ? chosen_column(layout)
                   : header                       ? named_column(layout)
                                                  : std::nullopt;
    if (!layout.label) layout.label = text_column(layout, data);
    return layout;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> chosen_column(const Layout& layout) const {
    const std::string& wanted = options_.label_column;
    const auto found = std::find(layout.names.begin(), layout.names.end(), wanted);
    if (found != layout.names.end()) return static_cast<std::size_t>(found - layout.names.begin());
    std::size_t number = 0;
    const char* const end = wanted.data() + wanted.size();
    const auto read = std::from_chars(wanted.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number >= 1 && number <= layout.columns)
      return number - 1;
    data_error("csv", file_, "there is no column '{}' for the labels; the {} columns are {}",
               wanted, layout.columns,
               layout.names.empty() ? fmt::format("1 to {}, without names", layout.columns)
                                    : fmt::format("{}", fmt::join(layout.names, ", ")));
  }

  [[nodiscard]] std::optional<std::size_t> named_column(const Layout& layout) const {
    std::optional<std::size_t> label;
    for (std::size_t i = 0; i < layout.columns; ++i) {
      if (!is_label_name(layout.names[i])) continue;
      if (label) {
        data_error("csv", file_,
                   "{} and {} could both hold the labels; --label-column "
                   "(label_column) says which",
                   layout.column_text(*label), layout.column_text(i));
      }
      label = i;
    }
    return label;
  }

  /// The only text column, if it is first or last.
  [[nodiscard]] std::optional<std::size_t> text_column(const Layout& layout,
                                                       const Fields& data) const {
    std::vector<std::size_t> texts;
    for (std::size_t i = 0; i < std::min(data.size(), layout.columns); ++i) {
      if (layout.is_feature(i) && !data[i].empty() && !is_number(data[i])) texts.push_back(i);
    }
    if (texts.empty()) return std::nullopt;
    const bool at_the_edge =
        texts[0] == (layout.row_names ? 1 : 0) || texts[0] == layout.columns - 1;
    if (texts.size() == 1 && at_the_edge) return texts[0];
    std::vector<std::string> described;
    described.reserve(texts.size());
    for (const std::size_t i : texts)
      described.push_back(fmt::format("{} holds '{}'", layout.column_text(i), data[i]));
    data_error("csv", file_,
               "{}, which is not a number; samples need numbers in all columns but that of the "
               "labels, which --label-column (label_column) names",
               fmt::join(described, ", "));
  }

  const std::string& file_;
  const OpenOptions& options_;
};

struct Table {
  Layout layout;
  std::vector<double> values;
  Fields labels;
  Index rows = 0;

  [[nodiscard]] Fields feature_names() const {
    Fields names;
    for (std::size_t i = 0; i < layout.names.size(); ++i) {
      if (layout.is_feature(i)) names.push_back(layout.names[i]);
    }
    return names;
  }
};

class TableReader {
 public:
  TableReader(const Context& context, const ByteSourcePtr& source)
      : context_(context), source_(source), reader_(source, detect_dialect(*source)) {}

  Table run(const OpenOptions& options) {
    Fields first;
    Fields second;
    if (!reader_.next(first)) data_error("csv", source_->name(), "the file is empty");
    const Index first_line = reader_.line();
    const bool more = reader_.next(second);
    Table table;
    table.layout = LayoutFinder(source_->name(), options).find(first, second);
    if (table.layout.names.empty()) add_row(table, first, first_line);
    if (more) {
      add_row(table, second, reader_.line());
      while (reader_.next(second)) add_row(table, second, reader_.line());
    }
    if (table.rows == 0) data_error("csv", source_->name(), "a header, but no samples");
    if (std::ssize(table.values) == 0)
      data_error("csv", source_->name(), "there is no column of numbers");
    return table;
  }

 private:
  void add_row(Table& table, const Fields& fields, Index line) {
    const Layout& layout = table.layout;
    if (fields.size() != layout.columns) {
      data_error("csv", source_->name(), "line {} has {} fields, the first line has {}", line,
                 fields.size(), layout.columns);
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i == layout.label) {
        if (fields[i].empty()) data_error("csv", source_->name(), "line {}: no label", line);
        table.labels.push_back(fields[i]);
      } else if (layout.is_feature(i)) {
        table.values.push_back(number_in(layout, fields[i], i, line));
      }
    }
    ++table.rows;
    if (table.rows % kRowsBetweenChecks == 0) check_progress(table);
  }

  [[nodiscard]] double number_in(const Layout& layout, const std::string& text, std::size_t column,
                                 Index line) const {
    double number = 0;
    const bool parsed = parse_number(text, number);
    if (parsed && std::isfinite(number)) return number;
    const std::string where = fmt::format("line {}, {}", line, layout.column_text(column));
    if (text.empty()) data_error("csv", source_->name(), "{}: the value is missing", where);
    if (parsed) data_error("csv", source_->name(), "{}: {} is not finite", where, text);
    data_error("csv", source_->name(),
               "{}: '{}' is not a number; --label-column (label_column) names the column of the "
               "labels",
               where, text);
  }

  void check_progress(const Table& table) const {
    context_.check_cancelled();
    const auto bytes = static_cast<Index>(table.values.size() * sizeof(double));
    if (bytes <= context_.memory_bytes() / 2) return;
    data_error("csv", source_->name(),
               "the numbers take more than half of the memory budget of {} bytes; raise --memory, "
               "or save them as .npy, which is read from disk",
               context_.memory_bytes());
  }

  const Context& context_;
  ByteSourcePtr source_;
  CsvReader reader_;
};

Labelling label_rows(const Context& context, Table& table, const fs::path& path,
                     const OpenOptions& options) {
  const std::string name = path.filename().string();
  if (options.labels.empty()) {
    if (!table.layout.label) return {};
    return to_classes(labels_from_text(std::move(table.labels), "csv", name), path.parent_path(),
                      "csv", name);
  }
  const RawLabels raw = read_labels(context, options.labels);
  const std::string labels = options.labels.filename().string();
  if (raw.size() != table.rows)
    data_error("csv", labels, "{} labels for the {} samples of {}", raw.size(), table.rows, name);
  return to_classes(raw, options.labels.parent_path(), "csv", labels);
}

/// `train`: null for the training part itself.
SampleSetPtr open_file_part(const Context& context, const fs::path& path,
                            const OpenOptions& options, const SampleSet* train, DataSet& data) {
  const std::string name = path.filename().string();
  Table table = TableReader(context, open_file("csv", path)).run(options);
  SampleSetInfo info;
  info.rows = table.rows;
  info.cols = std::ssize(table.values) / table.rows;
  info.type = SampleType::kFloat64;
  info.column_names = table.feature_names();
  info.description = "CSV " + name;
  if (table.layout.row_names)
    data.notes.push_back(fmt::format("{}: left out column 1, which has no name", name));
  Labelling labelling = label_rows(context, table, path, options);
  if (labelling.labels.empty()) {
    data.notes.push_back(fmt::format(
        "{}: no label column (one named label, class, target or y, or text in the first or last "
        "column); --label-column names one",
        name));
  }
  if (train != nullptr)
    labelling = match_classes(labelling, labelling_of(train->info()), "csv", name);
  set_labels(info, std::move(labelling));
  return std::make_shared<CsvSamples>(std::move(info), std::move(table.values));
}

void check_test_part(const SampleSet& train, const SampleSet& test) {
  if (test.cols() != train.cols()) {
    data_error("csv", "test.csv", "{} columns of numbers, but train.csv has {}", test.cols(),
               train.cols());
  }
  const Fields& names = train.info().column_names;
  const Fields& others = test.info().column_names;
  const auto differ = std::mismatch(names.begin(), names.end(), others.begin(), others.end());
  if (!names.empty() && !others.empty() && differ.first != names.end()) {
    data_error("csv", "test.csv", "column '{}' does not match column '{}' of train.csv",
               *differ.second, *differ.first);
  }
  if (test.labels().empty() != train.labels().empty())
    data_error("csv", "test.csv", "train.csv has labels, test.csv has none");
}

}  // namespace

bool looks_like_table(const ByteSourcePtr& source) {
  try {
    CsvReader reader(source, detect_dialect(*source));
    Fields fields;
    bool found = false;
    for (int line = 0; line < 2 && !found && reader.next(fields); ++line)
      found = std::any_of(fields.begin(), fields.end(), is_number);
    return found;
  } catch (const DataError&) {
    return false;
  }
}

DataSet open_csv(const Context& context, const fs::path& path, const OpenOptions& options) {
  DataSet data;
  if (!fs::is_directory(path)) {
    data.train_samples = open_file_part(context, path, options, nullptr, data);
    return data;
  }
  if (!fs::exists(path / "train.csv"))
    data_error("csv", path.string(), "train.csv is missing in the directory");
  data.train_samples = open_file_part(context, path / "train.csv", options, nullptr, data);
  if (fs::exists(path / "test.csv")) {
    data.test_samples =
        open_file_part(context, path / "test.csv", options, data.train_samples.get(), data);
    check_test_part(*data.train_samples, *data.test_samples);
  }
  return data;
}

}  // namespace krica
