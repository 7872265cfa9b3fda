// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA's stream by the name that its headers give it, for headers that do without them.
#pragma once

struct CUstream_st;

namespace krica::device {

using Stream = CUstream_st*;  ///< cudaStream_t

}  // namespace krica::device
