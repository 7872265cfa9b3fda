// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace krica {

// The groups of the Caltech-101 table.
inline constexpr std::string_view kFifteen = "15 training images per class";
inline constexpr std::string_view kThirty = "30 training images per class";

}  // namespace krica
