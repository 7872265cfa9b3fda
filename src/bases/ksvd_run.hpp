// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "bases/clustering_run.hpp"
#include "clustering/ksvd.hpp"

namespace krica {

/// K-SVD of the patches from `start()`, which is not called when resuming, for at most
/// options.max_iterations; `name` is the owner of its states.
Basis ksvd_of(const Context& context, const BasisRequest& request, std::string_view name,
              KsvdOptions options, ClusteringRole role,
              const std::function<Matrix<float>()>& start);

}  // namespace krica
