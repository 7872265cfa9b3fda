// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

/// On what libkrica and libkrica_data offer; everything else in them is hidden. Also on the few
/// internals that the two and the Python package share.
#define KRICA_EXPORT __attribute__((visibility("default")))

namespace krica {

/// The library's version, such as "0.1.0". Equal seeds give equal bits within one version only.
KRICA_EXPORT std::string_view version();

}  // namespace krica
