// SPDX-License-Identifier: BSD-3-Clause
#include "krica/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/html.hpp"
#include "report/style.hpp"
#include "runtime/file.hpp"

namespace krica {
namespace {

bool is_number(const std::string& cell) {
  if (cell.empty()) return false;
  if (cell == "–") return true;
  const std::size_t sign = cell.starts_with("−") ? std::string("−").size() : cell[0] == '+' ? 1 : 0;
  return sign < cell.size() && cell[sign] >= '0' && cell[sign] <= '9';
}

std::string heading_cell(const std::string& text, bool number) {
  return fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"number\"" : "",
                     escaped(text));
}

std::string body_cell(const std::string& text, bool first) {
  if (first) return fmt::format("<th scope=\"row\">{}</th>", escaped(text));
  return fmt::format("<td{}>{}</td>", is_number(text) ? " class=\"number\"" : "", escaped(text));
}

}  // namespace

ReportPage::ReportPage(const std::string& title) : title_(escaped(title)) {}

void ReportPage::add_section(const std::string& title) {
  ++sections_;
  contents_ += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", sections_, escaped(title));
  body_ += fmt::format("<h2 id=\"s{}\">{}</h2>\n", sections_, escaped(title));
}

void ReportPage::add_heading(const std::string& title) {
  body_ += fmt::format("<h3>{}</h3>\n", escaped(title));
}

void ReportPage::add_text(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

void ReportPage::add_note(const std::string& text) {
  body_ += fmt::format("<p class=\"note\">{}</p>\n", escaped(text));
}

void ReportPage::add_command(const std::string& label, const std::string& command) {
  body_ += fmt::format("<p>{} <code>{}</code></p>\n", escaped(label), escaped(command));
}

void ReportPage::add_table(const std::vector<std::vector<std::string>>& rows,
                           const TableLook& look) {
  body_ += "<div class=\"wide\"><table>\n";
  if (!look.caption.empty()) body_ += fmt::format("<caption>{}</caption>\n", escaped(look.caption));
  body_ += "<thead><tr>";
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    const bool number = c > 0 && std::any_of(rows.begin() + 1, rows.end(), [c](const auto& row) {
                          return c < row.size() && is_number(row[c]);
                        });
    body_ += heading_cell(rows[0][c], number);
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const bool marked = std::find(look.marked.begin(), look.marked.end(), r) != look.marked.end();
    body_ += marked ? "<tr class=\"marked\">" : "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) body_ += body_cell(rows[r][c], c == 0);
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void ReportPage::add_picture(const std::string& caption, const Image& image, Index zoom) {
  body_ += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                       image_element(image, caption, zoom), escaped(caption));
}

void ReportPage::begin_fold(const std::string& summary) {
  body_ += fmt::format("<details><summary>{}</summary>\n", escaped(summary));
}

void ReportPage::end_fold() { body_ += "</details>\n"; }

void ReportPage::add_figures(
    const std::vector<std::pair<std::string, std::string>>& elements_and_captions) {
  if (elements_and_captions.empty()) return;
  body_ += "<div class=\"side-by-side\">\n";
  for (const auto& [element, caption] : elements_and_captions) {
    body_ +=
        fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", element, escaped(caption));
  }
  body_ += "</div>\n";
}

void ReportPage::add_element(const std::string& element) { body_ += element + "\n"; }

std::string ReportPage::html() const {
  const std::string contents =
      sections_ > 1 ? fmt::format("<nav aria-label=\"Contents\"><ul>\n{}</ul></nav>\n", contents_)
                    : "";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{}</style>\n"
      "</head>\n<body>\n<h1>{}</h1>\n{}<main>\n{}</main>\n</body>\n</html>\n",
      title_, kReportStyle, title_, contents, body_);
}

void ReportPage::save(const std::filesystem::path& path) const {
  write_file_atomically(path, html());
}

}  // namespace krica
