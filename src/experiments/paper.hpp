// SPDX-License-Identifier: BSD-3-Clause
//
// All figures printed in the paper, in one place.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace krica {

/// One line of a table of Xiao, Zhu and Zhao: test accuracy in per cent, as they claim.
struct PaperFigure {
  std::string_view experiment;
  std::string_view group;   ///< if a table has several columns
  std::string_view system;  ///< as named in the paper
  double accuracy;
};

std::span<const PaperFigure> paper_figures();

/// The paper's accuracy of a system; none if it does not list it.
std::optional<double> paper_accuracy(std::string_view experiment, std::string_view group,
                                     std::string_view system);

}  // namespace krica
