// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>

#include "krica/data/image_set.hpp"
#include "krica/runtime/error.hpp"
#include "models/seen_images.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

std::vector<Index> range(Index first, Index last) {
  std::vector<Index> indices(static_cast<std::size_t>(last - first));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

ImageSetPtr images(Index size) {
  // The set cannot be moved into a shared pointer.
  return ImageSetPtr(new support::MemoryImages(support::gratings(size, 3, {4, 4, 1})));
}

TEST(SeenImages, SmallSetsAreKnownCompletely) {
  const ImageSetPtr all = images(60);
  const SeenImages seen = SeenImages::of(Context(), *subset(all, range(0, 40)));
  EXPECT_TRUE(seen.complete());
  EXPECT_EQ(seen.count_in(Context(), *all), 40);
  EXPECT_EQ(seen.count_in(Context(), *subset(all, range(40, 60))), 0);
  EXPECT_EQ(seen.unseen_in(Context(), *all), range(40, 60));
}

TEST(SeenImages, LargeSetsAreKnownByASample) {
  const ImageSetPtr all = images(12000);
  const SeenImages seen = SeenImages::of(Context(), *subset(all, range(0, 9000)));
  EXPECT_FALSE(seen.complete());
  EXPECT_NEAR(static_cast<double>(seen.count_in(Context(), *all)), 9000, 300);
  EXPECT_EQ(seen.count_in(Context(), *subset(all, range(9000, 12000))), 0);
  EXPECT_GE(seen.count_in(Context(), *subset(all, range(8900, 12000))), 1);
}

TEST(SeenImages, FilesKeepThem) {
  const ImageSetPtr all = images(5000);
  for (const Index size : {Index{10}, Index{5000}}) {
    Archive archive;
    const SeenImages seen = SeenImages::of(Context(), *subset(all, range(0, size)));
    seen.save(archive);
    const SeenImages loaded = SeenImages::load(archive);
    EXPECT_EQ(loaded.complete(), seen.complete());
    EXPECT_EQ(loaded.count_in(Context(), *all), seen.count_in(Context(), *all));
  }
}

TEST(SeenImages, NothingIsKnownOfOlderModels) {
  const SeenImages seen = SeenImages::load(Archive());
  EXPECT_FALSE(seen.known());
  EXPECT_EQ(seen.count_in(Context(), *images(5)), 0);
  Archive damaged;
  damaged.put_vector<std::int64_t>("training_images", std::vector<std::int64_t>{3, 1});
  EXPECT_THROW(SeenImages::load(damaged), DataError);
}

}  // namespace
}  // namespace krica
