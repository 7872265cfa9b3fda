// SPDX-License-Identifier: BSD-3-Clause
//
// The rounding of the factors of matrix products on a device:
//
//   float32      24 bits; in kernels for Hopper, tf32 with the rounding errors' part added
//   tf32         11 bits
//   bf16x3       bf16 with the rounding errors' part added (Hopper's kernels; else tf32)
//   bf16         8 bits
//
// All else is float32; the whitening's product has 16 bits or more. Measured errors: docs/gpu.md.
#pragma once

namespace krica::device {

enum class Products { kFloat32, kTf32, kBf16x3, kBf16 };

}  // namespace krica::device
