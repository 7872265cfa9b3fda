// SPDX-License-Identifier: BSD-3-Clause
//
// The option that CONTRIBUTING.md adds, on the list that every surface is made from.
#include <gtest/gtest.h>

#include "models/option_list.hpp"

namespace krica {
namespace {

TEST(NewOption, IsOnTheListWithItsDefaultAndHelp) {
  int seen = 0;
  const PipelineOptions options;
  for_each_option(options, [&](std::string_view name, const auto& value, std::string_view help) {
    if (name != "shininess") return;
    ++seen;
    EXPECT_EQ(help, "how bright the classifier is");
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) {
      EXPECT_EQ(value, 0.5);
    } else {
      ADD_FAILURE() << "the list has another type than the member";
    }
  });
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace krica
