// SPDX-License-Identifier: BSD-3-Clause
#include "features/feature_options.hpp"

#include <algorithm>
#include <charconv>

#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "pool";
constexpr NameTable<PoolFunction, 3> kFunctions = {
    {{PoolFunction::kSum, "sum"}, {PoolFunction::kMean, "mean"}, {PoolFunction::kMax, "max"}}};

std::string text_of(const PoolLevel& level) { return fmt::format("{}x{}", level.rows, level.cols); }

PoolLevel level_from(std::string_view text, std::string_view whole) {
  PoolLevel level{0, 0};
  const std::size_t cross = text.find('x');
  if (cross != std::string_view::npos) {
    std::from_chars(text.data(), text.data() + cross, level.rows);
    std::from_chars(text.data() + cross + 1, text.data() + text.size(), level.cols);
  }
  require(level.rows >= 1 && level.cols >= 1 && text == text_of(level), "options",
          "pool must be ROWSxCOLUMNS such as 2x2, or several such as 1x1,2x2,4x4, got '{}'", whole);
  return level;
}

}  // namespace

std::string_view name_of(PoolFunction function) { return find_name(kFunctions, function); }

Index PoolLevels::cells() const {
  Index cells = 0;
  for (const PoolLevel& level : levels) cells += level.rows * level.cols;
  return cells;
}

std::string PoolLevels::text() const {
  std::string text;
  for (const PoolLevel& level : levels) {
    if (!text.empty()) text += ',';
    text += text_of(level);
  }
  return text;
}

PoolLevels PoolLevels::from_text(std::string_view text) {
  PoolLevels result{{}};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    result.levels.push_back(level_from(text.substr(begin, end - begin), text));
    begin = end + 1;
  }
  result.validate();
  return result;
}

void PoolLevels::validate() const {
  require(!levels.empty(), kName, "there must be at least one grid of cells");
  Index cells = 0;
  for (auto level = levels.begin(); level != levels.end(); ++level) {
    const auto [rows, cols] = *level;
    require(rows >= 1 && cols >= 1, kName, "a pool grid must be at least 1x1, got {}x{}", rows,
            cols);
    require(std::find(levels.begin(), level, *level) == level, kName,
            "the pool grid {}x{} is given twice", rows, cols);
    // Check the factors first, as their product may overflow.
    const bool few = rows <= kMostCells && cols <= kMostCells && rows * cols <= kMostCells - cells;
    require(few, kName, "the pool grids have more than {} cells; use coarser ones", kMostCells);
    cells += rows * cols;
  }
}

void PoolingOptions::validate() const {
  levels.validate();
  require(power > 0 && power <= 1, kName, "pool-power must be in (0, 1], got {}", power);
}

void FeatureOptions::validate() const {
  descriptors.validate();
  pooling.validate();
}

}  // namespace krica
