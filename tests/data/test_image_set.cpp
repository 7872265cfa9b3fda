// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "data/files.hpp"
#include "data/record_set.hpp"
#include "krica/data/image_set.hpp"
#include "runtime/digest.hpp"

namespace krica {
namespace {

using support::Bytes;
using support::message_of;

ImageSetPtr make_set(Index size, ImageShape shape, std::vector<int> labels, std::uint64_t seed) {
  ImageSetInfo info;
  info.size = size;
  info.shape = shape;
  info.labels = std::move(labels);
  const RecordPart part = {
      memory_source("test", "memory",
                    support::noise(static_cast<std::size_t>(size * shape.values()), seed)),
      0, shape.values(), size};
  return std::make_shared<RecordSet>(std::move(info), std::vector{part}, PixelOrder::kPlanar);
}

TEST(ImageSet, ReadsBytesAsTheSameFloats) {
  const ImageSetPtr set = make_set(1000, {19, 17, 3}, {}, 1);  // more than one block of conversion
  Bytes bytes(static_cast<std::size_t>(990 * set->shape().values()));
  std::vector<float> floats(bytes.size());
  set->read(7, 990, bytes.data());
  set->read(7, 990, floats.data());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), floats.begin()));
}

TEST(ImageSet, RefusesRangesOutside) {
  const ImageSetPtr set = make_set(5, {2, 2, 1}, {}, 1);
  Bytes bytes(100);
  EXPECT_NO_THROW(set->read(5, 0, bytes.data()));
  EXPECT_NO_THROW(set->read(0, 5, bytes.data()));
  EXPECT_THROW(set->read(4, 2, bytes.data()), InvalidArgument);
  EXPECT_THROW(set->read(-1, 1, bytes.data()), InvalidArgument);
  EXPECT_THROW(set->read(0, -1, bytes.data()), InvalidArgument);
  EXPECT_THROW(make_set(5, {2, 2, 1}, {1, 2}, 1), InvalidArgument);
}

TEST(ImageSet, FingerprintFollowsContent) {
  const Context context;
  const std::string base = fingerprint(context, *make_set(9, {3, 3, 1}, {}, 1));
  EXPECT_EQ(base.size(), 64U);
  EXPECT_EQ(base, fingerprint(Context({.threads = 3}), *make_set(9, {3, 3, 1}, {}, 1)));
  EXPECT_NE(base, fingerprint(context, *make_set(9, {3, 3, 1}, {}, 2)));
  EXPECT_NE(base, fingerprint(context, *make_set(9, {9, 1, 1}, {}, 1)));
  EXPECT_NE(base, fingerprint(context, *make_set(9, {3, 3, 1}, std::vector<int>(9, 1), 1)));
}

TEST(ImageSet, FingerprintCanBeCancelled) {
  const Context context;
  context.cancel();
  EXPECT_THROW(fingerprint(context, *make_set(9, {3, 3, 1}, {}, 1)), Cancelled);
}

TEST(ImageHashes, FollowShapeAndPixelsOfEachImage) {
  const Context context;
  const ImageSetPtr set = make_set(9, {3, 4, 1}, {}, 1);
  const auto hashes = image_hashes(context, *set);
  ASSERT_EQ(hashes.size(), 9U);
  EXPECT_EQ(std::set<std::uint64_t>(hashes.begin(), hashes.end()).size(), 9U);
  EXPECT_EQ(hashes, image_hashes(Context({.threads = 3}), *set));
  EXPECT_EQ(hashes, image_hashes(context, *make_set(9, {3, 4, 1}, std::vector<int>(9, 1), 1)));
  EXPECT_NE(hashes[0], image_hashes(context, *make_set(9, {4, 3, 1}, {}, 1))[0]);
  EXPECT_EQ(image_hashes(context, *subset(set, {4, 4})), (std::vector{hashes[4], hashes[4]}));
  Bytes pixels(12);
  set->read(0, 1, pixels.data());
  Digest digest(Digest::Kind::kSha256);
  digest.add("krica image 3 4 1 uint8\n", 24);
  digest.add(pixels.data(), pixels.size());
  EXPECT_EQ(hashes[0], std::stoull(digest.finish().substr(0, 16), nullptr, 16));
}

}  // namespace
}  // namespace krica
