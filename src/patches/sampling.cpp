// SPDX-License-Identifier: BSD-3-Clause
#include "patches/sampling.hpp"

#include <algorithm>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

struct Place {
  Index image = 0;
  Index patch = 0;  // the row to fill
  PositionRun position = {0, 0, 1};
};

std::vector<Place> draw_places(const Context& context, const ImageSet& images,
                               const LocalDescriptors& descriptors, Index count) {
  std::vector<Place> places(static_cast<std::size_t>(count));
  Positions positions = descriptors.positions(images.shape());
  for (Index i = 0; i < count; ++i) {
    Random random = context.random("patches.sample", static_cast<std::uint64_t>(i));
    Place& place = places[static_cast<std::size_t>(i)];
    place.image = random.below(images.size());
    place.patch = i;
    if (images.varied()) positions = descriptors.positions(images.shape_of(place.image));
    place.position.row = random.below(positions.rows);
    place.position.col = random.below(positions.cols);
  }
  // In the order of the images, so that each is read once, front to back.
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.image < b.image; });
  return places;
}

/// Each image has a single position: draws without repetition.
std::vector<Place> draw_images(const Context& context, Index images, Index count) {
  Random random = context.random("patches.sample_whole");
  std::vector<Index> chosen = random_subset(random, images, std::min(count, images));
  std::sort(chosen.begin(), chosen.end());
  std::vector<Place> places;
  places.reserve(chosen.size());
  for (const Index image : chosen)
    places.push_back({.image = image, .patch = static_cast<Index>(places.size())});
  return places;
}

/// Runs of places in the same image.
std::vector<Range> runs_of(const std::vector<Place>& places) {
  std::vector<Range> runs;
  Index begin = 0;
  const auto count = static_cast<Index>(places.size());
  for (Index i = 1; i <= count; ++i) {
    if (i < count &&
        places[static_cast<std::size_t>(i)].image == places[static_cast<std::size_t>(begin)].image)
      continue;
    runs.push_back({begin, i});
    begin = i;
  }
  return runs;
}

}  // namespace

Index sampled_count(const ImageSet& images, const LocalDescriptors& descriptors, Index count) {
  require(count >= 1, "patches", "the number of patches must be >= 1, got {}", count);
  require(images.size() >= 1, "patches", "there are no images");
  const bool whole = !images.varied() && descriptors.positions(images.shape()).count() == 1;
  return whole ? std::min(count, images.size()) : count;
}

std::vector<int> sample_patches_into(const Context& context, const ImageSet& images,
                                     const LocalDescriptors& descriptors,
                                     MatrixView<float> patches) {
  const Index count = patches.rows();
  const bool whole = !images.varied() && descriptors.positions(images.shape()).count() == 1;
  const std::vector<Place> places = whole ? draw_images(context, images.size(), count)
                                          : draw_places(context, images, descriptors, count);
  const std::vector<Range> runs = runs_of(places);
  std::vector<int> labels(images.labels().empty() ? 0 : places.size());
  parallel_for(context, static_cast<Index>(runs.size()), [&](Index r) {
    const Range run = runs[static_cast<std::size_t>(r)];
    std::vector<float> pixels(static_cast<std::size_t>(images.shape().values()));
    std::vector<float> memory;
    const Index image = places[static_cast<std::size_t>(run.begin)].image;
    const ImageShape shape = images.shape_of(image);
    images.read(image, 1, pixels.data());
    const float* prepared = descriptors.prepared(pixels.data(), shape, memory);
    for (Index i = run.begin; i < run.end; ++i) {
      const Place& place = places[static_cast<std::size_t>(i)];
      descriptors.read(prepared, shape, {&place.position, 1},
                       patches.rows_between(place.patch, place.patch + 1));
      if (!labels.empty()) {
        labels[static_cast<std::size_t>(place.patch)] =
            images.labels()[static_cast<std::size_t>(image)];
      }
    }
  });
  return labels;
}

PatchSample sample_patches(const Context& context, const ImageSet& images,
                           const LocalDescriptors& descriptors, Index count) {
  PatchSample sample;
  sample.patches =
      Matrix<float>(sampled_count(images, descriptors, count), descriptors.dimensions());
  sample.labels = sample_patches_into(context, images, descriptors, sample.patches);
  return sample;
}

PatchSample sample_patches(const Context& context, const ImageSet& images, Index size,
                           Index count) {
  return sample_patches(context, images, *make_descriptors({size, 1}, images.shape()), count);
}

}  // namespace krica
