// SPDX-License-Identifier: BSD-3-Clause
//
// DeviceError by its short name.
#pragma once

#include "krica/runtime/error.hpp"

namespace krica::device {

using krica::DeviceError;
using Trouble = DeviceError::Trouble;

}  // namespace krica::device
