// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "experiments/plans.hpp"
#include "krica/runtime/words.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr NameTable<ExperimentSize, 3> kSizes = {{
    {ExperimentSize::kSmoke, "smoke"},
    {ExperimentSize::kQuick, "quick"},
    {ExperimentSize::kFull, "full"},
}};

constexpr auto kExperiments = std::to_array<Experiment>({
    {"caltech101", "Caltech-101: accuracy",
     "table of Caltech-101, 15 and 30 training images per class", ExperimentKind::kTable,
     "caltech101", &plan_caltech101},
    {"cifar10", "CIFAR-10: accuracy", "table of CIFAR-10", ExperimentKind::kTable, "cifar10",
     &plan_cifar10},
    {"stl10", "STL-10: accuracy", "table of STL-10, ten folds", ExperimentKind::kTable, "stl10",
     &plan_stl10},
    {"kernels", "Kernels", "table of kernels, on STL-10", ExperimentKind::kTable, "stl10",
     &plan_kernels},
    {"lambda", "Sparsity weight λ", "figure of the sparsity weight, on STL-10",
     ExperimentKind::kSweep, "stl10", &plan_lambda},
    {"alpha", "Discrimination weight α", "figure of the discrimination weight, on STL-10",
     ExperimentKind::kSweep, "stl10", &plan_alpha},
    {"gamma", "Gaussian width γ", "figure of the Gaussian kernel's width, on STL-10",
     ExperimentKind::kSweep, "stl10", &plan_gamma},
    {"basis-size", "Basis size", "figure of the number of atoms, on STL-10", ExperimentKind::kSweep,
     "stl10", &plan_basis_size},
    {"similarity", "Similarity matrices", "figure of distances between 90 images of three classes",
     ExperimentKind::kSimilarity, "caltech101", &plan_similarity},
    {"comparison", "Comparison on equal terms",
     "what krica recommends, on any images and on equal terms; not in the paper",
     ExperimentKind::kTable, "", &plan_comparison},
});

}  // namespace

std::string_view name_of(ExperimentSize size) { return find_name(kSizes, size); }
ExperimentSize experiment_size(std::string_view name) { return find_value(kSizes, name, "size"); }

std::span<const Experiment> experiments() { return kExperiments; }

const Experiment& experiment(std::string_view name) {
  std::vector<std::string> known;
  for (const Experiment& candidate : kExperiments) {
    if (candidate.name == name) return candidate;
    known.emplace_back(candidate.name);
  }
  known.emplace_back("all");
  unknown_word("experiment", name, known, "reproduce");
}

}  // namespace krica
