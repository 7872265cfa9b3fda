// SPDX-License-Identifier: BSD-3-Clause
#include "krica/runtime/context.hpp"

#include <utility>

#include "krica/runtime/error.hpp"
#include "runtime/check.hpp"
#include "runtime/processors.hpp"

namespace krica {

void ContextOptions::validate() const {
  require(threads >= 0 && threads <= 256, "context",
          "threads must be 0 (all processors) to 256, got {}", threads);
  require(memory_bytes > 0, "context", "memory_bytes must be > 0, got {}", memory_bytes);
}

Context::Context(ContextOptions options)
    : options_(std::move(options)),
      threads_(1),
      cancelled_(std::make_shared<std::atomic<bool>>(false)) {
  options_.validate();
  threads_ = options_.threads > 0 ? options_.threads : available_processors();
}

void Context::check_cancelled() const {
  if (cancelled()) throw Cancelled();
}

}  // namespace krica
