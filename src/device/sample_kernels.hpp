// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of values on the device: widening, gathering and transposing them. Queued, not waited for.
#pragma once

#include <cstdint>

#include "device/device_samples.hpp"

namespace krica::device {

/// Rows of n values to rows of `width`: behind them mark (or marks[row]), then zeros. norms: their
/// squared norms, unless null.
void widen(const float* from, std::int64_t rows, int n, int width, float mark, const float* marks,
           float* to, float* norms);

/// The rows of `from` at the given places.
void gather(const SampleBlock& from, const std::int64_t* places, int rows, int width, float* X,
            float* norms, int* labels);

/// to (columns × to_stride) ← fromᵀ, from: rows × columns.
void transpose(const float* from, int rows, int columns, float* to, int to_stride);

}  // namespace krica::device
