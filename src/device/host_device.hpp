// SPDX-License-Identifier: BSD-3-Clause
//
// KRICA_HOST_DEVICE marks functions for host and device; other compilers than nvcc see nothing.
#pragma once

#ifdef __CUDACC__
#define KRICA_HOST_DEVICE __host__ __device__
#else
#define KRICA_HOST_DEVICE
#endif
