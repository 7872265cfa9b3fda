// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "krica/models/options.hpp"

namespace krica {
namespace {

struct Recipe {
  std::string_view name;
  std::string_view options;
};

// What each part gives: docs/methods.md.
constexpr auto kRecipes = std::to_array<Recipe>({
    {"accurate",
     R"({"method": "max-margin-krica", "components": 4000, "receptive-field": 5, "pool": "4x4",
         "pool-overlap": true, "encoder": "kernel", "gamma": 5, "flips": true, "crops": 4,
         "epochs": 40, "batch": 256, "decay": 0.3, "held-out": 0, "refit": false,
         "test-flips": true})"},
});

}  // namespace

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  names.reserve(kRecipes.size());
  for (const Recipe& recipe : kRecipes) names.emplace_back(recipe.name);
  return names;
}

std::string recipe(std::string_view name) {
  const auto found = std::ranges::find(kRecipes, name, &Recipe::name);
  if (found == kRecipes.end()) unknown_word("recipe", name, recipe_names());
  return std::string(found->options);
}

}  // namespace krica
