// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "krica/models/options.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

/// What went wrong with a basis and which options of its method may help; empty for a sound one.
/// Takes options from resolved().
std::string trouble_with(const PipelineOptions& settled, std::string_view basis_status,
                         const std::vector<HistoryRow>& history);

/// Says which options of an SVM were given to a method without one; empty if none. Takes options
/// as they were given or from resolved().
std::string ignored_options(const PipelineOptions& settled);

}  // namespace krica
