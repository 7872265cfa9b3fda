// SPDX-License-Identifier: BSD-3-Clause
#include "report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "report/axis.hpp"
#include "report/html.hpp"

namespace krica {
namespace {

constexpr double kWidth = 420;
constexpr double kRight = 410;
constexpr double kTop = 10;
constexpr double kBottom = 220;
constexpr double kAxisRoom = 42;  // below the frame, for ticks and the label
constexpr double kLegendLine = 17;
constexpr double kTickRoom = 34;         // for a tick label
constexpr double kCharacter = 6.4;       // width of a digit, rounded up
constexpr double kLabelRoom = 28;        // left of the tick labels, for the axis label
constexpr std::size_t kNameInHalf = 26;  // characters of a name in half the width
constexpr std::size_t kColours = 7;
constexpr std::array<const char*, 4> kDashes = {"", "7 3", "2 3", "9 3 2 3"};

std::string opening(const std::string& title, double height) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth, height,
                     escaped(title));
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& text,
                    const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(text));
}

/// The left edge of the frame, which keeps the y axis label clear of the tick labels.
double left_of(const Axis& y) {
  std::size_t longest = 1;
  for (const double tick : y.ticks()) longest = std::max(longest, tick_label(tick).size());
  return kLabelRoom + kCharacter * static_cast<double>(longest);
}

std::string frame(double left, const Axis& x, const Axis& y, const std::vector<double>& x_ticks,
                  const std::string& x_label, const std::string& y_label) {
  std::string svg;
  for (const double tick : y.ticks()) {
    const double at = y.place(tick);
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{}\"/>\n", left, at, kRight);
    svg += text_at(left - 6, at + 4, "end", tick_label(tick), " class=\"soft\"");
  }
  for (const double tick : x_ticks) {
    const double at = x.place(tick);
    svg += fmt::format("<path class=\"axis\" d=\"M{:.1f} {}v4\"/>\n", at, kBottom);
    svg += text_at(at, kBottom + 17, "middle", tick_label(tick), " class=\"soft\"");
  }
  svg +=
      fmt::format("<path class=\"axis\" d=\"M{:.1f} {}V{}H{}\"/>\n", left, kTop, kBottom, kRight);
  svg += text_at((left + kRight) / 2, kBottom + 36, "middle", x_label);
  const double middle = (kTop + kBottom) / 2;
  svg += text_at(13, middle, "middle", y_label,
                 fmt::format(" transform=\"rotate(-90 13 {})\"", middle));
  return svg;
}

/// The style of a series, determined by its number.
struct Look {
  std::string colour;
  std::string dashes;
  std::size_t marker;
};

Look look_of(const PlotSeries& series, std::size_t number) {
  if (series.control) return {"var(--ink)", "4 4", 3};
  return {fmt::format("var(--c{})", number % kColours), kDashes[number % kDashes.size()],
          number % 4};
}

std::string marker_at(double x, double y, const Look& look) {
  const std::array<std::string, 4> shapes = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "m-4-4h8v8h-8z",
                                             "m0-5l5 9h-10z", "m0-5l5 5l-5 5l-5-5z"};
  return fmt::format(R"(<path d="M{:.1f} {:.1f}{}" fill="{}"/>)", x, y, shapes[look.marker],
                     look.colour);
}

std::string stroke(const Look& look) {
  return fmt::format(
      R"(fill="none" stroke="{}" stroke-width="1.8"{})", look.colour,
      look.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", look.dashes));
}

std::string hover_text(const PlotSeries& series, const PlotPoint& point, const LinePlot& plot) {
  std::string text = fmt::format("{}: {:.4g}", series.name, point.y);
  if (std::isfinite(point.error)) text += fmt::format(" ± {:.2g}", point.error);
  if (!series.level) text += fmt::format(" at {} {:.4g}", plot.x_label, point.x);
  return text + (point.chosen ? " (chosen)" : "");
}

std::string point_svg(const PlotSeries& series, const PlotPoint& point, const LinePlot& plot,
                      const Look& look, double x, double low, double y, double high) {
  std::string svg = "<g>";
  if (std::isfinite(point.error)) {
    svg +=
        fmt::format(R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}m-3 0h6M{3:.1f} {1:.1f}h6" stroke="{4}"/>)",
                    x, low, high, x - 3, look.colour);
  }
  svg += marker_at(x, y, look);
  if (point.chosen) {
    svg += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="8" fill="none" stroke="{}"/>)", x, y,
                       look.colour);
  }
  svg += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="10" fill="transparent">)", x, y);
  return svg +
         fmt::format("<title>{}</title></circle></g>\n", escaped(hover_text(series, point, plot)));
}

std::string series_svg(const PlotSeries& series, const LinePlot& plot, const Look& look,
                       double left, const Axis& x, const Axis& y) {
  if (series.level) {
    const PlotPoint& point = series.points.front();
    return fmt::format("<path d=\"M{:.1f} {:.1f}H{}\" {}><title>{}</title></path>\n", left,
                       y.place(point.y), kRight, stroke(look),
                       escaped(hover_text(series, point, plot)));
  }
  std::string line;
  std::string points;
  for (const PlotPoint& point : series.points) {
    const double error = std::isfinite(point.error) ? point.error : 0;
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x.place(point.x),
                        y.place(point.y));
    points += point_svg(series, point, plot, look, x.place(point.x), y.place(point.y - error),
                        y.place(point.y), y.place(point.y + error));
  }
  return fmt::format("<path d=\"{}\" {}/>\n{}", line, stroke(look), points);
}

