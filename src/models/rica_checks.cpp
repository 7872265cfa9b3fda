// SPDX-License-Identifier: BSD-3-Clause
#include "models/rica_checks.hpp"

#include <cmath>
#include <sstream>

#include "krica/bases/basis.hpp"
#include "krica/objectives/rica.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "options";

/// Options of RICA that are set although the method has another objective.
void require_unset(const PipelineOptions& options) {
  const PipelineOptions defaults;
  std::string name;
  if (options.convention != defaults.convention) name = "convention";
  if (options.rica_contrast) name = "rica-contrast";
  if (options.reconstruction_weight) name = "reconstruction-weight";
  if (options.non_gaussianity != defaults.non_gaussianity) name = "non-gaussianity";
  require(name.empty(), kName,
          "{} applies to rica, drica, d-rica and kpca-rica, not to {}; set method rica", name,
          options.method);
}

}  // namespace

bool is_matlab_rica(const PipelineOptions& options) {
  return basis_method(options.method).rica && options.convention == "matlab";
}

std::vector<int> parse_non_gaussianity(const std::string& text, Index components) {
  std::vector<int> signs;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    require(word == "1" || word == "+1" || word == "-1", kName,
            "non-gaussianity must be 1 or -1, or one such value per atom separated by commas, got "
            "'{}'",
            text);
    signs.push_back(word == "-1" ? -1 : 1);
  }
  if (signs.size() == 1) {
    if (signs.front() == 1) return {};
    signs.assign(static_cast<std::size_t>(components), -1);
  }
  require(components == 0 || static_cast<Index>(signs.size()) == components, kName,
          "non-gaussianity has {} values for {} components", signs.size(), components);
  return signs;
}

void require_rica_options(const PipelineOptions& options) {
  if (!basis_method(options.method).rica) return require_unset(options);
  RicaOptions rica;
  apply_convention(rica, options.convention);
  const bool matlab = options.convention == "matlab";
  require(!matlab || !options.sparsity, kName,
          "convention matlab weighs the reconstruction: set reconstruction-weight instead of "
          "sparsity, which is {}",
          options.sparsity.value_or(0));
  require(matlab || !options.reconstruction_weight, kName,
          "convention {} weighs the sparsity: set sparsity instead of reconstruction-weight, or "
          "convention matlab",
          options.convention);
  const double weight = options.reconstruction_weight.value_or(1);
  require(std::isfinite(weight) && weight >= 0, kName,
          "reconstruction-weight must be auto or >= 0, got {}", weight);
  const bool pooled = options.convention == "paper" && !options.rica_contrast;
  require(options.pooling_groups == "none" || pooled, kName,
          "pooling-groups needs convention paper and rica-contrast auto, got pooling-groups {}",
          options.pooling_groups);
  parse_non_gaussianity(options.non_gaussianity, options.components.value_or(0));
}

}  // namespace krica
