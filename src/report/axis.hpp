// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace krica {

/// An axis of a plot: maps values to coordinates, and places its ticks.
class Axis {
 public:
  /// From `first` to `last` in the drawing, over the range of the values with a small margin.
  Axis(double lowest, double highest, double first, double last, bool logarithmic);

  [[nodiscard]] double place(double value) const;
  [[nodiscard]] std::vector<double> ticks() const;

 private:
  [[nodiscard]] double scaled(double value) const;

  double low_;  // after scaling
  double high_;
  double first_;
  double last_;
  bool logarithmic_;
};

/// A tick's label: "0.01", "200", "1e-05".
std::string tick_label(double value);

}  // namespace krica
