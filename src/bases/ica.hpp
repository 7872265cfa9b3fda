// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "krica/bases/basis.hpp"
#include "solvers/option_fields.hpp"

namespace krica {

/// The options of FastICA.
struct IcaOptions {
  Index components = 0;
  Index max_iterations = 100;
  double tolerance = 1e-7;  ///< of the rotation of the atoms, max_u |1 - |v_u·v_u,before||
};

template <OptionsOf<IcaOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [components, max_iterations, tolerance] = options;
  visit("components", components, kAtLeastOne);
  visit("max_iterations", max_iterations, kNotNegative, OnResume::kMayDiffer);
  visit("tolerance", tolerance, kNotNegative);
}

/// The rest of the error message for too many components.
struct IcaLimit {
  std::string_view what;
  std::string_view remedy;
};

/// FastICA on the request's patches (ica.cpp). Throws InvalidArgument for more components than
/// directions.
Basis unmixed(const Context& context, const BasisRequest& request, const IcaLimit& limit);

}  // namespace krica
