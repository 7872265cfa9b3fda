// SPDX-License-Identifier: BSD-3-Clause
//
// Labels and class names, for all readers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "krica/data/dataset.hpp"

namespace krica {

/// More classes than this indicate a mistake in the labels.
constexpr Index kMostClasses = 100000;

/// Labels as stored in a file: numbers, or texts instead.
struct RawLabels {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
  LabelType type = LabelType::kInteger;  // of the numbers: kInteger or kBoolean

  [[nodiscard]] Index size() const {
    return static_cast<Index>(texts.empty() ? numbers.size() : texts.size());
  }
};

/// Labels 0 to classes - 1 and their meaning.
struct Labelling {
  std::vector<int> labels;
  std::vector<std::string> class_names;
  LabelType type = LabelType::kText;
};

/// first, first + 1, ... as text.
std::vector<std::string> numbered_names(Index count, Index first = 0);

/// The first `classes` lines of a file. Throws DataError if it has fewer.
std::vector<std::string> read_class_names(const std::filesystem::path& file, Index classes,
                                          const std::string& operation);

/// Integers if all texts are (1 and 1.0 are the same), texts if some are not numbers. Throws
/// DataError if all are numbers but not all integers.
RawLabels labels_from_text(std::vector<std::string> texts, const std::string& operation,
                           const std::string& file);

/// One class per distinct value, in ascending order, named after the value. If labels are numbers
/// and `directory` contains class_names.txt, number v is instead the class of line v, counted from
/// 0. Throws DataError for more than kMostClasses, and for numbers without a line in
/// class_names.txt.
Labelling to_classes(const RawLabels& raw, const std::filesystem::path& directory,
                     const std::string& operation, const std::string& file);

/// Maps the test part's labels to classes of the training part by name. Throws DataError for a
/// class that occurs only in the test part.
Labelling match_classes(const Labelling& test, const Labelling& train, const std::string& operation,
                        const std::string& file);

/// Moves labels, class names and label type into the info of an image or sample set.
template <class Info>
void set_labels(Info& info, Labelling labelling) {
  info.labels = std::move(labelling.labels);
  info.class_names = std::move(labelling.class_names);
  info.label_type = labelling.type;
}

/// The inverse of set_labels().
template <class Info>
Labelling labelling_of(const Info& info) {
  return {info.labels, info.class_names, info.label_type};
}

/// The labels of the training part.
Labelling train_labels(const DataSet& data);

/// Throws DataError if labels are given and all are equal.
void require_two_classes(const Labelling& labelling, const std::string& operation,
                         const std::string& file);

}  // namespace krica
