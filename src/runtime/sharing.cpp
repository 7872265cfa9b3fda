// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/sharing.hpp"

#include "runtime/thread_pool.hpp"

namespace krica {

Context sharing(const Context& context) {
  const bool possible = !context.cuda_device() && !ThreadPool::inside_loop();
  return possible ? context.with_shared_rows() : context;
}

Context dividing(const Context& context) {
  return ThreadPool::inside_loop() ? context : context.with_shared_rows();
}

}  // namespace krica
