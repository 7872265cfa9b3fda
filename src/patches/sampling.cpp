// SPDX-License-Identifier: BSD-3-Clause
#include "patches/sampling.hpp"

#include <algorithm>
#include <cstring>

#include "patches/shared_sampling.hpp"
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

std::vector<Place> drawn(const Context& context, const ImageSet& images,
                         const LocalDescriptors& descriptors, Index count) {
  const bool whole = !images.varied() && descriptors.positions(images.shape()).count() == 1;
  return whole ? draw_images(context, images.size(), count)
               : draw_places(context, images, descriptors, count);
}

std::vector<int> labels_of(const ImageSet& images, const std::vector<Place>& places) {
  std::vector<int> labels(images.labels().empty() ? 0 : places.size());
  for (const Place& place : places) {
    if (labels.empty()) break;
    labels[static_cast<std::size_t>(place.patch)] =
        images.labels()[static_cast<std::size_t>(place.image)];
  }
  return labels;
}

/// Reads the patches at some places: row_of(i) is where place number i goes.
template <class RowOf>
void read_places(const Context& context, const ImageSet& images,
                 const LocalDescriptors& descriptors, const std::vector<Place>& places,
                 RowOf row_of) {
  const std::vector<Range> runs = runs_of(places);
  parallel_for(context, static_cast<Index>(runs.size()), [&](Index r) {
    const Range run = runs[static_cast<std::size_t>(r)];
    std::vector<float> pixels(static_cast<std::size_t>(images.shape().values()));
    std::vector<float> memory;
    const Index image = places[static_cast<std::size_t>(run.begin)].image;
    const ImageShape shape = images.shape_of(image);
    images.read(image, 1, pixels.data());
    const float* prepared = descriptors.prepared(pixels.data(), shape, memory);
    for (Index i = run.begin; i < run.end; ++i) {
      descriptors.read(prepared, shape, {&places[static_cast<std::size_t>(i)].position, 1},
                       row_of(i));
    }
  });
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
  const std::vector<Place> places = drawn(context, images, descriptors, patches.rows());
  read_places(context, images, descriptors, places, [&](Index i) {
    const Index row = places[static_cast<std::size_t>(i)].patch;
    return patches.rows_between(row, row + 1);
  });
  return labels_of(images, places);
}

std::vector<int> sample_held_patches(const Context& context, const ImageSet& images,
                                     const LocalDescriptors& descriptors, const HeldRows& held,
                                     MatrixView<float> patches) {
  const std::vector<Place> places = drawn(context, images, descriptors, patches.rows());
  Communicator& ranks = *context.ranks();
  const auto reader = [&](const Place& place) {
    return static_cast<int>(place.image * ranks.size() / images.size());
  };
  const auto is_held = [&](const Place& place, int rank) {
    const Range rows = held.of(rank, ranks.size());
    return place.patch >= rows.begin && place.patch < rows.end;
  };
  std::vector<Place> own;
  for (const Place& place : places) {
    if (reader(place) == ranks.rank()) own.push_back(place);
  }
  Matrix<float> read(std::ssize(own), patches.cols());
  agree(context, [&] {
    read_places(context, images, descriptors, own,
                [&](Index i) { return MatrixView<float>(read).rows_between(i, i + 1); });
  });
  // Both sides list what travels in the order of the places.
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(patches.cols());
  std::vector<Communicator::Bytes> outgoing(static_cast<std::size_t>(ranks.size()));
  std::vector<Communicator::Bytes> incoming(outgoing.size());
  for (int rank = 0; rank < ranks.size(); ++rank) {
    Communicator::Bytes& out = outgoing[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!is_held(own[i], rank)) continue;
      const auto* row = reinterpret_cast<const std::byte*>(read.row(static_cast<Index>(i)));
      out.insert(out.end(), row, row + bytes);
    }
  }
  for (const Place& place : places) {
    if (!is_held(place, ranks.rank())) continue;
    Communicator::Bytes& in = incoming[static_cast<std::size_t>(reader(place))];
    in.resize(in.size() + bytes);
  }
  ranks.exchange(outgoing, incoming);
  std::vector<std::size_t> taken(incoming.size(), 0);
  for (const Place& place : places) {
    if (!is_held(place, ranks.rank())) continue;
    const auto from = static_cast<std::size_t>(reader(place));
    std::memcpy(patches.data() + place.patch * patches.outerStride(),
                incoming[from].data() + taken[from], bytes);
    taken[from] += bytes;
  }
  return labels_of(images, places);
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
