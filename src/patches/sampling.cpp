// SPDX-License-Identifier: BSD-3-Clause
#include "krica/patches/sampling.hpp"

#include <algorithm>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

struct Place {
  Index image = 0;
  Index patch = 0;  // the row that it fills
  Index top = 0;
  Index left = 0;
};

std::vector<Place> draw_places(const Context& context, const ImageSet& images, Index size,
                               Index count) {
  const ImageShape shape = images.shape();
  std::vector<Place> places(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    Random random = context.random("patches.sample", static_cast<std::uint64_t>(i));
    Place& place = places[static_cast<std::size_t>(i)];
    place.image = random.below(images.size());
    place.patch = i;
    place.top = random.below(shape.height - size + 1);
    place.left = random.below(shape.width - size + 1);
  }
  // In the order of the images, so that each is read once and from front to back.
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.image < b.image; });
  return places;
}

/// Every image is a single patch: none comes twice.
std::vector<Place> draw_whole_images(const Context& context, Index images, Index count) {
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

PatchSample sample_patches(const Context& context, const ImageSet& images, Index size,
                           Index count) {
  const ImageShape shape = images.shape();
  require(size >= 1, "patches", "the patch size must be >= 1, got {}", size);
  require(count >= 1, "patches", "the number of patches must be >= 1, got {}", count);
  require(images.size() >= 1, "patches", "there are no images");
  require(size <= shape.height && size <= shape.width, "patches",
          "images of {} x {} pixels are smaller than the receptive field of {} x {}", shape.height,
          shape.width, size, size);
  const bool whole = size == shape.height && size == shape.width;
  const std::vector<Place> places = whole ? draw_whole_images(context, images.size(), count)
                                          : draw_places(context, images, size, count);
  const std::vector<Range> runs = runs_of(places);
  PatchSample sample{Matrix<float>(static_cast<Index>(places.size()), size * size * shape.channels),
                     {}};
  if (!images.labels().empty()) sample.labels.resize(places.size());
  parallel_for(context, static_cast<Index>(runs.size()), [&](Index r) {
    const Range run = runs[static_cast<std::size_t>(r)];
    std::vector<float> pixels(static_cast<std::size_t>(shape.values()));
    const Index image = places[static_cast<std::size_t>(run.begin)].image;
    images.read(image, 1, pixels.data());
    for (Index i = run.begin; i < run.end; ++i) {
      const Place& place = places[static_cast<std::size_t>(i)];
      copy_patch(pixels.data(), shape, size, place.top, place.left,
                 sample.patches.row(place.patch));
      if (!sample.labels.empty()) {
        sample.labels[static_cast<std::size_t>(place.patch)] =
            images.labels()[static_cast<std::size_t>(image)];
      }
    }
  });
  return sample;
}

void copy_patch(const float* image, const ImageShape& shape, Index size, Index top, Index left,
                float* patch) {
  for (Index channel = 0; channel < shape.channels; ++channel) {
    for (Index y = 0; y < size; ++y) {
      const float* row = image + channel * shape.pixels() + (top + y) * shape.width + left;
      patch = std::copy(row, row + size, patch);
    }
  }
}

}  // namespace krica
