// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>

#include "krica/features/feature_matrix.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

std::filesystem::path scratch(const char* name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

TEST(FeatureMatrix, GoesToDiskBeyondTheBudget) {
  const Context small({.memory_bytes = 1 << 20});
  FeatureMatrix inside(small, 100, 100);
  FeatureMatrix outside(small, 1000, 1000);
  EXPECT_FALSE(inside.on_disk());
  EXPECT_TRUE(outside.on_disk());
  outside.row(999)[999] = 5;
  EXPECT_EQ(std::as_const(outside).view()(999, 999), 5);
  EXPECT_EQ(std::as_const(outside).view()(0, 0), 0);
}

TEST(FeatureMatrix, NamedFileSurvivesAndDetachProtectsIt) {
  const auto path = scratch("features.bin");
  std::filesystem::remove(path);
  {
    FeatureMatrix features(Context(), path, 3, 4);
    features.row(1)[2] = 7;
    features.sync();
    features.detach(Context());
    features.row(1)[2] = 9;  // stays in memory
    EXPECT_EQ(std::as_const(features).view()(1, 2), 9);
  }
  FeatureMatrix again(Context(), path, 3, 4);
  EXPECT_EQ(std::as_const(again).view()(1, 2), 7);
  FeatureMatrix other(Context(), path, 5, 4);  // another size: replaced
  EXPECT_EQ(std::as_const(other).view()(1, 2), 0);
  std::filesystem::remove(path);
}

TEST(FeatureMatrix, SaysWhyAFileCannotBeMade) {
  EXPECT_THROW(FeatureMatrix(Context(), scratch("no such directory/features.bin"), 3, 4), IoError);
}

/// Its name can be foreseen: what a link there leads to must not be written.
TEST(FeatureMatrix, DoesNotFollowALink) {
  const auto victim = scratch("victim.bin");
  const auto path = scratch("linked.bin");
  std::filesystem::remove(path);
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, path);
  EXPECT_THROW(FeatureMatrix(Context(), path, 3, 4), IoError);
  EXPECT_EQ(std::filesystem::file_size(victim), 8U);
  std::filesystem::remove(path);
  std::filesystem::remove(victim);
}

}  // namespace
}  // namespace krica
