// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/models/options.hpp"

namespace krica {

/// Whether the method minimises RICA's objective in MATLAB's convention.
bool is_matlab_rica(const PipelineOptions& options);

/// Throws InvalidArgument for options of RICA's objective that the method or the convention
/// ignores, and for unknown values.
void require_rica_options(const PipelineOptions& options);

}  // namespace krica
