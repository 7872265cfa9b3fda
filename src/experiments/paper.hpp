// SPDX-License-Identifier: BSD-3-Clause
//
// The figures that the paper prints, all of them, in this one place.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace krica {

/// One line of a table of Xiao, Zhu and Zhao: test accuracy in per cent, its own claim.
struct PaperFigure {
  std::string_view experiment;
  std::string_view group;   ///< where a table has several columns
  std::string_view system;  ///< as it names it
  double accuracy;
  bool built = true;  ///< false: there is no such system here
};

std::span<const PaperFigure> paper_figures();

/// What the paper has for a system; nothing for those that it does not list.
std::optional<double> paper_accuracy(std::string_view experiment, std::string_view group,
                                     std::string_view system);

}  // namespace krica
