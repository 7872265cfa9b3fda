// SPDX-License-Identifier: BSD-3-Clause
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace krica {
namespace {

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

/// Interpolates a colour ramp with equally spaced points.
PageColour on_ramp(std::span<const PageColour> ramp, double part) {
  const double place = std::clamp(part, 0.0, 1.0) * static_cast<double>(ramp.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), ramp.size() - 2);
  const double t = place - static_cast<double>(below);
  const auto mix = [t](int a, int b) { return static_cast<int>(std::lround(a + t * (b - a))); };
  const PageColour& a = ramp[below];
  const PageColour& b = ramp[below + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

/// Relative luminance, as defined by the Web Content Accessibility Guidelines.
double luminance(const PageColour& colour) {
  const auto linear = [](int value) {
    const double part = value / 255.0;
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

}  // namespace

std::string escaped(std::string_view text) {
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

std::string image_element(const Image& image, const std::string& description, Index zoom) {
  return fmt::format(R"(<img src="data:image/png;base64,{}" alt="{}" width="{}" height="{}">)",
                     base64(encode_png(image)), escaped(description), zoom * image.shape.width,
                     zoom * image.shape.height);
}

std::string PageColour::css() const { return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue); }

std::string PageColour::text_css() const {
  // (L + 0.05)² against 1.05 · 0.05: where black and white have equal contrast.
  const double light = luminance(*this) + 0.05;
  return light * light > 1.05 * 0.05 ? "#000000" : "#ffffff";
}

PageColour count_colour(double part) {
  constexpr auto kRamp = std::to_array<PageColour>(
      {{247, 251, 255}, {198, 219, 239}, {107, 174, 214}, {33, 113, 181}, {8, 48, 107}});
  return on_ramp(kRamp, part);
}

PageColour scale_colour(double part) {
  constexpr auto kCividis = std::to_array<PageColour>(
      {{0, 32, 77}, {65, 77, 107}, {124, 123, 120}, {188, 175, 111}, {255, 234, 70}});
  return on_ramp(kCividis, part);
}

}  // namespace krica
