// SPDX-License-Identifier: BSD-3-Clause
//
// From a context to its device. CUDA's current device belongs to the thread, so every operation
// begins with use_device().
#pragma once

#include <cstddef>

#include "device/products.hpp"
#include "krica/runtime/context.hpp"

namespace krica::device {

/// Makes the context's device that of the calling thread. Does nothing for the CPU. Throws
/// DeviceError (kNoDevice).
void use_device(const Context& context);

/// use_device(), and loads what a training needs later, so that it fails before the work.
void prepare_to_train(const Context& context);

/// Bytes that a computation may allocate on the current device: the context's budget, but no more
/// than nine tenths of what is free.
std::size_t memory_budget(const Context& context);

/// Of cuBLAS and of encoding.
Products products_of(Precision precision);

}  // namespace krica::device
