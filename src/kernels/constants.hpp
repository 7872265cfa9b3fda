// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krica {

/// Added to ‖w-x‖² in the inverse distance kernel, which is singular at w = x.
inline constexpr double kSquaredDistanceFloor = 1e-8;

}  // namespace krica
