// SPDX-License-Identifier: BSD-3-Clause
//
// SampleSet: m samples of n numbers, one per row, read on demand; optionally labelled. All members
// are thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

enum class SampleType { kFloat32, kFloat64 };

/// What the class names represent: text, or numbers as text ("1", "2", "3").
enum class LabelType { kText, kInteger, kFloat, kBoolean };
KRICA_EXPORT std::string_view name_of(LabelType type);  ///< "text", "integer", "float", "boolean"
KRICA_EXPORT LabelType label_type(std::string_view name);

struct SampleSetInfo {
  Index rows = 0;
  Index cols = 0;
  SampleType type = SampleType::kFloat32;  ///< the narrowest type that holds the file's numbers
  std::vector<int> labels;                 ///< one per row, 0 to classes - 1; empty: unlabelled
  std::vector<std::string> class_names;
  LabelType label_type = LabelType::kText;
  std::string description;
  /// One per column for a CSV file with a header, otherwise empty.
  std::vector<std::string> column_names;
  /// Signals: a row holds all time steps of the first channel, then those of the second, and so on.
  Index channels = 1;

  [[nodiscard]] Index steps() const { return cols / channels; }
};

class KRICA_EXPORT SampleSet {
 public:
  explicit SampleSet(SampleSetInfo info);
  virtual ~SampleSet() = default;
  SampleSet(const SampleSet&) = delete;
  SampleSet& operator=(const SampleSet&) = delete;

  [[nodiscard]] const SampleSetInfo& info() const { return info_; }
  [[nodiscard]] Index rows() const { return info_.rows; }
  [[nodiscard]] Index cols() const { return info_.cols; }
  [[nodiscard]] SampleType type() const { return info_.type; }
  [[nodiscard]] const std::vector<int>& labels() const { return info_.labels; }
  [[nodiscard]] const std::vector<std::string>& class_names() const { return info_.class_names; }
  [[nodiscard]] Index classes() const { return static_cast<Index>(info_.class_names.size()); }
  [[nodiscard]] const std::string& description() const { return info_.description; }

  /// Writes rows first to first + count - 1 to out, row by row, as either type. Throws
  /// InvalidArgument for a range outside the set, DataError and IoError like ImageSet::read.
  void read(Index first, Index count, float* out) const;
  void read(Index first, Index count, double* out) const;

 private:
  virtual void load(Index first, Index count, float* out) const = 0;
  virtual void load(Index first, Index count, double* out) const = 0;
  void check_range(Index first, Index count) const;

  SampleSetInfo info_;
};

using SampleSetPtr = std::shared_ptr<const SampleSet>;

/// The selected rows, in the given order; indices may repeat.
KRICA_EXPORT SampleSetPtr subset(SampleSetPtr set, std::vector<Index> indices);

/// SHA-256 (hexadecimal) of the shape, the numbers and the labels. Reads the whole set.
KRICA_EXPORT std::string fingerprint(const Context& context, const SampleSet& set);

}  // namespace krica
