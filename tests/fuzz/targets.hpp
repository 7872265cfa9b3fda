// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "fuzz/support.hpp"

namespace krica::fuzz {

/// Those that this program was linked with, by name.
std::map<std::string, Target>& targets();

}  // namespace krica::fuzz
