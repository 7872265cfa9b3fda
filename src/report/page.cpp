// SPDX-License-Identifier: BSD-3-Clause
#include "krica/report/page.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "runtime/file.hpp"

namespace krica {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .3rem 1rem .3rem 0; text-align: left; border-bottom: 1px solid #8888; }
figure { margin: 1.5rem 0; }
img { max-width: 100%; image-rendering: pixelated; }
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = std::uint32_t{bytes[i]} << 16U;
    if (i + 1 < bytes.size()) word |= std::uint32_t{bytes[i + 1]} << 8U;
    if (i + 2 < bytes.size()) word |= bytes[i + 2];
    text += kDigits[word >> 18U];
    text += kDigits[(word >> 12U) & 63U];
    text += i + 1 < bytes.size() ? kDigits[(word >> 6U) & 63U] : '=';
    text += i + 2 < bytes.size() ? kDigits[word & 63U] : '=';
  }
  return text;
}

}  // namespace

ReportPage::ReportPage(const std::string& title) : title_(escaped(title)) {}

void ReportPage::add_text(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

void ReportPage::add_table(const std::vector<std::vector<std::string>>& rows) {
  body_ += "<table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const char* tag = r == 0 ? "th" : "td";
    body_ += "<tr>";
    for (const std::string& cell : rows[r])
      body_ += fmt::format("<{}>{}</{}>", tag, escaped(cell), tag);
    body_ += "</tr>\n";
  }
  body_ += "</table>\n";
}

void ReportPage::add_picture(const std::string& caption, const Image& image) {
  body_ += fmt::format(
      "<figure><img src=\"data:image/png;base64,{}\" alt=\"{}\" width=\"{}\" "
      "height=\"{}\"><figcaption>{}</figcaption>"
      "</figure>\n",
      base64(encode_png(image)), escaped(caption), image.shape.width, image.shape.height,
      escaped(caption));
}

std::string ReportPage::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<h1>{}</h1>\n{}</body>\n</html>\n",
      title_, kStyle, title_, body_);
}

void ReportPage::save(const std::filesystem::path& path) const {
  write_file_atomically(path, html());
}

}  // namespace krica
