// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's figure of similarity matrices: Euclidean distances between the representations of 90
// images, 30 from each of three classes of Caltech-101, none of them used for training. The paper
// does not name the classes; here they are the first that have enough images.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/plans.hpp"

namespace krica {
namespace {

constexpr auto kComparedSystems = std::to_array<System>(
    {{"RICA", "rica"}, {"kRICA", "krica"}, {"d-kRICA", "d-krica"}, kControl, kMaxMargin});
constexpr std::size_t kClasses = 3;
constexpr Index kShown = 30;  // per class

/// The images of each class, in order.
std::vector<std::vector<Index>> members(const std::vector<int>& labels, Index classes) {
  std::vector<std::vector<Index>> places(static_cast<std::size_t>(classes));
  for (std::size_t i = 0; i < labels.size(); ++i)
    places[static_cast<std::size_t>(labels[i])].push_back(static_cast<Index>(i));
  return places;
}

/// The number of images per class that three classes can show; if they are taken from the training
/// images, as many are left to learn from.
Index images_to_show(const std::vector<std::vector<Index>>& places, bool own_test, Index most) {
  std::vector<std::size_t> sizes;
  sizes.reserve(places.size());
  for (const auto& each : places) sizes.push_back(each.size());
  std::sort(sizes.rbegin(), sizes.rend());
  const auto third = static_cast<Index>(sizes[std::min(kClasses, sizes.size()) - 1]);
  return std::min(most, own_test ? third : third / 2);
}

/// The first classes with at least `needed` images, as many as are shown.
std::vector<std::size_t> chosen_classes(const std::vector<std::vector<Index>>& places,
                                        const std::vector<std::string>& names, Index needed) {
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < places.size() && chosen.size() < kClasses; ++c) {
    const bool background = names[c].starts_with("BACKGROUND");
    if (!background && static_cast<Index>(places[c].size()) >= needed) chosen.push_back(c);
  }
  return chosen;
}

}  // namespace

Plan plan_similarity(const Context&, const ExperimentRequest& request, const ExperimentData& data) {
  const ImageSet& train = *data.set.train;
  const bool own_test = data.set.test != nullptr;
  const ImageSet& pool = own_test ? *data.set.test : train;
  const auto places = members(pool.labels(), train.classes());
  const Index shown =
      images_to_show(places, own_test, request.size == ExperimentSize::kSmoke ? 5 : kShown);
  const auto classes = chosen_classes(places, train.class_names(), own_test ? shown : 2 * shown);
  TrialSplit split{"shown images", request.seed, {}, {}};
  std::vector<bool> is_shown(static_cast<std::size_t>(pool.size()), false);
  Plan plan;
  std::string names;
  for (const std::size_t c : classes) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", train.class_names()[c]);
    for (Index i = 0; i < shown; ++i) {
      const Index place = places[c][static_cast<std::size_t>(i)];
      is_shown[static_cast<std::size_t>(place)] = true;
      plan.shown.push_back(place);
    }
  }
  if (!own_test) {
    split.test = plan.shown;
    for (std::size_t i = 0; i < is_shown.size(); ++i)
      if (!is_shown[i]) split.train.push_back(static_cast<Index>(i));
    for (std::size_t i = 0; i < plan.shown.size(); ++i) plan.shown[i] = static_cast<Index>(i);
  }
  plan.notes.push_back(fmt::format(
      "{} images each of {}, none of them used in training. Distances are between standardised "
      "pooled codes, divided by their mean so that all systems share one scale.",
      shown, names));
  for (const System& system : kComparedSystems) {
    Configuration configuration = configured(system, request, data, {20, 200, 1020}, 10);
    configuration.splits = {split};
    plan.configurations.push_back(std::move(configuration));
  }
  return plan;
}

}  // namespace krica
