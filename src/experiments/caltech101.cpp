// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's table for Caltech-101: 15 and 30 training images per class, the rest for testing,
// mean accuracy over classes, 1,020 atoms of 10 × 10. Random splits as in ScSPM; the paper does not
// say how many. Systems of SIFT have windows of 16 × 16 in images of up to 300 pixels: ScSPM and
// LLC, which the paper does not list, with 1,024 atoms, D-KSVD and LC-KSVD with 1,024 words in a
// spatial pyramid.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/names.hpp"
#include "experiments/plans.hpp"
#include "krica/data/image_set.hpp"
#include "models/method_defaults.hpp"

namespace krica {
namespace {

constexpr auto kCaltechSystems = std::to_array<System>({{"RICA", "rica"},
                                                        {"KICA", "kica"},
                                                        {"KSR", "ksr"},
                                                        {"DRICA", "drica"},
                                                        {"d-RICA", "d-rica"},
                                                        {"kRICA", "krica"},
                                                        {"d-kRICA", "d-krica"},
                                                        kControl,
                                                        kMaxMargin});

constexpr auto kSiftSystems = std::to_array<System>(
    {{"ScSPM", "scspm"}, {"D-KSVD", "d-ksvd"}, {"LC-KSVD", "lc-ksvd"}, {"LLC", "llc"}});

struct Group {
  std::string_view paper;
  Index paper_images;
  Index images;  // per class
};

std::vector<Group> groups_of(const ExperimentRequest& request, const ExperimentData& data) {
  std::vector<Group> groups = {{kFifteen, 15, 15}, {kThirty, 30, 30}};
  if (request.size == ExperimentSize::kSmoke) {
    groups[0].images = 4;
    groups[1].images = 8;
  } else if (data.set.format == DataFormat::kEmbedded) {
    groups[0].images = 100;  // of 10 classes: about as many images in total as with 102
    groups[1].images = 150;
  }
  return groups;
}

std::string title_of(const Group& group) {
  if (group.images == group.paper_images) return std::string(group.paper);
  return fmt::format("{} training images per class instead of the paper's {}", group.images,
                     group.paper_images);
}

/// The number of classes with a single test image.
Index single_test_images(const std::vector<int>& labels, const Split& split) {
  std::vector<Index> left(
      static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1);
  for (const Index i : split.test)
    ++left[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])];
  return std::count(left.begin(), left.end(), 1);
}

Configuration configured_for_sift(const System& system, const ExperimentRequest& request,
                                  const ExperimentData& data) {
  const bool by_class = basis_method(system.method).needs_labels;
  Configuration configuration =
      configured(system, request, data, {20, 200, by_class ? 1020 : 1024}, kSiftField);
  configuration.photographs = true;
  configuration.options.descriptor.kind = DescriptorKind::kSift;
  configuration.options.descriptor.stride.reset();  // 6: descriptors hardly change over 2
  configuration.shared_basis = true;
  configuration.note = by_class ? "words from all images without labels"
                                : "atoms from all images without labels, as their authors do";
  return configuration;
}

}  // namespace

Plan plan_caltech101(const Context&, const ExperimentRequest& request, const ExperimentData& data) {
  Plan plan;
  plan.mean_per_class = true;
  const int rounds = rounds_of(request, {1, 2, 5});
  for (const Group& group : groups_of(request, data)) {
    std::vector<TrialSplit> splits;
    for (int r = 0; r < rounds; ++r) {
      Split split = stratified_draw(data.set.train->labels(), group.images, request.seed,
                                    static_cast<std::uint64_t>(r));
      const Index single = single_test_images(data.set.train->labels(), split);
      if (r == 0 && single > 0) {
        plan.notes.push_back(fmt::format("{} training images per class: {} {} a single test image.",
                                         group.images, single,
                                         single == 1 ? "class has" : "classes have"));
      }
      splits.push_back({fmt::format("round {}", r + 1), request.seed, std::move(split.train),
                        std::move(split.test)});
    }
    std::vector<Configuration> configurations;
    configurations.reserve(std::size(kSiftSystems) + std::size(kCaltechSystems));
    for (const System& system : kSiftSystems)
      configurations.push_back(configured_for_sift(system, request, data));
    for (const System& system : kCaltechSystems)
      configurations.push_back(configured(system, request, data, {20, 200, 1020}, 10));
    for (Configuration& configuration : configurations) {
      configuration.group = title_of(group);
      configuration.paper_group = group.paper;
      configuration.splits = splits;
      plan.configurations.push_back(std::move(configuration));
    }
  }
  return plan;
}

}  // namespace krica
