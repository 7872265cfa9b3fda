// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/bases/basis.hpp"
#include "krica/objectives/terms.hpp"

namespace krica {

/// RICA with a class-aware term, for drica and d-rica. Atoms keep unit length whatever the
/// convention: the elastic term would shrink them to nothing.
Basis learn_class_rica(const Context& context, const BasisRequest& request,
                       const Discrimination& discrimination);

}  // namespace krica
