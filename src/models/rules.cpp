// SPDX-License-Identifier: BSD-3-Clause
#include "models/rules.hpp"

#include <algorithm>
#include <array>

namespace krica {
namespace {

constexpr Index kManyImages = 20000;  ///< enough to hold some out without loss
constexpr Index kFewestLabelled = 30;
constexpr Index kAtoms = 400;        ///< for few images: more would overfit
constexpr Index kManyAtoms = 1600;   ///< for many images
constexpr Index kSampleAtoms = 400;  ///< for labelled samples
constexpr Index kCostlyAtoms = 200;  ///< if atoms are costly
/// Kernel components that patches of photographs reliably have.
constexpr Index kKernelIcaAtoms = 100;
constexpr Index kNetworkGroups = 32;
constexpr Index kUnmixedAtoms = 64;  ///< for unlabelled samples, at most
constexpr Index kFewestAtoms = 2;

// For codes by matching pursuit.
constexpr Index kClassifyingAtoms = 30;  ///< in a code of d-ksvd or lc-ksvd, as in the papers
constexpr Index kValuesPerAtom = 10;     ///< otherwise, within the limits below
constexpr Index kMostPerClass = 15;      ///< atoms of d-ksvd and lc-ksvd
constexpr Index kFewestInCode = 3;
constexpr Index kMostInCode = 10;

// For max-margin training.
constexpr Index kFewImages = 4000;  ///< a fifth of fewer cannot detect a gain of two points
constexpr Index kFolds = 3;
constexpr Index kSmallestBatch = 16;
constexpr Index kLargestBatch = 128;
constexpr Index kStepsAnEpoch = 30;  ///< at least
constexpr Index kFewestSteps = 400;
constexpr Index kJointEpochs = 12;
constexpr Index kMostJointEpochs = 60;

constexpr auto kRules = std::to_array<MethodRule>({
    {[](const DataFacts& f) { return f.shape.is_sample() && f.classes == 0; }, "rica",
     "linear components, as MATLAB's rica learns them"},
    {[](const DataFacts& f) { return f.shape.is_sample(); }, "random-patches",
     "Gaussian codes around training samples, the hardest to beat with few labels"},
    {[](const DataFacts& f) { return f.classes == 0; }, "omp-1",
     "strong features that are learned without labels"},
    {[](const DataFacts& f) { return f.size < kFewestLabelled; }, "omp-1",
     "too few to learn from the labels more than the classifier"},
    {[](const DataFacts&) { return true; }, "max-margin-krica",
     "atoms learned together with the classifier, where held-out images say that it helps"},
});

constexpr MethodRule kSiftRule = {
    [](const DataFacts&) { return true; }, "scspm",
    "sparse codes in a spatial pyramid suit SIFT, for images of any size"};

/// A multiple of the number of classes for methods whose atoms belong to classes.
Index fitted_to_classes(Index atoms, const BasisMethod& method, const DataFacts& facts) {
  if (!method.needs_labels || facts.classes == 0) return atoms;
  return std::max<Index>(1, atoms / facts.classes) * facts.classes;
}

/// A few per class, so that even a class of half the mean size has enough samples for them.
Index dictionary_atoms(const DataFacts& facts) {
  const Index classes = std::max<Index>(1, facts.classes);
  return classes * std::clamp<Index>(facts.size / (4 * classes), 1, kMostPerClass);
}

Index wanted_atoms(const BasisMethod& method, const DataFacts& facts) {
  if (method.components > 0 && !facts.shape.is_sample()) return method.components;
  if (method.name == "kica") return kKernelIcaAtoms;
  if (method.classifies) return dictionary_atoms(facts);
  if (method.costly_atoms) return kCostlyAtoms;
  if (method.network) return kNetworkGroups;
  if (facts.shape.is_sample())
    return facts.classes == 0 ? std::min(kUnmixedAtoms, facts.shape.channels) : kSampleAtoms;
  return facts.size >= kManyImages && !method.joint ? kManyAtoms : kAtoms;
}

}  // namespace

const MethodRule& method_rule(const DataFacts& facts) {
  return *std::find_if(kRules.begin(), kRules.end(),
                       [&](const MethodRule& rule) { return rule.fits(facts); });
}

const MethodRule& sift_rule() { return kSiftRule; }

bool is_small(Index images) { return images < kManyImages; }

Index folds_for(Index images) { return images < kFewImages ? kFolds : 0; }

Index batch_for(Index images) {
  const Index batch = std::clamp(images / kStepsAnEpoch, kSmallestBatch, kLargestBatch);
  return std::max<Index>(2, std::min(batch, images / 2));
}

Index joint_epochs_for(Index images) {
  const Index steps = std::max<Index>(1, images / batch_for(images));
  return std::clamp((kFewestSteps + steps - 1) / steps, kJointEpochs, kMostJointEpochs);
}

Index nonzeros_for(const BasisMethod& method, Index values) {
  if (method.classifies)
    return values == 0 ? kClassifyingAtoms : std::clamp<Index>(values / 2, 1, kClassifyingAtoms);
  return std::clamp<Index>(values / kValuesPerAtom, kFewestInCode, kMostInCode);
}

Index components_for(const BasisMethod& method, const DataFacts& facts, Index dimensions) {
  Index atoms = wanted_atoms(method, facts);
  // Contrast normalisation removes one direction, the mean, from every patch.
  if (method.name == "ica")
    atoms = std::min(atoms, facts.shape.is_sample() ? dimensions : dimensions - 1);
  if (facts.shape.is_sample() && facts.size > 0) atoms = std::min(atoms, facts.size / 2);
  return fitted_to_classes(std::max(kFewestAtoms, atoms), method, facts);
}

}  // namespace krica
