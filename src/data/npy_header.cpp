// SPDX-License-Identifier: BSD-3-Clause
#include "data/npy_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>

#include "data/errors.hpp"

namespace krica {
namespace {

constexpr Index kLongestHeader = Index{1} << 16;
constexpr Index kLongestText = Index{1} << 16;

/// Parses the dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class Parser {
 public:
  Parser(const ByteSource& source, std::string_view text) : source_(source), text_(text) {}

  void run(NpyHeader& header) {
    bool type = false;
    bool order = false;
    bool shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        header.type = parse_type();
        type = true;
      } else if (key == "fortran_order") {
        header.column_major = boolean();
        order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        shape = true;
      } else {
        broken();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!type || !order || !shape) broken();
  }

 private:
  [[noreturn]] void broken() const { data_error("npy", source_.name(), "broken header"); }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) broken();
  }

  std::string_view quoted() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) broken();
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) broken();
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    }
    broken();
  }

  NpyType parse_type() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[')
      data_error("npy", source_.name(), "records with several fields cannot be read");
    const std::string_view descr = quoted();
    if (descr.size() > 2 && (descr[1] == 'U' || descr[1] == 'S')) return parse_text_type(descr);
    constexpr std::array<std::string_view, 11> kKnown = {"b1", "u1", "i1", "u2", "i2", "u4",
                                                         "i4", "u8", "i8", "f4", "f8"};
    const bool known = descr.size() == 3 && std::strchr("<>|=", descr[0]) != nullptr &&
                       std::find(kKnown.begin(), kKnown.end(), descr.substr(1)) != kKnown.end();
    if (!known) {
      data_error("npy", source_.name(),
                 "type '{}' cannot be read; bool, integers, float32 and float64 can, and text "
                 "('<U10', '|S10') for labels",
                 descr);
    }
    return {descr[1], descr[2] - '0', descr[0] == '>' && descr[2] != '1'};
  }

  /// '<U10': ten characters of four bytes each; '|S10': ten bytes.
  [[nodiscard]] NpyType parse_text_type(std::string_view descr) const {
    Index length = 0;
    const char* const end = descr.data() + descr.size();
    const auto [at, status] = std::from_chars(descr.data() + 2, end, length);
    if (status != std::errc() || at != end || length < 0 || length > kLongestText) broken();
    return {descr[1], descr[1] == 'U' ? 4 * length : length, descr[0] == '>'};
  }

  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  Index number() {
    skip_space();
    Index value = -1;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
      value = checked_product(std::max<Index>(value, 0), 10);
      if (value < 0 || __builtin_add_overflow(value, text_[at_] - '0', &value)) broken();
    }
    if (value < 0) broken();
    accept('L');  // suffix of long integers in Python 2
    return value;
  }

  const ByteSource& source_;
  std::string_view text_;
  std::size_t at_ = 0;
};

void check_size(const ByteSource& source, const NpyHeader& header) {
  Index needed = header.type.bytes;
  for (const Index size : header.shape) needed = checked_product(needed, size);
  const Index there = source.size() - header.data_at;
  if (needed == 0 || header.shape.empty()) {
    data_error("npy", source.name(), "the array is empty: shape ({})",
               fmt::join(header.shape, ", "));
  }
  if (needed < 0 || needed > there) {
    data_error("npy", source.name(), "truncated: the header says ({}) {}, but there are {} bytes",
               fmt::join(header.shape, ", "), header.type.name(), there);
  }
}

}  // namespace

std::string NpyType::name() const {
  if (kind == 'b') return "bool";
  if (is_text()) return "text";
  return fmt::format("{}{}", kind == 'f' ? "float" : (kind == 'u' ? "uint" : "int"), bytes * 8);
}

NpyHeader read_npy_header(const ByteSource& source) {
  constexpr Index kPrefix = 8;  // magic and version
  std::array<std::uint8_t, 12> start{};
  if (source.size() < 12) data_error("npy", source.name(), "truncated: no header");
  source.read(0, 12, start.data());
  if (std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    data_error("npy", source.name(), "not an NPY file");
  const int version = start[6];
  if (version < 1 || version > 3)
    data_error("npy", source.name(), "unknown NPY version {}", version);
  const Index length_bytes = version == 1 ? 2 : 4;
  Index length = start[8] | Index{start[9]} << 8;
  if (version > 1) length |= Index{start[10]} << 16 | Index{start[11]} << 24;
  NpyHeader header;
  header.data_at = kPrefix + length_bytes + length;
  if (length > kLongestHeader || header.data_at > source.size())
    data_error("npy", source.name(), "truncated: the header alone has {} bytes", length);
  std::string text(static_cast<std::size_t>(length), ' ');
  source.read(kPrefix + length_bytes, length, text.data());
  Parser(source, text).run(header);
  check_size(source, header);
  return header;
}

}  // namespace krica
