// SPDX-License-Identifier: BSD-3-Clause
#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

/// "--name" or "name=value", which must not break at a hyphen.
bool is_option(std::string_view word) {
  const bool named = word.size() > 2 && word.starts_with("--") && std::islower(word[2]) != 0;
  const std::size_t equals = word.find('=');
  return named || (equals != std::string_view::npos && equals > 0 &&
                   std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                               [](unsigned char c) { return std::islower(c) != 0 || c == '-'; }));
}

/// Escapes the text and wraps every option in an element of class "option".
std::string with_options(std::string_view text, std::string_view element) {
  std::string html;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, space);
    std::string_view mark = word.substr(word.find_last_not_of(".,;:)") + 1);
    if (is_option(word)) {
      word.remove_suffix(mark.size());
      html += fmt::format("<{0} class=\"option\">{1}</{0}>{2}", element, escaped(word), mark);
    } else {
      html += escaped(word);
    }
    if (space < text.size()) html += ' ';
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return html;
}

std::string figure_element(const Figure& figure) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", figure.first,
                     escaped(figure.second));
}

std::string heading_cell(const std::string& text, bool number) {
  return fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"number\"" : "",
                     escaped(text));
}

/// In a column of numbers a word ("any") is aligned like them, but may wrap.
std::string body_cell(const std::string& text, bool numbers) {
  const char* look = !numbers ? "" : is_number(text) ? " class=\"number\"" : " class=\"word\"";
  return fmt::format("<td{}>{}</td>", look, with_options(text, "span"));
}

std::vector<bool> columns_of_numbers(const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> numbers(rows[0].size(), false);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    for (std::size_t c = 1; c < std::min(rows[r].size(), numbers.size()); ++c)
      if (is_number(rows[r][c])) numbers[c] = true;
  }
  return numbers;
}

}  // namespace

ReportPage::ReportPage(const std::string& title) : title_(escaped(title)) {}

void ReportPage::set_opening(const std::string& sentence, const std::vector<Figure>& figures) {
  opening_ = fmt::format("<p class=\"result\">{}</p>\n", with_options(sentence, "code"));
  for (const Figure& figure : figures) opening_ += figure_element(figure);
}

void ReportPage::add_section(const std::string& title) {
  if (sections_ > 0) body_ += "<p class=\"up\"><a href=\"#contents\">Contents</a></p>\n";
  ++sections_;
  contents_ += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", sections_, escaped(title));
  body_ += fmt::format("<h2 id=\"s{}\">{}</h2>\n", sections_, escaped(title));
}

void ReportPage::add_heading(const std::string& title) {
  body_ += fmt::format("<h3>{}</h3>\n", escaped(title));
}

void ReportPage::add_text(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", with_options(text, "code"));
}

void ReportPage::add_note(const std::string& text) {
  body_ += fmt::format("<p class=\"note\">{}</p>\n", with_options(text, "code"));
}

void ReportPage::add_command(const std::string& label, const std::string& command) {
  body_ +=
      fmt::format("<p>{} <code>{}</code></p>\n", escaped(label), with_options(command, "span"));
}

void ReportPage::add_table(const std::vector<std::vector<std::string>>& rows,
                           const TableLook& look) {
  body_ += "<div class=\"wide\"><table>\n";
  if (!look.caption.empty()) body_ += fmt::format("<caption>{}</caption>\n", escaped(look.caption));
  body_ += "<thead><tr>";
  const std::vector<bool> numbers = columns_of_numbers(rows);
  for (std::size_t c = 0; c < rows[0].size(); ++c) body_ += heading_cell(rows[0][c], numbers[c]);
  body_ += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const bool marked = std::find(look.marked.begin(), look.marked.end(), r) != look.marked.end();
    body_ += marked ? "<tr class=\"marked\">" : "<tr>";
    body_ += fmt::format("<th scope=\"row\">{}</th>", with_options(rows[r][0], "span"));
    for (std::size_t c = 1; c < rows[r].size(); ++c) body_ += body_cell(rows[r][c], numbers[c]);
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void ReportPage::add_picture(const std::string& caption, const Image& image, Index zoom) {
  body_ += figure_element({image_element(image, caption, zoom), caption});
}

void ReportPage::begin_fold(const std::string& summary) {
  body_ += fmt::format("<details><summary>{}</summary>\n", escaped(summary));
}

void ReportPage::end_fold() { body_ += "</details>\n"; }

void ReportPage::add_figures(const std::vector<Figure>& figures) {
  if (figures.empty()) return;
  body_ += "<div class=\"side-by-side\">\n";
  for (const Figure& figure : figures) body_ += figure_element(figure);
  body_ += "</div>\n";
}

void ReportPage::add_element(const std::string& element) { body_ += element + "\n"; }

std::string ReportPage::html() const {
  const std::string contents =
      sections_ > 1
          ? fmt::format(
                "<nav id=\"contents\" aria-label=\"Contents\"><p>Contents</p><ul>\n{}</ul>"
                "</nav>\n",
                contents_)
          : "";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{}</style>\n"
      "</head>\n<body>\n<h1>{}</h1>\n{}{}<main>\n{}</main>\n</body>\n</html>\n",
      title_, kReportStyle, title_, opening_, contents, body_);
}

void ReportPage::save(const std::filesystem::path& path) const {
  write_file_atomically(path, html());
}

}  // namespace krica
