// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/printed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/plans.hpp"
#include "krica/bases/basis.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

struct PrintedSet {
  std::string_view data;
  PrintedWeights weights;
};
constexpr auto kPrinted = std::to_array<PrintedSet>({{"caltech101", {1e-1, 1, 1e-2}},
                                                     {"cifar10", {1e-2, 1e-1, 1e-1}},
                                                     {"stl10", {1e-2, 1e-1, 1e-1}}});

/// The systems whose objective the paper prints.
constexpr auto kPaperMethods =
    std::to_array<std::string_view>({"rica", "drica", "d-rica", "krica", "d-krica"});

bool is_printed(const PipelineOptions& options) {
  return std::find(kPaperMethods.begin(), kPaperMethods.end(), options.method) !=
         kPaperMethods.end();
}

bool has_kernel(const PipelineOptions& options) {
  return options.method == "krica" || options.method == "d-krica";
}

std::string appended(const std::string& note, const std::string& more) {
  return note.empty() ? more : fmt::format("{}; {}", note, more);
}

/// "as printed: λ = 0.01, γ = 0.1, L-BFGS", with the values that the configuration has.
std::string note_of(const PipelineOptions& options) {
  std::string note = "as printed:";
  if (is_printed(options)) note += fmt::format(" λ = {:g},", *options.basis.sparsity);
  if (basis_method(options.method).needs_labels)
    note += fmt::format(" α = {:g},", options.basis.discrimination.weight);
  if (options.kernel.gamma && options.kernel.kind == KernelKind::kGaussian)
    note += fmt::format(" γ = {:g},", *options.kernel.gamma);
  if (!is_printed(options)) {
    note.pop_back();
    return note;
  }
  return note + (options.basis.solver == SolverKind::kFixedPoint ? " fixed point" : " L-BFGS");
}

/// Options that a figure varies are set already.
void set_printed_options(const Experiment& experiment, const PrintedWeights& weights,
                         Configuration& configuration) {
  PipelineOptions& options = configuration.options;
  const bool control = configuration.control;
  if (!is_printed(options) && !control) return;
  if ((has_kernel(options) || control) && !options.kernel.gamma)
    options.kernel.gamma = weights.gamma;
  if (is_printed(options)) {
    if (!options.basis.sparsity) options.basis.sparsity = weights.sparsity;
    if (experiment.name != "alpha" && basis_method(options.method).needs_labels)
      options.basis.discrimination.weight = weights.discrimination;
    options.basis.groups = AtomGroups::topographic();
    options.basis.groups.validate(*options.basis.components);
    options.basis.solver = SolverKind::kLbfgs;
  }
  configuration.note = appended(configuration.note, note_of(options));
}

/// The same system with the paper's iteration instead of L-BFGS.
Configuration by_fixed_point(Configuration configuration, const std::string& note) {
  configuration.paper_system = configuration.system;
  configuration.system += ", fixed point";
  configuration.options.basis.solver = SolverKind::kFixedPoint;
  configuration.note = appended(note, note_of(configuration.options) + ", made to descend");
  return configuration;
}

/// The same system on kernel principal components, as in the paper's section 4.1.
Configuration by_kernel_pca(Configuration configuration, const std::string& note) {
  configuration.paper_system = configuration.system;
  configuration.system += ", kernel PCA";
  configuration.options.whitening.method = WhiteningMethod::kKernelPca;
  configuration.note =
      appended(note, note_of(configuration.options) + ", patches whitened by kernel PCA");
  return configuration;
}

}  // namespace

PrintedWeights printed_weights(std::string_view data) {
  for (const PrintedSet& set : kPrinted)
    if (set.data == data) return set.weights;
  require(false, "reproduce", "the paper has no experiment on {}", data);
  return {};
}

void set_as_printed(const Experiment& experiment, Plan& plan) {
  require(experiment.in_paper(), "reproduce",
          "--as-printed is for the paper's tables and figures; {} is none of them",
          experiment.name);
  const PrintedWeights weights = printed_weights(experiment.data);
  const bool data_table =
      experiment.kind == ExperimentKind::kTable && experiment.name == experiment.data;
  std::vector<Configuration> printed;
  for (Configuration& configuration : plan.configurations) {
    const std::string note = configuration.note;
    set_printed_options(experiment, weights, configuration);
    printed.push_back(std::move(configuration));
    if (!data_table || !has_kernel(printed.back().options)) continue;
    const Configuration system = printed.back();
    printed.push_back(by_fixed_point(system, note));
    printed.push_back(by_kernel_pca(system, note));
  }
  plan.configurations = std::move(printed);
  plan.as_printed = true;
  plan.notes.emplace_back(
      "As printed: the paper's λ, α and γ; L2 pooling in the sparsity term, with equal weights "
      "over the 3 × 3 neighbours of an atom on a torus, because the paper does not say over which "
      "atoms its weights are uniform; all patches at every step, with the corrected derivative. "
      "Systems without the note \"as printed\" have no settings in the paper.");
}

}  // namespace krica
