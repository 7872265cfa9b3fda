// SPDX-License-Identifier: BSD-3-Clause
//
// results.jsonl: one row, a JSON object on a line of its own, for every configuration and split.
//
// A row is written whole and synced before the next one is computed. A last line without its end,
// which an interruption may leave, is cut off when the file is opened; any other line that is no
// row is refused.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "experiments/trial.hpp"

namespace krica {

/// What a row is of. Two rows with the same key are the same computation.
struct RowIdentity {
  std::string experiment;  ///< "stl10"
  std::string group;       ///< the table or curve within it; may be empty
  std::string system;      ///< "RICA", as the paper's table names it
  double value = std::numeric_limits<double>::quiet_NaN();  ///< of the swept option; NaN: none
  std::string split;                                        ///< "fold 3"
  std::uint64_t seed = 0;
  std::string data;     ///< what the images are, with a fingerprint
  std::string options;  ///< as asked for, JSON

  /// sha256 (hexadecimal, shortened) over all of it and the library's version.
  [[nodiscard]] std::string key() const;
};

struct ResultRow {
  RowIdentity identity;
  std::string key;  ///< the identity's, with the version that computed the row
  std::string version;
  std::string error;  ///< why there is no trial; empty where there is one
  Trial trial;
  Matrix<float> distances;  ///< similarity: between the representations of the shown images
  double block_score = 0;   ///< similarity: mean between-class over mean within-class distance

  [[nodiscard]] bool failed() const { return !error.empty(); }
};

/// One line, without its end.
std::string to_json(const ResultRow& row);
/// Throws DataError with `source` for text that is no row.
ResultRow row_from_json(const std::string& text, const std::string& source);

class ResultsFile {
 public:
  /// Reads what is there; makes the directory where it is missing. Throws DataError for a file that
  /// holds something else, IoError.
  explicit ResultsFile(std::filesystem::path path);

  [[nodiscard]] const std::vector<ResultRow>& rows() const { return rows_; }
  /// The row of this key, or null.
  [[nodiscard]] const ResultRow* find(const std::string& key) const;
  /// Writes the row at the end of the file and syncs it. Throws IoError.
  void append(ResultRow row);
  /// Takes the rows of failed configurations out of the file. Throws IoError.
  void forget_failures();

 private:
  std::filesystem::path path_;
  std::vector<ResultRow> rows_;
};

}  // namespace krica
