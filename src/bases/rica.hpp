// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/bases/basis.hpp"
#include "krica/objectives/terms.hpp"

namespace krica {

/// RICA with a class-aware term, for drica and d-rica. Atoms have unit length in every convention,
/// as the elastic term would otherwise shrink them to zero.
Basis learn_class_rica(const Context& context, const BasisRequest& request,
                       const Discrimination& discrimination);

}  // namespace krica
