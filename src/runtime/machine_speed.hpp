// SPDX-License-Identifier: BSD-3-Clause
//
// How fast this machine is, measured in a moment, so that the time of a long computation can be
// estimated before it begins (models/estimate.hpp).
#pragma once

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// Rates per second that all of a context's threads reach together, while others may use the
/// machine as well.
struct MachineSpeed {
  double products = 0;         ///< float32 operations of matrix products
  double serial_products = 0;  ///< the same on one thread
  double loops = 0;            ///< terms of sums in double precision, as of squared distances
  double reading = 0;          ///< bytes read from memory
};

/// Measured at the first call in about a tenth of a second, and kept for the process and the number
/// of threads. Results of later computations do not depend on it.
KRICA_EXPORT MachineSpeed machine_speed(const Context& context);

}  // namespace krica
