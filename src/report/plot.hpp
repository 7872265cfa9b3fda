// SPDX-License-Identifier: BSD-3-Clause
//
// Plots as SVG elements for a ReportPage: axes with labels and units, values shown on hovering,
// series that differ in colour, marker and dashes.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

struct PlotPoint {
  double x = 0;
  double y = 0;
  /// Half the length of the bar; NaN: none.
  double error = std::numeric_limits<double>::quiet_NaN();
  bool chosen = false;  ///< drawn with a ring
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
  bool control = false;  ///< in the text colour, dashed
  bool level = false;    ///< a single point, drawn as a line across the whole width
};

struct LinePlot {
  std::string title;  ///< text alternative for screen readers
  std::string x_label;
  std::string y_label;
  bool logarithmic_x = false;
  std::vector<PlotSeries> series;
};

/// Points that are not finite, or not positive on a logarithmic axis, are omitted.
std::string to_svg(const LinePlot& plot);

struct Histogram {
  std::string title;
  std::string x_label;
  std::string y_label;
  double lowest = 0;
  double highest = 0;
  std::vector<Index> counts;  ///< of bins of equal width; drawn on a logarithmic axis
};

std::string to_svg(const Histogram& histogram);

}  // namespace krica
