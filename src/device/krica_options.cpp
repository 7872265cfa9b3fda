// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "device/device_error.hpp"
#include "device/krica_device.hpp"
#include "runtime/check.hpp"

namespace krica::device {

void require_usable(std::int64_t samples, int n, int atoms, const KricaDeviceOptions& options) {
  require(samples >= 1 && samples < std::numeric_limits<int>::max() - 8 && n >= 1 && atoms >= 1,
          "device", "kRICA of {} samples of {} values with {} atoms", samples, n, atoms);
  require(options.block_rows >= 1, "device", "block_rows must be >= 1, got {}", options.block_rows);
  if (options.kernel.kind == MercerKind::kPolynomial && options.kernel.degree % 2 == 0)
    throw DeviceError(Trouble::kUnsupported,
                      "[device] no kRICA with a polynomial kernel of even degree");
}

}  // namespace krica::device
