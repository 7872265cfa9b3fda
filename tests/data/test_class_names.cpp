// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "data/class_names.hpp"

namespace krica {
namespace {

TEST(DirectoryName, ReplacesWhatFileSystemsRefuse) {
  EXPECT_EQ(directory_name("T-shirt/top"), "T-shirt_top");
  EXPECT_EQ(directory_name("a\\b:c*d?e\"f<g>h|i\n"), "a_b_c_d_e_f_g_h_i_");
  EXPECT_EQ(directory_name(""), "_");
  EXPECT_EQ(directory_name(".hidden"), "_.hidden");
  EXPECT_EQ(directory_name(".."), "_._");
  EXPECT_EQ(directory_name("etc. "), "etc._");
  EXPECT_EQ(directory_name("Ankle boot"), "Ankle boot");
  EXPECT_EQ(directory_name("-1"), "-1");
}

TEST(DirectoryName, CutsLongNamesBetweenCharacters) {
  std::string umlauts = "x";
  for (int i = 0; i < 150; ++i) umlauts += "ü";
  const std::string name = directory_name(umlauts);
  EXPECT_EQ(name.size(), 199U);
  EXPECT_EQ(name, umlauts.substr(0, 199));
}

TEST(DirectoryName, MapsDirectoryNamesToThemselves) {
  for (const char* name : {"T-shirt/top", "", "..", "a. ", ". ", " ", "Ärger", "con"})
    EXPECT_EQ(directory_name(directory_name(name)), directory_name(name)) << name;
}

}  // namespace
}  // namespace krica
