// SPDX-License-Identifier: BSD-3-Clause
#include "models/rica_checks.hpp"

#include <cmath>

#include "krica/bases/basis.hpp"
#include "krica/objectives/rica.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "options";

/// Rejects options of RICA if the method has another objective.
void require_unset(const PipelineOptions& options) {
  const RicaChoice& rica = options.basis.rica;
  const RicaChoice defaults;
  std::string name;
  if (rica.convention != defaults.convention) name = "convention";
  if (rica.contrast) name = "rica-contrast";
  if (rica.reconstruction_weight) name = "reconstruction-weight";
  if (rica.non_gaussianity.values != defaults.non_gaussianity.values) name = "non-gaussianity";
  require(name.empty(), kName,
          "{} applies to rica, drica, d-rica and kpca-rica, not to {}; set method rica", name,
          options.method);
}

}  // namespace

bool is_matlab_rica(const PipelineOptions& options) {
  return basis_method(options.method).rica &&
         options.basis.rica.convention == RicaConvention::kMatlab;
}

void require_rica_options(const PipelineOptions& options) {
  if (!basis_method(options.method).rica) return require_unset(options);
  const RicaChoice& rica = options.basis.rica;
  const bool matlab = rica.convention == RicaConvention::kMatlab;
  require(!matlab || !options.basis.sparsity, kName,
          "convention matlab weighs the reconstruction: set reconstruction-weight instead of "
          "sparsity, which is {}",
          options.basis.sparsity.value_or(0));
  require(matlab || !rica.reconstruction_weight, kName,
          "convention {} weighs the sparsity: set sparsity instead of reconstruction-weight, or "
          "convention matlab",
          name_of(rica.convention));
  const double weight = rica.reconstruction_weight.value_or(1);
  require(std::isfinite(weight) && weight >= 0, kName,
          "reconstruction-weight must be auto or >= 0, got {}", weight);
  const bool pooled = rica.convention == RicaConvention::kPaper && !rica.contrast;
  require(options.basis.groups.kind == AtomGrouping::kNone || pooled, kName,
          "pooling-groups needs convention paper and rica-contrast auto, got pooling-groups {}",
          options.basis.groups.text());
  static_cast<void>(rica.non_gaussianity.of(options.basis.components.value_or(0)));
}

}  // namespace krica
