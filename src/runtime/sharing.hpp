// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/runtime/context.hpp"

namespace krica {

/// The context with rows divided among the ranks, where that is possible: GPUs compute on all rows,
/// and inside a parallel loop ranks cannot wait for each other.
KRICA_EXPORT Context sharing(const Context& context);

/// The same for work on rows that every rank has: GPUs can divide that, too.
KRICA_EXPORT Context dividing(const Context& context);

}  // namespace krica
