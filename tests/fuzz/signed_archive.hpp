// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "fuzz/support.hpp"

namespace krica::fuzz {

/// The bytes of an archive with the checksum that belongs to them, so that what lies behind the
/// checksum is reached; as they are where they have no place for one.
std::string with_checksum(Input input);

}  // namespace krica::fuzz
