// SPDX-License-Identifier: BSD-3-Clause
#include "data/csv.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "data/errors.hpp"

namespace krica {
namespace {

constexpr Index kBlock = Index{1} << 20;
constexpr Index kDetectBytes = Index{1} << 16;
constexpr std::size_t kLongestRecord = std::size_t{1} << 28;
constexpr int kEnd = -1;

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_blank(int c) { return c == ' ' || c == '\t'; }

}  // namespace

CsvReader::CsvReader(ByteSourcePtr source, CsvDialect dialect)
    : source_(std::move(source)), dialect_(dialect) {
  skip_byte_order_mark();
}

int CsvReader::peek() {
  if (at_ == buffer_.size()) {
    const Index count = std::min(kBlock, source_->size() - offset_);
    if (count == 0) return kEnd;
    buffer_.resize(static_cast<std::size_t>(count));
    source_->read(offset_, count, buffer_.data());
    offset_ += count;
    at_ = 0;
  }
  return buffer_[at_];
}

void CsvReader::advance() {
  if (++record_size_ > kLongestRecord) {
    data_error("csv", source_->name(), "line {}: the line is too long, or a quote is not closed",
               line_);
  }
  if (buffer_[at_] == 0)
    data_error("csv", source_->name(), "line {}: a NUL byte; the file is not text", next_line_);
  ++at_;
}

void CsvReader::skip_byte_order_mark() {
  const int first = peek();
  if (first == 0xff || first == 0xfe)
    data_error("csv", source_->name(), "the text is UTF-16; save it as UTF-8");
  constexpr std::array<std::uint8_t, 3> kMark = {0xef, 0xbb, 0xbf};
  if (buffer_.size() >= 3 && std::equal(kMark.begin(), kMark.end(), buffer_.begin())) at_ = 3;
}

bool CsvReader::at_line_end() {
  const int c = peek();
  return c == kEnd || c == '\n' || c == '\r';
}

void CsvReader::skip_blanks() {
  while (is_blank(peek()) && peek() != dialect_.delimiter) advance();
}

void CsvReader::skip_line() {
  while (!at_line_end()) advance();
}

void CsvReader::end_line() {
  if (peek() == '\r') advance();
  if (peek() == '\n') advance();
  ++next_line_;
}

bool CsvReader::next(std::vector<std::string>& fields) {
  while (true) {  // find the next line with content
    record_size_ = 0;
    line_ = next_line_;
    if (dialect_.delimiter == ' ') {
      while (is_blank(peek())) advance();
    } else {
      skip_blanks();
    }
    if (peek() == kEnd) return false;
    if (dialect_.comments && peek() == '#') skip_line();
    if (!at_line_end()) break;
    end_line();
  }
  std::size_t count = 0;
  do {
    if (count == fields.size()) fields.emplace_back();
    read_field(fields[count++]);
  } while (read_delimiter());
  fields.resize(count);
  end_line();
  return true;
}

void CsvReader::read_field(std::string& field) {
  field.clear();
  skip_blanks();
  if (peek() == '"') return read_quoted(field);
  while (!at_line_end()) {
    const int c = peek();
    const bool ends = dialect_.delimiter == ' ' ? is_blank(c) : c == dialect_.delimiter;
    if (ends) break;
    field += static_cast<char>(c);
    advance();
  }
  while (!field.empty() && is_blank(field.back())) field.pop_back();
}

void CsvReader::read_quoted(std::string& field) {
  advance();
  while (true) {
    const int c = peek();
    if (c == kEnd) data_error("csv", source_->name(), "line {}: a quote is not closed", line_);
    advance();
    if (c == '"') {
      if (peek() != '"') break;  // "" is a quote inside
      advance();
    }
    if (c == '\n') ++next_line_;
    field += static_cast<char>(c);
  }
  skip_blanks();
  const int c = peek();
  const bool ends = dialect_.delimiter == ' ' ? is_blank(c) : c == dialect_.delimiter;
  if (!ends && !at_line_end())
    data_error("csv", source_->name(), "line {}: text after a closing quote", line_);
}

bool CsvReader::read_delimiter() {
  if (dialect_.delimiter == ' ') {
    while (is_blank(peek())) advance();
    return !at_line_end();  // blanks at the end of a line separate nothing
  }
  if (at_line_end()) return false;
  advance();
  return true;
}

CsvDialect detect_dialect(const ByteSource& source) {
  const std::string name = lower_case(source.name());
  CsvDialect dialect;
  dialect.comments = !name.ends_with(".csv") && !name.ends_with(".tsv");
  std::string front(static_cast<std::size_t>(std::min(kDetectBytes, source.size())), ' ');
  source.read(0, static_cast<Index>(front.size()), front.data());
  std::array<std::size_t, 256> counts{};
  bool quoted = false;
  bool comment = false;
  bool content = false;
  for (const char c : front) {
    if (!quoted && (c == '\n' || c == '\r')) {
      if (content) break;
      comment = false;
      continue;
    }
    if (!content && c == '#' && dialect.comments) comment = true;
    if (comment) continue;
    content = content || c != ' ';
    if (c == '"') quoted = !quoted;
    if (!quoted) ++counts[static_cast<unsigned char>(c)];
  }
  for (const char delimiter : {';', '\t', ','}) {
    if (counts[static_cast<unsigned char>(delimiter)] == 0) continue;
    dialect.delimiter = delimiter;
    return dialect;
  }
  if (dialect.comments && counts[' '] > 0) dialect.delimiter = ' ';
  return dialect;
}

bool parse_number(std::string_view text, double& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && !text.empty() && end == text.data() + text.size();
}

bool is_label_name(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower == "label" || lower == "class" || lower == "target" || lower == "y";
}

}  // namespace krica
