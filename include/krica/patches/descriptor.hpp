// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "krica/runtime/library.hpp"

namespace krica {

/// The numbers that describe a place in an image.
enum class DescriptorKind {
  kPixels,  ///< "pixels": those of a square patch
  kSift,    ///< "sift": histograms of its gradients; images may differ in size
};
KRICA_EXPORT std::string_view name_of(DescriptorKind kind);

}  // namespace krica
