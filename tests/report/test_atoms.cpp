// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/runtime/error.hpp"
#include "report/atoms.hpp"

namespace krica {
namespace {

TEST(Atoms, TilesAreInOrderAndStretched) {
  Matrix<float> atoms(3, 4);  // 2×2 pixels
  atoms(0, 0) = 2;            // largest: white
  atoms(0, 3) = -2;           // smallest: black
  atoms(1, 1) = 0.5F;
  const Image sheet = draw_atoms(atoms, 2, 1, 3);
  EXPECT_EQ(sheet.shape.height, 2 * 7 + 1);
  EXPECT_EQ(sheet.shape.width, 2 * 7 + 1);
  const auto pixel = [&](Index y, Index x) {
    return int{sheet.pixels[static_cast<std::size_t>(y * 15 + x)]};
  };
  EXPECT_EQ(pixel(1, 1), 255);
  EXPECT_EQ(pixel(6, 6), 0);
  EXPECT_EQ(pixel(1, 4), 128) << "zero is mid-grey";
  EXPECT_EQ(pixel(1, 11), 255) << "each atom by its own largest value";
  EXPECT_EQ(pixel(9, 2), 128) << "the third begins the second row";
  EXPECT_EQ(pixel(14, 14), 255) << "background";
}

TEST(Atoms, GroupsBeginLinesOfTheirOwn) {
  Matrix<float> atoms(3, 4);
  for (Index u = 0; u < 3; ++u) atoms(u, 0) = 1;  // a white corner
  const Image sheet = draw_atom_groups(atoms, 2, 1, {{2, 0}, {}, {1}}, 1);
  EXPECT_EQ(sheet.shape.width, 2 * 3 + 1);
  EXPECT_EQ(sheet.shape.height, 1 + 3 + 6 + 3) << "two lines and one wider gap";
  const auto pixel = [&](Index y, Index x) {
    return int{sheet.pixels[static_cast<std::size_t>(y * 7 + x)]};
  };
  EXPECT_EQ(pixel(2, 2), 128);
  EXPECT_EQ(pixel(2, 5), 128);
  EXPECT_EQ(pixel(11, 2), 128);
  EXPECT_EQ(pixel(11, 5), 255) << "one atom in the last group";
  EXPECT_THROW(draw_atom_groups(atoms, 2, 1, {{3}}), InvalidArgument);
}

TEST(Atoms, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(draw_atoms(Matrix<float>(2, 5), 2, 1), InvalidArgument);
  EXPECT_THROW(draw_atoms(Matrix<float>(2, 8), 2, 2), InvalidArgument);
  EXPECT_THROW(draw_atoms(Matrix<float>(0, 4), 2, 1), InvalidArgument);
}

}  // namespace
}  // namespace krica
