// SPDX-License-Identifier: BSD-3-Clause
#include "models/trouble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "krica/bases/basis.hpp"
#include "krica/kernels/kernel.hpp"
#include "models/resolved.hpp"
#include "models/stage_costs.hpp"

namespace krica {
namespace {

/// Image features do not need a converged basis; a relative change below this is good enough.
constexpr double kStillFalling = 0.01;

bool has_gamma(const PipelineOptions& settled) {
  return uses_kernel(settled) && settled.kernel.kind == KernelKind::kGaussian;
}

std::string weight_advice(const PipelineOptions& settled) {
  if (settled.basis.rica.reconstruction_weight) {
    return fmt::format("a larger reconstruction-weight (now {})",
                       *settled.basis.rica.reconstruction_weight);
  }
  return fmt::format("a smaller sparsity (now {})", settled.basis.sparsity.value_or(0));
}

std::string start_advice(const PipelineOptions& settled) {
  if (basis_method(settled.method).own_start) return "another seed";
  return fmt::format("another init (now {})", settled.basis.init.value_or("auto"));
}

std::string diverged_advice(const PipelineOptions& settled) {
  const std::string first = has_gamma(settled)
                                ? fmt::format("a smaller gamma (now {:.3g})", *settled.kernel.gamma)
                                : weight_advice(settled);
  return fmt::format("more than half of the atoms have codes that hardly vary; try {} or {}", first,
                     start_advice(settled));
}

std::string collapsed_advice(const PipelineOptions& settled) {
  const std::string first = has_gamma(settled)
                                ? fmt::format("a larger gamma (now {:.3g})", *settled.kernel.gamma)
                                : weight_advice(settled);
  const bool bare = settled.basis.rica.reconstruction_weight &&
                    settled.whitening.method == WhiteningMethod::kNone;
  return fmt::format("more than half of the atoms coincide; try {}, {}fewer components or {}",
                     first, bare ? "whitening zca, " : "", start_advice(settled));
}

std::string numerical_advice(const PipelineOptions& settled) {
  return fmt::format(
      "the objective became infinite or NaN, and the best atoms before that were kept; try {}, a "
      "smaller rate if Adam is the solver, or {}",
      weight_advice(settled), start_advice(settled));
}

/// The iteration limit of K-means is not an option; that of omp-1 is.
bool has_limit_option(const PipelineOptions& settled) {
  return !learns_as(basis_method(settled.method), "kmeans-hard");
}

bool is_still_falling(const std::vector<HistoryRow>& history) {
  if (history.size() < 2) return false;
  const double before = history[history.size() - 2].value;
  const double last = history.back().value;
  return before - last > kStillFalling * std::max(std::abs(before), std::abs(last));
}

std::string limit_advice(const PipelineOptions& settled, const std::vector<HistoryRow>& history) {
  const BasisMethod& method = basis_method(settled.method);
  const Index done = history.empty() ? 0 : history.back().iteration;
  const bool by_epochs = method.solvers == SolverChoice::kAdam ||
                         settled.basis.solver == SolverKind::kAdam ||
                         done != settled.basis.iterations.value_or(done);
  // Adam's rate decreases to 0 over its epochs: it always ends at the last one.
  const bool matters = by_epochs || settled.descriptor.receptive_field != 1
                           ? is_still_falling(history)
                           : has_limit_option(settled);
  if (!matters) return {};
  return fmt::format("not converged after {} {}; raise {}", done,
                     by_epochs ? "epochs" : "iterations", by_epochs ? "epochs" : "iterations");
}

}  // namespace

std::string ignored_options(const PipelineOptions& settled) {
  const bool given = settled.classifier.C || settled.classifier.balanced;
  if (!basis_method(settled.method).classifies || !given) return {};
  return fmt::format(
      "[train] {} learns its classifier with its dictionary, without an SVM: {} has no effect; "
      "leave it out, and set label-weight instead",
      settled.method, settled.classifier.C ? "svm-c" : "balanced");
}

std::string trouble_with(const PipelineOptions& settled, std::string_view basis_status,
                         const std::vector<HistoryRow>& history) {
  std::string advice;
  if (basis_status == name_of(Status::kDiverged)) advice = diverged_advice(settled);
  if (basis_status == name_of(Status::kCollapsed)) advice = collapsed_advice(settled);
  if (basis_status == name_of(Status::kNumericalTrouble)) advice = numerical_advice(settled);
  if (basis_status == name_of(Status::kIterationLimit)) advice = limit_advice(settled, history);
  if (basis_status == name_of(Status::kLineSearchFailed)) {
    advice =
        "no step lowers the objective any more, although the gradient is not small; the best "
        "atoms were kept; try solver adam or " +
        start_advice(settled);
  }
  return advice.empty() ? advice : fmt::format("[train] basis {}: {}", basis_status, advice);
}

}  // namespace krica