/// Two columns, or one for long names.
std::size_t legend_columns(const std::vector<PlotSeries>& series) {
  const bool wide = std::any_of(series.begin(), series.end(), [](const PlotSeries& each) {
    return each.name.size() > kNameInHalf;
  });
  return wide ? 1 : 2;
}

std::string legend(const std::vector<PlotSeries>& series, double left) {
  const std::size_t columns = legend_columns(series);
  std::string svg;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Look look = look_of(series[i], i);
    const double x = i % columns == 0 ? left : (left + kRight) / 2;
    const std::size_t line = i / columns;
    const double y = kBottom + kAxisRoom + kLegendLine * (0.8 + static_cast<double>(line));
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}h26\" {}/>", x, y - 4, stroke(look));
    if (!series[i].level) svg += marker_at(x + 13, y - 4, look);
    svg += text_at(x + 32, y, "start", series[i].name);
  }
  return svg;
}

/// Removes everything that cannot be drawn.
LinePlot drawable(LinePlot plot) {
  for (PlotSeries& series : plot.series) {
    std::erase_if(series.points, [&](const PlotPoint& point) {
      const bool off_axis = plot.logarithmic_x && !series.level && !(point.x > 0);
      return off_axis || !std::isfinite(point.x) || !std::isfinite(point.y);
    });
  }
  std::erase_if(plot.series, [](const PlotSeries& series) { return series.points.empty(); });
  return plot;
}

struct Bounds {
  double x_low = std::numeric_limits<double>::infinity();
  double x_high = -std::numeric_limits<double>::infinity();
  double y_low = std::numeric_limits<double>::infinity();
  double y_high = -std::numeric_limits<double>::infinity();
};

Bounds bounds_of(const LinePlot& plot) {
  Bounds bounds;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      const double error = std::isfinite(point.error) ? point.error : 0;
      bounds.y_low = std::min(bounds.y_low, point.y - error);
      bounds.y_high = std::max(bounds.y_high, point.y + error);
      if (series.level) continue;
      bounds.x_low = std::min(bounds.x_low, point.x);
      bounds.x_high = std::max(bounds.x_high, point.x);
    }
  }
  if (bounds.x_low > bounds.x_high) bounds.x_low = bounds.x_high = 1;
  return bounds;
}

/// The values themselves if they are few and far enough apart, otherwise round numbers.
std::vector<double> ticks_of(const LinePlot& plot, const Axis& x) {
  std::set<double> values;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points)
      if (!series.level) values.insert(point.x);
  }
  double before = -kWidth;
  for (const double value : values) {
    if (x.place(value) - before < kTickRoom) return x.ticks();
    before = x.place(value);
  }
  return {values.begin(), values.end()};
}

}  // namespace

std::string to_svg(const LinePlot& plot) {
  const LinePlot drawn = drawable(plot);
  if (drawn.series.empty()) return "<p class=\"note\">There is nothing to draw.</p>";
  const Bounds bounds = bounds_of(drawn);
  const Axis y(bounds.y_low, bounds.y_high, kBottom, kTop, false);
  const double left = left_of(y);
  const Axis x(bounds.x_low, bounds.x_high, left, kRight, drawn.logarithmic_x);
  const bool named = drawn.series.size() > 1;
  const std::size_t columns = legend_columns(drawn.series);
  const std::size_t lines = (drawn.series.size() + columns - 1) / columns;
  std::string svg =
      opening(drawn.title,
              kBottom + kAxisRoom + (named ? 6 + kLegendLine * static_cast<double>(lines) : 0));
  svg += frame(left, x, y, ticks_of(drawn, x), drawn.x_label, drawn.y_label);
  for (std::size_t i = 0; i < drawn.series.size(); ++i)
    svg += series_svg(drawn.series[i], drawn, look_of(drawn.series[i], i), left, x, y);
  if (named) svg += legend(drawn.series, left);
  return svg + "</svg>";
}

std::string to_svg(const Histogram& histogram) {
  const Index most = histogram.counts.empty()
                         ? 0
                         : *std::max_element(histogram.counts.begin(), histogram.counts.end());
  if (most == 0) return "<p class=\"note\">There is nothing to draw.</p>";
  const Axis y(1, static_cast<double>(most), kBottom, kTop, true);
  const double left_edge = left_of(y);
  const Axis x(histogram.lowest, histogram.highest, left_edge, kRight, false);
  std::string svg = opening(histogram.title, kBottom + kAxisRoom);
  svg += frame(left_edge, x, y, x.ticks(), histogram.x_label, histogram.y_label);
  const double width =
      (histogram.highest - histogram.lowest) / static_cast<double>(histogram.counts.size());
  for (std::size_t b = 0; b < histogram.counts.size(); ++b) {
    if (histogram.counts[b] == 0) continue;
    const double low = histogram.lowest + width * static_cast<double>(b);
    const double left = x.place(low);
    const double right = x.place(low + width);
    const double top = y.place(static_cast<double>(histogram.counts[b]));
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"var(--c0)\">"
        "<title>{:.3g} to {:.3g}: {}</title></rect>\n",
        left, top, std::max(0.5, right - left - 0.6), kBottom - top, low, low + width,
        histogram.counts[b]);
  }
  return svg + "</svg>";
}

}  // namespace krica
