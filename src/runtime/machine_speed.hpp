// SPDX-License-Identifier: BSD-3-Clause
//
// A quick measurement of the speed of this machine, to estimate the time of a long computation in
// advance (models/estimate.hpp).
#pragma once

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// Rates per second of all the context's threads together, with whatever else is running on the
/// machine.
struct MachineSpeed {
  double products = 0;         ///< float32 operations in matrix products
  double serial_products = 0;  ///< the same, single-threaded
  double loops = 0;            ///< terms of sums in double precision, such as squared distances
  double reading = 0;          ///< bytes read from memory
};

/// Measured on the first call in about a tenth of a second, and cached per process and number of
/// threads. It does not affect the results of computations.
KRICA_EXPORT MachineSpeed machine_speed(const Context& context);

}  // namespace krica
