// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "features/conv_network.hpp"
#include "krica/runtime/error.hpp"
#include "support/images.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr ImageShape kImages{13, 12, 1};
constexpr ConvShape kFirst{kImages, 3, 4};
constexpr ConvShape kSecond{{5, 5, 4}, 2, 3};

ConvLayer<float> layer(const ConvShape& shape, std::uint64_t seed) {
  return {shape, support::random_matrix<float>(shape.groups, shape.window(), seed),
          std::vector<float>(static_cast<std::size_t>(shape.groups), -0.5F)};
}

ConvNetwork network(const ImageSet& images, const PoolingOptions& pooling,
                    bool unit_length = false) {
  return {kImages,
          ImageWhitening::fit(Context(), images, {}),
          {layer(kFirst, 1), layer(kSecond, 2)},
          {.pooling = pooling, .unit_length = unit_length}};
}

PoolingOptions pooling(const char* levels, PoolFunction function = PoolFunction::kSum) {
  return {.levels = PoolLevels::from_text(levels), .function = function};
}

/// Sums over the cells of a 2 × 2 grid.
std::vector<double> naive_cells(const std::vector<float>& map, const ImageShape& shape) {
  std::vector<double> cells;
  for (Index r = 0; r < 2; ++r) {
    for (Index c = 0; c < 2; ++c) {
      for (Index k = 0; k < shape.channels; ++k) {
        double sum = 0;
        for (Index y = r * shape.height / 2; y < (r + 1) * shape.height / 2; ++y) {
          for (Index x = c * shape.width / 2; x < (c + 1) * shape.width / 2; ++x)
            sum += static_cast<double>(
                map[static_cast<std::size_t>(k * shape.pixels() + y * shape.width + x)]);
        }
        cells.push_back(sum);
      }
    }
  }
  return cells;
}

TEST(ConvNetwork, FeaturesAreThePooledMapsOfItsLayers) {
  const auto images = support::gratings(9, 3, kImages);
  const ConvNetwork net = network(images, pooling("2x2"));
  EXPECT_EQ(net.features(), 4 * (4 + 3));
  const FeatureMatrix features = net.extract(Context(), images);
  std::vector<float> image(static_cast<std::size_t>(kImages.values()));
  std::vector<float> white(image.size());
  for (const Index i : {0, 8}) {
    images.read(i, 1, image.data());
    net.whitening().apply(kImages, image.data(), white.data());
    std::vector<double> expected = naive_cells(
        map_above<float>(std::span(net.layers()).first(1), white.data()), kFirst.pooled());
    const std::vector<double> second =
        naive_cells(map_above<float>(net.layers(), white.data()), kSecond.pooled());
    expected.insert(expected.end(), second.begin(), second.end());
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(features.view()(i, static_cast<Index>(j)), expected[j], 1e-4) << j;
  }
}

TEST(ConvNetwork, CellsAreAtMostThePositionsOfAMap) {
  const auto images = support::gratings(5, 3, kImages);
  const ConvNetwork net = network(images, pooling("1x1,3x3,4x4", PoolFunction::kMax));
  // The second map has 2 × 2 blocks: 3x3 and 4x4 are the same there.
  EXPECT_EQ(net.features(), (1 + 9 + 16) * 4 + (1 + 4) * 3);
  const std::vector<ConvShape> shapes = {kFirst, kSecond};
  EXPECT_EQ(network_features(shapes, pooling("1x1,3x3,4x4")), net.features());
}

TEST(ConvNetwork, MayScaleFeaturesToLengthOne) {
  const auto images = support::gratings(5, 3, kImages);
  const FeatureMatrix features = network(images, pooling("2x2"), true).extract(Context(), images);
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(features.view().row(i).norm(), 1, 1e-5);
}

TEST(ConvNetwork, SameBitsForAnyThreadsAndFromAnyImageOn) {
  const auto images = support::gratings(50, 3, kImages);
  const ConvNetwork net = network(images, pooling("2x2"));
  const FeatureMatrix all = net.extract(Context({.threads = 1}), images);
  for (const int threads : {2, 3})
    EXPECT_TRUE(net.extract(Context({.threads = threads}), images).view() == all.view());
  FeatureMatrix rest(Context(), 50, net.features());
  net.extract(Context(), images, 30, rest, [](Index) {});
  EXPECT_TRUE(rest.view().bottomRows(20) == all.view().bottomRows(20));
}

TEST(ConvNetwork, SurvivesAnArchive) {
  const auto images = support::gratings(20, 3, kImages);
  const ConvNetwork net = network(images, pooling("2x2"));
  Archive archive;
  net.save(archive);
  const std::vector<ConvShape> shapes = {kFirst, kSecond};
  const ConvNetwork loaded =
      ConvNetwork::load(archive, kImages, shapes, {.pooling = pooling("2x2")});
  EXPECT_TRUE(loaded.extract(Context(), images).view() == net.extract(Context(), images).view());
  Matrix<float> holed = support::random_matrix<float>(3, 16, 1);
  archive.put("network.weights.2", support::random_matrix<float>(3, 15, 1));
  EXPECT_THROW(ConvNetwork::load(archive, kImages, shapes, {.pooling = pooling("2x2")}),
               InvalidArgument);
  holed(0, 3) = NAN;
  archive.put("network.weights.2", holed);
  EXPECT_THROW(ConvNetwork::load(archive, kImages, shapes, {.pooling = pooling("2x2")}), DataError);
  archive.remove("network.weights.2");
  EXPECT_THROW(ConvNetwork::load(archive, kImages, shapes, {.pooling = pooling("2x2")}), DataError);
}

TEST(ConvNetwork, RefusesWhatDoesNotFit) {
  const auto images = support::gratings(20, 3, kImages);
  const ImageWhitening whitening = ImageWhitening::fit(Context(), images, {});
  EXPECT_THROW(ConvNetwork(kImages, whitening, {}, {}), InvalidArgument);
  EXPECT_THROW(ConvNetwork(kImages, whitening, {layer(kSecond, 1)}, {}), InvalidArgument);
  EXPECT_THROW(ConvNetwork(kImages, whitening, {layer(kFirst, 1), layer(kFirst, 1)}, {}),
               InvalidArgument);
  const auto others = support::gratings(4, 3, {12, 12, 1});
  EXPECT_THROW(static_cast<void>(network(images, {}).extract(Context(), others)), InvalidArgument);
}

}  // namespace
}  // namespace krica
