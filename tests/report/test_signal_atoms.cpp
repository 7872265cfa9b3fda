// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "krica/runtime/error.hpp"
#include "report/signal_atoms.hpp"

namespace krica {
namespace {

/// Pixels of the picture that are this colour.
Index count_colour(const Image& image, int red, int green, int blue) {
  const auto at = [&](Index c, Index p) {
    return int{image.pixels[static_cast<std::size_t>(c * image.shape.pixels() + p)]};
  };
  Index count = 0;
  for (Index p = 0; p < image.shape.pixels(); ++p)
    if (at(0, p) == red && at(1, p) == green && at(2, p) == blue) ++count;
  return count;
}

TEST(SignalAtoms, EveryChannelIsACurveOfItsOwnShade) {
  Matrix<float> atoms(2, 8);
  for (Index j = 0; j < 4; ++j) {
    atoms(0, j) = 1;       // channel 0 along the upper edge
    atoms(0, 4 + j) = -1;  // channel 1 along the lower
  }
  const Image two = draw_signal_atoms(atoms, 2, {{0, 1}});
  EXPECT_GE(count_colour(two, 31, 119, 180), 112);
  EXPECT_GE(count_colour(two, 214, 39, 40), 112);
  const Image one = draw_signal_atoms(atoms, 1, {{0, 1}});
  EXPECT_EQ(count_colour(one, 214, 39, 40), 0);
}

TEST(SignalAtoms, GroupsBeginANewLineUnderTheirName) {
  Matrix<float> atoms(4, 5);
  const Image together = draw_signal_atoms(atoms, 1, {{0, 1}});
  const Image apart = draw_signal_atoms(atoms, 1, {{0}, {1}}, {"one", "two"});
  EXPECT_GT(apart.shape.height, together.shape.height + 60);
  EXPECT_GT(count_colour(apart, 40, 40, 40), 20) << "the names";
}

TEST(SignalAtoms, RefusesWhatDoesNotFit) {
  const Matrix<float> atoms(2, 5);
  EXPECT_THROW(draw_signal_atoms(Matrix<float>(0, 5), 1, {}), InvalidArgument);
  EXPECT_THROW(draw_signal_atoms(atoms, 2, {{0}}), InvalidArgument);
  EXPECT_THROW(draw_signal_atoms(atoms, 1, {{2}}), InvalidArgument);
  EXPECT_THROW(draw_signal_atoms(atoms, 1, {{0}, {1}}, {"one"}), InvalidArgument);
}

TEST(Sparkline, RisesWithTheValues) {
  Matrix<float> atom(1, 3);
  atom(0, 0) = -2;
  atom(0, 2) = 2;
  EXPECT_EQ(sparkline(atom, 10), "▁▅█");
  EXPECT_EQ(sparkline(Matrix<float>(1, 2), 10), "▅▅") << "all zero";
  EXPECT_EQ(sparkline(Matrix<float>(1, 100), 20).size(), 20 * 3U) << "three bytes per block";
}

}  // namespace
}  // namespace krica
