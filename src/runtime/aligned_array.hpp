// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <new>

namespace krica {

/// hwy::AllocateAligned, which returns null if there is no memory.
template <class Value>
hwy::AlignedFreeUniquePtr<Value[]> aligned_array(std::size_t count) {
  auto values = hwy::AllocateAligned<Value>(count);
  if (values == nullptr) throw std::bad_alloc();
  return values;
}

}  // namespace krica
