// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

/// Marks the public symbols of libkrica and libkrica_data, and the few internals that they share
/// with each other and with the Python package; all other symbols are hidden.
#define KRICA_EXPORT __attribute__((visibility("default")))

namespace krica {

/// The library's version, such as "0.1.0". Equal seeds give equal bits within one version only.
KRICA_EXPORT std::string_view version();

}  // namespace krica
