// SPDX-License-Identifier: BSD-3-Clause
#include "report/signal_atoms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/canvas.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr Index kPlotHeight = 56;
constexpr Index kPlotWidth = 112;
constexpr Index kGap = 10;
constexpr Index kHeading = 14;  // pixels for the name of a group
constexpr std::array<Colour, 6> kShades = {
    {{31, 119, 180}, {214, 39, 40}, {44, 160, 44}, {148, 103, 189}, {255, 127, 14}, {90, 90, 90}}};
constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

float largest_of(ConstMatrixView<float> atom) {
  const float largest = atom.cwiseAbs().maxCoeff();
  return largest > 0 ? largest : 1.0F;
}

void draw_curve(Canvas& canvas, Index top, Index left, ConstMatrixView<float> values, float largest,
                Colour colour) {
  const auto place = [&](Index j) {
    const double height = 0.5 * static_cast<double>(1 - values(0, j) / largest);
    const double along =
        values.cols() > 1 ? static_cast<double>(j) / static_cast<double>(values.cols() - 1) : 0.5;
    return std::array<double, 2>{static_cast<double>(top) + height * (kPlotHeight - 1),
                                 static_cast<double>(left) + along * (kPlotWidth - 1)};
  };
  std::array<double, 2> last = place(0);
  for (Index j = 0; j < values.cols(); ++j) {
    const std::array<double, 2> next = place(j);
    canvas.line(last[0], last[1], next[0], next[1], colour);
    last = next;
  }
}

void draw_plot(Canvas& canvas, Index top, Index left, ConstMatrixView<float> atom, Index channels) {
  canvas.rectangle(top, left, kPlotHeight, kPlotWidth, {247, 247, 247});
  canvas.rectangle(top + kPlotHeight / 2, left, 1, kPlotWidth, kFaint);
  const Index length = atom.cols() / channels;
  const float largest = largest_of(atom);
  for (Index c = 0; c < channels; ++c) {
    draw_curve(canvas, top, left, {atom.data() + c * length, 1, length}, largest,
               kShades[static_cast<std::size_t>(c) % kShades.size()]);
  }
}

}  // namespace

Image draw_signal_atoms(ConstMatrixView<float> atoms, Index channels,
                        const std::vector<std::vector<Index>>& groups,
                        const std::vector<std::string>& names) {
  require_not_empty(atoms, "atoms", "the basis");
  require(channels >= 1 && atoms.cols() % channels == 0, "atoms",
          "atoms of {} values cannot be split into {} channels", atoms.cols(), channels);
  require(names.empty() || names.size() == groups.size(), "atoms", "{} names for {} groups",
          names.size(), groups.size());
  const auto columns =
      static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(atoms.rows()) / 2)));
  const Index heading = names.empty() ? 0 : kHeading;
  std::vector<Index> tops = {kGap};
  for (const auto& group : groups) {
    const Index lines = (static_cast<Index>(group.size()) + columns - 1) / columns;
    tops.push_back(tops.back() + (lines > 0 ? heading : 0) + lines * (kPlotHeight + kGap));
  }
  Index wide = kGap + columns * (kPlotWidth + kGap);
  for (const std::string& name : names) wide = std::max(wide, text_width(name, 1) + 2 * kGap);
  Canvas canvas(tops.back(), wide);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!names.empty() && !groups[g].empty()) canvas.text(tops[g], kGap, names[g]);
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      const Index atom = groups[g][i];
      require(atom >= 0 && atom < atoms.rows(), "atoms", "atom {} is not in 0 ... {}", atom,
              atoms.rows() - 1);
      const auto place = static_cast<Index>(i);
      draw_plot(canvas, tops[g] + heading + place / columns * (kPlotHeight + kGap),
                kGap + place % columns * (kPlotWidth + kGap), atoms.rows_between(atom, atom + 1),
                channels);
    }
  }
  return canvas.take();
}

std::string sparkline(ConstMatrixView<float> atom, Index columns) {
  const float largest = largest_of(atom);
  const Index count = std::min(columns, atom.cols());
  std::string line;
  for (Index j = 0; j < count; ++j) {
    // The mean of the values in this column.
    const Index begin = j * atom.cols() / count;
    const Index end = std::max(begin + 1, (j + 1) * atom.cols() / count);
    const float mean = atom.row(0).segment(begin, end - begin).mean();
    const float unit = 0.5F * (1 + mean / largest);  // 0 ... 1
    line += kBlocks[static_cast<std::size_t>(std::clamp(static_cast<int>(unit * 8), 0, 7))];
  }
  return line;
}

}  // namespace krica
