// SPDX-License-Identifier: BSD-3-Clause
//
// Text tables: fields separated by comma, semicolon, tab or blanks, quotes as in RFC 4180.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace krica {

struct CsvDialect {
  char delimiter = ',';   // ' ': any number of blanks and tabs; '\n': the whole line is one field
  bool comments = false;  // ignore lines that begin with #
};

/// Reads one record after another; skips empty lines and an initial byte-order mark. Lines end in
/// LF, CRLF or CR. Throws DataError with the line number for unbalanced quotes, a NUL byte and
/// UTF-16.
class CsvReader {
 public:
  CsvReader(ByteSourcePtr source, CsvDialect dialect);

  /// The fields of the next record, without quotes and surrounding blanks; false at the end.
  bool next(std::vector<std::string>& fields);
  /// The line on which that record began, counted from 1.
  [[nodiscard]] Index line() const { return line_; }

 private:
  int peek();
  void advance();
  bool at_line_end();
  void skip_blanks();
  void skip_line();
  void end_line();
  void read_field(std::string& field);
  void read_quoted(std::string& field);
  bool read_delimiter();
  void skip_byte_order_mark();

  ByteSourcePtr source_;
  CsvDialect dialect_;
  Bytes buffer_;
  std::size_t at_ = 0;  // in the buffer
  Index offset_ = 0;    // of the buffer's end in the source
  Index next_line_ = 1;
  Index line_ = 0;
  std::size_t record_size_ = 0;
};

/// Detected from the file's extension and its first line.
CsvDialect detect_dialect(const ByteSource& source);

/// Whether the whole text is a number, including "nan" and "inf".
bool parse_number(std::string_view text, double& number);

/// label, class, target or y, case-insensitive.
bool is_label_name(std::string_view name);

}  // namespace krica
