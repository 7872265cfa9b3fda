// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace krica {

/// The library's version, such as "0.1.0". Equal seeds give equal bits within one version only.
std::string_view version();

}  // namespace krica
