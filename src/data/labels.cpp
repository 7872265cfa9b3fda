// SPDX-License-Identifier: BSD-3-Clause
#include "data/labels.hpp"

#include <algorithm>

#include "data/byte_source.hpp"
#include "data/errors.hpp"

namespace krica {

std::vector<std::string> numbered_names(Index count) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

Index count_classes(const std::vector<int>& labels, const std::string& operation,
                    const std::string& file) {
  int largest = -1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= kMostClasses) {
      data_error(operation, file, "label {} at position {} is outside 0 to {}", labels[i], i,
                 kMostClasses - 1);
    }
    largest = std::max(largest, labels[i]);
  }
  return largest + 1;
}

std::vector<std::string> read_class_names(const std::filesystem::path& directory,
                                          const std::string& file, Index classes,
                                          const std::string& operation) {
  if (!std::filesystem::exists(directory / file)) return numbered_names(classes);
  std::vector<std::string> names = read_lines(operation, directory / file);
  if (static_cast<Index>(names.size()) < classes) {
    data_error(operation, file, "{} names for {} classes", names.size(), classes);
  }
  return names;
}

void require_two_classes(const std::vector<int>& labels, const std::vector<std::string>& names,
                         const std::string& operation, const std::string& file) {
  if (labels.empty()) return;
  const bool same =
      std::all_of(labels.begin(), labels.end(), [&](int label) { return label == labels[0]; });
  if (same) {
    data_error(operation, file, "all {} images are of one class, '{}'; at least two are needed",
               labels.size(), names.at(static_cast<std::size_t>(labels[0])));
  }
}

}  // namespace krica
