// SPDX-License-Identifier: BSD-3-Clause
//
// What this library recommends, compared on equal terms and on any images: the same number of
// atoms, patches at the same positions and, for photographs, mirror images in training and in
// prediction for every system. Sets without a test part are divided at random; STL-10 has two
// tables, for its folds and for all labelled images.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/plans.hpp"
#include "krica/data/image_set.hpp"

namespace krica {
namespace {

constexpr Sized<Index> kComponents = {20, 100, 400};
constexpr Sized<Index> kStride = {4, 2, 1};
constexpr Index kMostPerClass = 30;  // of a set without a test part, for training

struct Compared {
  System system;
  Auto<EncoderKind> encoder = {};  // of max-margin training, which has several
  Auto<double> pool_power = {};    // as max-margin training has it
};
constexpr std::string_view kMethod = kMaxMargin.method;
const auto kCompared = std::to_array<Compared>(
    {{kControl},
     {{"OMP-1", "omp-1"}},
     {{"OMP-1, square roots", "omp-1"}, {}, 0.5},
     {{"K-means, triangle", "kmeans-triangle"}},
     {{"kRICA", "krica"}},
     {{"Max-margin kRICA, soft threshold", kMethod}, EncoderKind::kSoftThreshold},
     {{"Max-margin kRICA, Gaussian", kMethod}, EncoderKind::kKernel}});

Index field_for(const ImageShape& shape) {
  constexpr Index kLargeSide = 64;
  return std::min(shape.height, shape.width) >= kLargeSide ? 8 : 6;
}

std::vector<Configuration> configurations_for(const ExperimentRequest& request,
                                              const ExperimentData& data) {
  const ImageShape shape = data.set.train->shape();
  const bool photographs = shape.channels == 3;
  std::vector<Configuration> configurations;
  for (const Compared& compared : kCompared) {
    Configuration configuration =
        configured(compared.system, request, data, kComponents, field_for(shape));
    PipelineOptions& options = configuration.options;
    options.descriptor.stride = kStride.at(request.size);
    options.encoder.kind = compared.encoder;
    options.pooling.power = compared.pool_power;
    options.classifier.flips = photographs;
    options.classifier.test_flips = photographs;
    configurations.push_back(std::move(configuration));
  }
  return configurations;
}

/// Training on all of the training part, with a number of seeds.
std::vector<TrialSplit> seeds(const ExperimentRequest& request) {
  std::vector<TrialSplit> splits;
  for (int r = 0; r < rounds_of(request, {1, 2, 3}); ++r) {
    const std::uint64_t seed = request.seed + static_cast<std::uint64_t>(r);
    splits.push_back({fmt::format("seed {}", seed), seed, {}, {}});
  }
  return splits;
}

Index training_images_a_class(const std::vector<int>& labels) {
  std::vector<Index> count(
      static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1);
  for (const int label : labels) ++count[static_cast<std::size_t>(label)];
  return std::clamp<Index>(*std::min_element(count.begin(), count.end()) / 2, 1, kMostPerClass);
}

std::vector<TrialSplit> random_splits(const ExperimentRequest& request, const ExperimentData& data,
                                      Index images_a_class) {
  std::vector<TrialSplit> splits;
  for (int r = 0; r < rounds_of(request, {1, 2, 3}); ++r) {
    Split split = stratified_draw(data.set.train->labels(), images_a_class, request.seed,
                                  static_cast<std::uint64_t>(r));
    splits.push_back({fmt::format("round {}", r + 1), request.seed, std::move(split.train),
                      std::move(split.test)});
  }
  return splits;
}

std::string protocol_note(const ExperimentData& data) {
  const bool photographs = data.set.train->shape().channels == 3;
  return fmt::format(
      "Equal for all systems: number of atoms, patches and their positions, pooling; {}. The soft "
      "threshold has two features per atom and cell, the other codes one.",
      photographs ? "training and prediction also on mirror images"
                  : "no mirror images, because these are not photographs in colour");
}

}  // namespace

Plan plan_comparison(const Context&, const ExperimentRequest& request, const ExperimentData& data) {
  Plan plan;
  plan.notes.push_back(protocol_note(data));
  const auto add = [&](const std::string& group, const std::vector<TrialSplit>& splits,
                       bool shares_basis) {
    for (Configuration& configuration : configurations_for(request, data)) {
      configuration.group = group;
      if (shares_basis) {
        set_folds(configuration, splits);
      } else {
        configuration.splits = splits;
      }
      plan.configurations.push_back(std::move(configuration));
    }
  };
  if (!data.set.test) {
    const Index images = training_images_a_class(data.set.train->labels());
    plan.mean_per_class = true;
    add(fmt::format("{} training images per class", images), random_splits(request, data, images),
        false);
    return plan;
  }
  if (data.set.format == DataFormat::kStl10) {
    plan.notes.push_back(folds_note(data));
    const std::vector<TrialSplit> folds = test_folds(request, data);
    add(fmt::format("folds of {} labelled images", folds.front().train.size()), folds, true);
  }
  const bool one_table = plan.configurations.empty();
  add(one_table ? "" : fmt::format("all {} labelled images", data.set.train->size()),
      seeds(request), false);
  return plan;
}

}  // namespace krica
