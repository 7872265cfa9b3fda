// SPDX-License-Identifier: BSD-3-Clause
//
// A self-contained HTML page: text, tables and pictures, without any outside reference.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "krica/data/image.hpp"

namespace krica {

class ReportPage {
 public:
  explicit ReportPage(const std::string& title);

  void add_text(const std::string& text);
  /// The first row is the heading.
  void add_table(const std::vector<std::vector<std::string>>& rows);
  void add_picture(const std::string& caption, const Image& image);

  [[nodiscard]] std::string html() const;
  /// Written whole or not at all. Throws IoError.
  void save(const std::filesystem::path& path) const;

 private:
  std::string title_;
  std::string body_;
};

}  // namespace krica
