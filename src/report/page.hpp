// SPDX-License-Identifier: BSD-3-Clause
//
// A self-contained HTML page: text, tables, plots and pictures, without external references or
// scripts. Follows the reader's light or dark setting, and is readable on a phone and on paper.
//
//   ReportPage page("krica demo");
//   page.add_section("Accuracy");
//   page.add_table({{"method", "test accuracy"}, {"krica", "84.7 %"}});
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "krica/data/image.hpp"

namespace krica {

struct TableLook {
  std::string caption = {};
  std::vector<std::size_t> marked = {};  ///< rows to highlight; the heading is row 0
};

/// A finished element (a plot, a picture, a matrix) and its caption.
using Figure = std::pair<std::string, std::string>;

class ReportPage {
 public:
  explicit ReportPage(const std::string& title);

  /// The result in one sentence and its picture, if any: shown first on the page.
  void set_opening(const std::string& sentence, const std::vector<Figure>& figures = {});
  /// Starts a section, listed in the table of contents.
  void add_section(const std::string& title);
  /// A heading within a section.
  void add_heading(const std::string& title);
  void add_text(const std::string& text);
  /// A remark that qualifies the surrounding text.
  void add_note(const std::string& text);
  /// A paragraph with `label` and a command to copy.
  void add_command(const std::string& label, const std::string& command);
  /// The first row contains the column headings, the first cell of every other row its heading. A
  /// column that contains a number is aligned as numbers.
  void add_table(const std::vector<std::vector<std::string>>& rows, const TableLook& look = {});
  /// At `zoom` CSS pixels per pixel, if there is room.
  void add_picture(const std::string& caption, const Image& image, Index zoom = 1);
  /// Everything added until end_fold() is collapsed under a summary.
  void begin_fold(const std::string& summary);
  void end_fold();
  /// Side by side, as far as there is room.
  void add_figures(const std::vector<Figure>& figures);
  /// A finished element.
  void add_element(const std::string& element);

  [[nodiscard]] std::string html() const;
  /// Writes the complete file or nothing. Throws IoError.
  void save(const std::filesystem::path& path) const;

 private:
  std::string title_;
  std::string opening_;
  std::string contents_;
  std::string body_;
  int sections_ = 0;
};

}  // namespace krica
