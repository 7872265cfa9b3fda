// SPDX-License-Identifier: BSD-3-Clause
#include "data/labels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "data/byte_source.hpp"
#include "data/errors.hpp"

namespace krica {
namespace {

// Beyond this, doubles cannot represent every integer.
constexpr double kLargestInteger = 9007199254740992.0;

enum class TextKind { kInteger, kNumber, kText };

TextKind kind_of(const std::string& text, std::int64_t& integer) {
  const char* const end = text.data() + text.size();
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto whole = std::from_chars(begin, end, integer);
  if (whole.ec == std::errc() && whole.ptr == end) return TextKind::kInteger;
  double number = 0;
  const auto read = std::from_chars(begin, end, number);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(number)) return TextKind::kText;
  if (number != std::floor(number) || std::abs(number) > kLargestInteger) return TextKind::kNumber;
  integer = static_cast<std::int64_t>(number);
  return TextKind::kInteger;
}

Labelling named_by_file(const RawLabels& raw, const std::filesystem::path& names,
                        const std::string& operation, const std::string& file) {
  Labelling labelling;
  labelling.class_names = read_lines(operation, names);
  for (const std::int64_t label : raw.numbers) {
    if (label < 0 || label >= std::ssize(labelling.class_names)) {
      data_error(operation, file,
                 "label {} at position {}, but {} has {} names, for labels from 0 to {}", label,
                 labelling.labels.size(), names.filename().string(), labelling.class_names.size(),
                 std::ssize(labelling.class_names) - 1);
    }
    labelling.labels.push_back(static_cast<int>(label));
  }
  return labelling;
}

/// The distinct values, ascending, and for each label the index of its value.
template <class Value>
std::vector<Value> rank(const std::vector<Value>& values, std::vector<int>& ranks) {
  std::vector<Value> different = values;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  ranks.reserve(values.size());
  for (const Value& value : values) {
    const auto at = std::lower_bound(different.begin(), different.end(), value);
    ranks.push_back(static_cast<int>(at - different.begin()));
  }
  return different;
}

}  // namespace

std::vector<std::string> numbered_names(Index count, Index first) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i) names.push_back(std::to_string(first + i));
  return names;
}

std::vector<std::string> read_class_names(const std::filesystem::path& file, Index classes,
                                          const std::string& operation) {
  std::vector<std::string> names = read_lines(operation, file);
  if (std::ssize(names) < classes) {
    data_error(operation, file.filename().string(), "{} names for {} classes", names.size(),
               classes);
  }
  names.resize(static_cast<std::size_t>(classes));
  return names;
}

RawLabels labels_from_text(std::vector<std::string> texts, const std::string& operation,
                           const std::string& file) {
  RawLabels raw;
  std::size_t fraction = texts.size();  // the first number that is not an integer
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::int64_t integer = 0;
    const TextKind kind = kind_of(texts[i], integer);
    if (kind == TextKind::kText) return {{}, std::move(texts), LabelType::kText};
    if (kind == TextKind::kNumber) fraction = std::min(fraction, i);
    raw.numbers.push_back(integer);
  }
  if (fraction < texts.size()) {
    data_error(operation, file,
               "label {} at position {} is not an integer; labels name classes, as integers or "
               "text",
               texts[fraction], fraction);
  }
  return raw;
}

Labelling to_classes(const RawLabels& raw, const std::filesystem::path& directory,
                     const std::string& operation, const std::string& file) {
  const std::filesystem::path names = directory / "class_names.txt";
  if (raw.texts.empty() && std::filesystem::exists(names))
    return named_by_file(raw, names, operation, file);
  Labelling labelling;
  if (!raw.texts.empty()) {
    labelling.class_names = rank(raw.texts, labelling.labels);
  } else {
    labelling.type = raw.type;
    for (const std::int64_t value : rank(raw.numbers, labelling.labels)) {
      const bool boolean = raw.type == LabelType::kBoolean;
      labelling.class_names.push_back(boolean ? (value != 0 ? "True" : "False")
                                              : std::to_string(value));
    }
  }
  if (std::ssize(labelling.class_names) > kMostClasses) {
    data_error(operation, file, "{} different labels; at most {} classes are possible",
               labelling.class_names.size(), kMostClasses);
  }
  return labelling;
}

Labelling match_classes(const Labelling& test, const Labelling& train, const std::string& operation,
                        const std::string& file) {
  if (train.labels.empty() && !test.labels.empty())
    data_error(operation, file, "the test part has labels, the training part has none");
  std::unordered_map<std::string, int> place;
  for (const std::string& name : train.class_names)
    place.emplace(name, static_cast<int>(place.size()));
  Labelling matched{{}, train.class_names, train.type};
  for (const int label : test.labels) {
    const std::string& name = test.class_names[static_cast<std::size_t>(label)];
    const auto found = place.find(name);
    if (found == place.end()) {
      data_error(operation, file,
                 "class '{}' occurs in the test part, but not in the training part", name);
    }
    matched.labels.push_back(found->second);
  }
  return matched;
}

Labelling train_labels(const DataSet& data) {
  return data.train ? labelling_of(data.train->info()) : labelling_of(data.train_samples->info());
}

void require_two_classes(const Labelling& labelling, const std::string& operation,
                         const std::string& file) {
  const std::vector<int>& labels = labelling.labels;
  if (labels.empty()) return;
  const bool same =
      std::all_of(labels.begin(), labels.end(), [&](int label) { return label == labels[0]; });
  if (same) {
    data_error(operation, file, "all {} labels are of one class, '{}'; at least two are needed",
               labels.size(), labelling.class_names.at(static_cast<std::size_t>(labels[0])));
  }
}

}  // namespace krica
