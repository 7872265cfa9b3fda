// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "classify/splits.hpp"
#include "krica/bases/basis.hpp"
#include "krica/data/image_set.hpp"

namespace krica {
namespace {

constexpr Index kFoldImages = 100;  // per class, in STL-10's folds
constexpr int kFolds = 10;
constexpr std::uint64_t kFoldSeed = 0;  // the same draws for every seed

// Limits for costs that grow too fast with the number of atoms: kernel principal components are
// computed from the landmarks, and every code of KSR is a lasso.
constexpr Sized<Index> kMostComponents = {20, 100, 400};
constexpr Sized<Index> kMostGroups = {4, 16, 64};

Index images_a_class(const ExperimentData& data) {
  std::vector<Index> count(static_cast<std::size_t>(data.set.train->classes()), 0);
  for (const int label : data.set.train->labels()) ++count[static_cast<std::size_t>(label)];
  const Index smallest = *std::min_element(count.begin(), count.end());
  return smallest >= 2 * kFoldImages ? kFoldImages
                                     : std::max<Index>(1, std::min(kFoldImages, smallest / 2));
}

/// Reduces everything below full size, where the options' defaults apply.
void shrink(PipelineOptions& options, ExperimentSize size) {
  if (size == ExperimentSize::kFull) return;
  const bool smoke = size == ExperimentSize::kSmoke;
  options.descriptor.stride = smoke ? 4 : 2;
  options.descriptor.patches = smoke ? 600 : 10000;
  options.basis.iterations = smoke ? 3 : 30;
  options.basis.epochs = smoke ? 1 : 8;
  options.whitening.landmarks = smoke ? 60 : 400;
  if (smoke) options.classifier.C = 0.05;
}

}  // namespace

int rounds_of(const ExperimentRequest& request, Sized<int> rounds) {
  return request.rounds > 0 ? request.rounds : rounds.at(request.size);
}

Configuration configured(const System& system, const ExperimentRequest& request,
                         const ExperimentData& data, Sized<Index> components, Index field) {
  Configuration configuration;
  configuration.system = system.name;
  configuration.control = system.method == kControl.method;
  PipelineOptions& options = configuration.options;
  shrink(options, request.size);
  options.method = system.method;
  options.seed = request.seed;
  options.descriptor.receptive_field = field;
  const Index wanted = request.components > 0 ? request.components : components.at(request.size);
  Index atoms = std::max<Index>(1, static_cast<Index>(system.part * static_cast<double>(wanted)));
  const Index most = kMostComponents.at(request.size);
  if (basis_method(options.method).costly_atoms && atoms > most) {
    configuration.note =
        fmt::format("{} atoms instead of {}; more would take too long", most, atoms);
    atoms = most;
  }
  if (basis_method(options.method).network) {
    atoms = std::min(atoms, kMostGroups.at(request.size));
    configuration.note = fmt::format("{} and {} groups, at every position", atoms, 2 * atoms);
    options.descriptor.stride = 1;
  }
  const Index classes = data.set.train->classes();
  if (basis_method(options.method).needs_labels && atoms % classes != 0) {
    atoms = (atoms / classes + 1) * classes;
    configuration.note = fmt::format("{} atoms, the same number for every class", atoms);
  }
  options.basis.components = atoms;
  return configuration;
}

std::vector<TrialSplit> test_folds(const ExperimentRequest& request, const ExperimentData& data) {
  const auto& official = data.set.folds;
  const int most = official.empty() ? kFolds : static_cast<int>(official.size());
  const int rounds = std::min(rounds_of(request, {2, 3, kFolds}), most);
  std::vector<TrialSplit> folds;
  for (int f = 0; f < rounds; ++f) {
    TrialSplit fold{fmt::format("fold {}", f + 1), request.seed, {}, {}};
    if (official.empty()) {
      fold.train = stratified_draw(data.set.train->labels(), images_a_class(data), kFoldSeed,
                                   static_cast<std::uint64_t>(f))
                       .train;
    } else {
      fold.train = official[static_cast<std::size_t>(f)];
    }
    folds.push_back(std::move(fold));
  }
  return folds;
}

std::string folds_note(const ExperimentData& data) {
  if (!data.set.folds.empty()) return {};
  return fmt::format(
      "Not the official folds ({}), but stratified draws of {} images per class from a fixed seed.",
      data.part ? "they need the whole set" : "there is no fold_indices.txt", images_a_class(data));
}

std::vector<TrialSplit> validation_folds(const Context& context, const ExperimentRequest& request,
                                         const ExperimentData& data) {
  const int rounds = std::max(2, rounds_of(request, {2, 2, 5}));
  const std::vector<int> fold_of =
      stratified_folds(context, data.set.train->labels(), rounds, "reproduce.folds");
  std::vector<TrialSplit> folds;
  for (int f = 0; f < rounds; ++f) {
    folds.push_back({fmt::format("fold {} of {}", f + 1, rounds), request.seed, {}, {}});
    for (std::size_t i = 0; i < fold_of.size(); ++i)
      (fold_of[i] == f ? folds.back().test : folds.back().train).push_back(static_cast<Index>(i));
  }
  return folds;
}

void set_folds(Configuration& configuration, std::vector<TrialSplit> folds) {
  const BasisMethod& method = basis_method(configuration.options.method);
  configuration.shared_basis = method.learn != nullptr && !method.needs_labels && !method.joint;
  configuration.splits = std::move(folds);
}

}  // namespace krica
