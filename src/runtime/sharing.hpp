// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/runtime/context.hpp"
#include "runtime/thread_pool.hpp"

namespace krica {

/// The context with rows divided among the ranks, where that is possible: GPUs compute on all rows,
/// and inside a parallel loop ranks cannot wait for each other.
inline Context sharing(const Context& context) {
  const bool possible = !context.cuda_device() && !ThreadPool::inside_loop();
  return possible ? context.with_shared_rows() : context;
}

/// The same for work on rows that every rank has: GPUs can divide that, too.
inline Context dividing(const Context& context) {
  return ThreadPool::inside_loop() ? context : context.with_shared_rows();
}

}  // namespace krica
