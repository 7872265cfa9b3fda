// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/axis.hpp"
#include "report/html.hpp"
#include "report/matrices.hpp"
#include "report/plot.hpp"

namespace krica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Axis, TicksAreRoundAndInside) {
  EXPECT_THAT(Axis(0, 10, 0, 100, false).ticks(), ElementsAre(0, 5, 10));
  EXPECT_THAT(Axis(0.001, 1, 0, 100, true).ticks(), ElementsAre(0.001, 0.01, 0.1, 1));
  EXPECT_THAT(Axis(100, 400, 0, 100, true).ticks(), ElementsAre(100, 200));
  EXPECT_FALSE(Axis(7, 7, 0, 100, false).ticks().empty()) << "a single value";
  EXPECT_FALSE(Axis(3, 3, 0, 100, true).ticks().empty());
}

TEST(Axis, PlacesKeepTheirOrder) {
  const Axis axis(1, 100, 50, 250, true);
  EXPECT_GT(axis.place(1), 50);
  EXPECT_NEAR(axis.place(10), 150, 1e-9);
  EXPECT_LT(axis.place(100), 250);
}

TEST(LinePlot, TellsValuesAndLeavesOutWhatCannotBeDrawn) {
  LinePlot plot{"Sweep", "gamma", "accuracy (%)", true, {}};
  plot.series.push_back({"kRICA & co", {{0.1, 80, 1.5, true}, {0, 1}, {1, NAN}, {3, 82}}});
  plot.series.push_back({"control", {{0, 81}}, true, true});
  plot.series.push_back({"nothing", {{1, NAN}}});
  const std::string svg = to_svg(plot);
  EXPECT_THAT(svg, HasSubstr("<title>kRICA &amp; co: 80 ± 1.5 at gamma 0.1 (chosen)</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>control: 81</title>"));
  EXPECT_THAT(svg, HasSubstr(">accuracy (%)</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(svg, Not(HasSubstr("nothing")));
  EXPECT_THAT(to_svg(LinePlot{}), HasSubstr("nothing to draw"));
}

TEST(LinePlot, LongTicksLeaveRoomForTheAxisLabel) {
  const auto left_edge = [](double value) {
    LinePlot plot{"t", "x", "y", false, {}};
    plot.series.push_back({"s", {{1, value}, {2, 2 * value}}});
    const std::string svg = to_svg(plot);
    const std::size_t grid = svg.find("class=\"grid\" d=\"M");
    return std::stod(svg.substr(grid + std::string("class=\"grid\" d=\"M").size()));
  };
  // The label stands at 13 and is 11 high; a digit is about 6 wide.
  EXPECT_GT(left_edge(0.000125), 18 + 6 * 7);
  EXPECT_LT(left_edge(2), left_edge(123456));
}

TEST(LinePlot, LongNamesHaveALineOfTheLegendEach) {
  LinePlot plot{"t", "x", "y", false, {}};
  plot.series.push_back({"discrimination-reading=sum", {{1, 1}, {2, 2}}});
  plot.series.push_back({"discrimination-reading=select", {{1, 1}, {2, 2}}});
  const std::string svg = to_svg(plot);
  const auto line_of = [&](const std::string& name) {
    const std::size_t text = svg.rfind("<text x=", svg.find(">" + name + "<"));
    return svg.substr(text, svg.find("y=", text) - text);
  };
  EXPECT_EQ(line_of("discrimination-reading=sum"), line_of("discrimination-reading=select"));
}

TEST(Histogram, HasABarForEveryFilledBin) {
  const std::string svg = to_svg(Histogram{"Codes", "value", "count", 0, 3, {100, 0, 1}});
  EXPECT_THAT(svg, HasSubstr("<title>0 to 1: 100</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("<title>1 to 2")));
  EXPECT_THAT(svg, HasSubstr("<title>2 to 3: 1</title>"));
}

TEST(Matrices, CountsStandInTheirCells) {
  const std::vector<int> labels = {0, 0, 1, 1};
  const std::vector<int> predicted = {0, 1, 1, 1};
  const std::string table =
      confusion_element(evaluate_predictions(predicted, labels, 2), {"<cat>", "dog"});
  EXPECT_THAT(table, HasSubstr("&lt;cat&gt; taken for dog: 1 of 2\">1</td>"));
  EXPECT_THAT(table, HasSubstr("dog taken for dog: 2 of 2\">2</td>"));
}

TEST(Matrices, ManyClassesAreListed) {
  const std::vector<std::string> names(30, "class");
  const std::vector<int> labels = {0, 1, 2, 2};
  const std::vector<int> predicted = {0, 1, 3, 3};
  const std::string list = confusion_element(evaluate_predictions(predicted, labels, 30), names);
  EXPECT_THAT(list, HasSubstr("<li>class taken for class: 2</li>"));
  EXPECT_THAT(list, Not(HasSubstr("<table")));
}

TEST(Matrices, DistancesTellTheMeansOfPairsOfClasses) {
  Matrix<float> distances(3, 3);
  distances(0, 1) = distances(1, 0) = 0.5F;
  distances(0, 2) = distances(2, 0) = 1;
  distances(1, 2) = distances(2, 1) = 2;
  const std::string svg = distances_element(distances, {0, 0, 1}, {"a", "b"}, 2);
  EXPECT_THAT(svg, HasSubstr("<title>a and a: mean distance 0.500</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>a and b: mean distance 1.500</title>"));
  EXPECT_THAT(svg, Not(HasSubstr(">a</text>"))) << "the page names the classes once";
  EXPECT_THAT(svg, HasSubstr(">2</text>"));
}

TEST(Colours, TextOnThemCanBeRead) {
  EXPECT_EQ((PageColour{255, 255, 255}.text_css()), "#000000");
  EXPECT_EQ((PageColour{8, 48, 107}.text_css()), "#ffffff");
  EXPECT_EQ((PageColour{1, 2, 255}.css()), "#0102ff");
}

}  // namespace
}  // namespace krica
