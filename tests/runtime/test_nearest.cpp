// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/nearest.hpp"

namespace krica {
namespace {

TEST(Nearest, IsAtMostAThirdOfTheWordAway) {
  const std::vector<std::string> known = {"train", "tune", "--components", "omp-1", "krica"};
  EXPECT_EQ(nearest("trian", known), "train") << "a swap is one mistake";
  EXPECT_EQ(nearest("--componets", known), "--components");
  EXPECT_EQ(nearest("omp1", known), "omp-1");
  EXPECT_EQ(nearest("evaluate", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(did_you_mean("tunne", known), "; did you mean 'tune'?");
  EXPECT_EQ(did_you_mean("nothing", known), "");
}

TEST(Nearest, FilesBesideAMissingOne) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "krica-nearest";
  std::filesystem::create_directories(folder / "photos");
  EXPECT_EQ(did_you_mean_file(folder / "phtoos"),
            "; did you mean '" + (folder / "photos").string() + "'?");
  EXPECT_EQ(did_you_mean_file(folder / "unlike"), "");
  EXPECT_EQ(did_you_mean_file("no/such/folder/at/all"), "");
  EXPECT_EQ(did_you_mean_file("embedde-d", {"embedded"}), "; did you mean 'embedded'?");
  EXPECT_EQ(did_you_mean_file(folder / "phtoos", {"phtoo"}),
            "; did you mean '" + (folder / "photos").string() + "'?")
      << "a file beside it comes first";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace krica
