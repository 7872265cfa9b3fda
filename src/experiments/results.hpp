// SPDX-License-Identifier: BSD-3-Clause
//
// results.jsonl: one row, a JSON object on its own line, per configuration and split.
//
// A row is written completely and synced before the next one is computed. An incomplete last line,
// which an interruption may leave, is removed when the file is opened; any other invalid line is
// rejected.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "experiments/trial.hpp"

namespace krica {

/// Identifies a row. Rows with the same key are the same computation.
struct RowIdentity {
  std::string experiment;  ///< "stl10"
  std::string group;       ///< the table or curve within it; may be empty
  std::string system;      ///< "RICA", as in the paper's table
  double value = std::numeric_limits<double>::quiet_NaN();  ///< of the swept option; NaN: none
  std::string split;                                        ///< "fold 3"
  std::uint64_t seed = 0;
  std::string data;     ///< the data, with a fingerprint
  std::string options;  ///< as requested, JSON
  std::string device;   ///< a GPU and its precision, whose results differ; empty: the CPU

  /// sha256 (hexadecimal, shortened) of all fields, the library version and the layout of
  /// checkpoints, which changes whenever results do.
  [[nodiscard]] std::string key() const;
};

struct ResultRow {
  RowIdentity identity;
  std::string key;  ///< of the identity, with the version that computed the row
  std::string version;
  std::string error;  ///< why there is no trial; empty if there is one
  Trial trial;
  Matrix<float> distances;  ///< similarity: between the representations of the shown images
  double block_score = 0;   ///< similarity: mean between-class over mean within-class distance

  [[nodiscard]] bool failed() const { return !error.empty(); }
};

/// One line, without the line break.
std::string to_json(const ResultRow& row);
/// Throws DataError with `source` for text that is not a row.
ResultRow row_from_json(const std::string& text, const std::string& source);

class ResultsFile {
 public:
  /// Reads the existing rows; creates the directory if missing. Throws DataError for a file with
  /// other content, IoError.
  explicit ResultsFile(std::filesystem::path path);

  [[nodiscard]] const std::vector<ResultRow>& rows() const { return rows_; }
  /// The row with this key, or null.
  [[nodiscard]] const ResultRow* find(const std::string& key) const;
  /// Appends the row to the file and syncs it. Throws IoError.
  void append(ResultRow row);
  /// Keeps a row that another process appends to the file.
  void note(ResultRow row) { rows_.push_back(std::move(row)); }
  /// Removes the rows of failed configurations from the file. Throws IoError.
  void forget_failures();

 private:
  std::filesystem::path path_;
  std::vector<ResultRow> rows_;
};

}  // namespace krica
