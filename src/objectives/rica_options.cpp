// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "krica/objectives/rica.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr NameTable<Contrast, 5> kContrasts = {{
    {Contrast::kSmoothL1, "smooth-l1"},
    {Contrast::kLogCosh, "logcosh"},
    {Contrast::kMatlabLogCosh, "matlab-logcosh"},
    {Contrast::kExp, "exp"},
    {Contrast::kL2Pooling, "l2-pooling"},
}};
constexpr NameTable<WeightOn, 2> kWeights = {
    {{WeightOn::kSparsity, "sparsity"}, {WeightOn::kReconstruction, "reconstruction"}}};
constexpr NameTable<Reduce, 2> kReductions = {{{Reduce::kMean, "mean"}, {Reduce::kSum, "sum"}}};
constexpr NameTable<RowNorm, 3> kRowNorms = {
    {{RowNorm::kNone, "none"}, {RowNorm::kSoft, "soft"}, {RowNorm::kExact, "exact"}}};

constexpr double kMatlabSqrtEpsilon = 1e-8;

constexpr NameTable<RicaConvention, 3> kConventions = {{{RicaConvention::kPaper, "paper"},
                                                        {RicaConvention::kLe, "le"},
                                                        {RicaConvention::kMatlab, "matlab"}}};
constexpr NameTable<RicaContrast, 4> kRicaContrasts = {{{RicaContrast::kSmoothL1, "smooth-l1"},
                                                        {RicaContrast::kLogcosh, "logcosh"},
                                                        {RicaContrast::kExp, "exp"},
                                                        {RicaContrast::kSqrt, "sqrt"}}};

}  // namespace

std::string_view name_of(Contrast contrast) { return find_name(kContrasts, contrast); }
std::string_view name_of(WeightOn weight_on) { return find_name(kWeights, weight_on); }
std::string_view name_of(Reduce reduce) { return find_name(kReductions, reduce); }
std::string_view name_of(RowNorm row_norm) { return find_name(kRowNorms, row_norm); }
std::string_view name_of(RicaConvention convention) { return find_name(kConventions, convention); }
std::string_view name_of(RicaContrast contrast) { return find_name(kRicaContrasts, contrast); }
Contrast contrast(std::string_view name) { return find_value(kContrasts, name, "contrast"); }
WeightOn weight_on(std::string_view name) { return find_value(kWeights, name, "weight_on"); }
Reduce reduce(std::string_view name) { return find_value(kReductions, name, "reduce"); }
RowNorm row_norm(std::string_view name) { return find_value(kRowNorms, name, "row_norm"); }

void RicaOptions::validate() const {
  require(n_components > 0, "rica", "n_components must be > 0, got {}", n_components);
  require(std::isfinite(weight) && weight >= 0, "rica", "weight must be finite and >= 0, got {}",
          weight);
  require(std::isfinite(epsilon) && epsilon > 0, "rica", "epsilon must be finite and > 0, got {}",
          epsilon);
  require(block_rows >= 0, "rica", "block_rows must be >= 0, got {}", block_rows);
  require(sign.empty() || static_cast<Index>(sign.size()) == n_components, "rica",
          "{} signs for {} atoms", sign.size(), n_components);
  for (std::size_t j = 0; j < sign.size(); ++j) {
    require(sign[j] == 1 || sign[j] == -1, "rica", "sign must be +1 or -1, got {} for atom {}",
            sign[j], j);
  }
  groups.validate(n_components);
  discrimination.validate();
}

void apply_contrast(RicaOptions& options, RicaContrast contrast) {
  switch (contrast) {
    case RicaContrast::kSmoothL1:
      options.contrast = Contrast::kSmoothL1;
      return;
    case RicaContrast::kLogcosh:
      options.contrast = Contrast::kMatlabLogCosh;
      return;
    case RicaContrast::kExp:
      options.contrast = Contrast::kExp;
      return;
    case RicaContrast::kSqrt:
      options.contrast = Contrast::kSmoothL1;
      options.epsilon = kMatlabSqrtEpsilon;
      return;
  }
}

void apply_convention(RicaOptions& options, RicaConvention convention) {
  options.reduce = Reduce::kMean;
  switch (convention) {
    case RicaConvention::kPaper:
      options.contrast = Contrast::kL2Pooling;
      options.weight_on = WeightOn::kSparsity;
      options.row_norm = RowNorm::kNone;
      return;
    case RicaConvention::kLe:
      options.contrast = Contrast::kSmoothL1;
      options.weight_on = WeightOn::kSparsity;
      options.row_norm = RowNorm::kSoft;
      return;
    case RicaConvention::kMatlab:
      options.contrast = Contrast::kMatlabLogCosh;
      options.weight_on = WeightOn::kReconstruction;
      options.row_norm = RowNorm::kExact;
      return;
  }
}

}  // namespace krica
