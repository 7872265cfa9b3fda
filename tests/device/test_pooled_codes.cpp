// SPDX-License-Identifier: BSD-3-Clause
//
// Both implementations of PooledCodes against the reference in double.
#include <gtest/gtest.h>

#include <cstring>

#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/device_needed.hpp"
#include "device/make_pooled_codes.hpp"
#include "device/pooled_codes.hpp"
#include "device/reference.hpp"

namespace krica::device {
namespace {

using OnDeviceCodes = OnDevice;

bool has_shapes(CodeKind kind) {
  return kind == CodeKind::kGaussian || kind == CodeKind::kSoftThreshold ||
         kind == CodeKind::kSigmoid;
}

/// A batch of images with ∂L/∂features, and where results go.
struct Batch {
  const Problem& problem;
  int count;
  std::size_t features;
  std::vector<std::uint8_t> images;
  std::vector<float> Q;

  Batch(const Problem& of, int images_in_it)
      : problem(of),
        count(images_in_it),
        features(of.pool.cells.size() * static_cast<std::size_t>(of.atoms.channels())),
        images(random_images(count, of.patch.channels, of.patch.height, of.patch.width, 8)),
        Q(static_cast<std::size_t>(count) * features) {
    std::mt19937 random(9);
    std::normal_distribution<float> normal;
    for (float& value : Q) value = normal(random);
  }
  [[nodiscard]] const std::uint8_t* image(int i) const {
    return images.data() +
           static_cast<std::size_t>(i) * images.size() / static_cast<std::size_t>(count);
  }
};

struct Result {
  std::vector<float> features;
  std::vector<float> gradient;
  std::vector<float> shapes;
  bool operator==(const Result&) const = default;
};

Result run(PooledCodes& codes, const Batch& batch, bool floats, bool with_gradient) {
  const DeviceArray<std::uint8_t> bytes(batch.images);
  const DeviceArray<float> as_floats(std::vector<float>(batch.images.begin(), batch.images.end()));
  const Pixels pixels = floats ? Pixels{nullptr, as_floats.data()} : Pixels{bytes.data(), nullptr};
  DeviceArray<float> features(std::vector<float>(batch.Q.size(), NAN));
  const DeviceArray<float> Q(batch.Q);
  const auto K = static_cast<std::size_t>(batch.problem.atoms.count);
  const auto n = static_cast<std::size_t>(batch.problem.patch.values());
  DeviceArray<float> gradient(std::vector<float>(K * n, NAN));
  DeviceArray<float> shapes(std::vector<float>(K, NAN));
  codes.encode(pixels, batch.count, features.data());
  if (with_gradient) codes.gradient(Q.data(), gradient.data(), shapes.data());
  wait_for_device();
  if (!with_gradient) return {features.values(), {}, {}};
  return {features.values(), gradient.values(), shapes.values()};
}

struct Limits {
  double features = 0;
  double gradient = 0;
};
Limits limits_of(Products products, bool every_card) {
  if (products == Products::kFloat32) return {1e-5, 1e-4};
  if (products == Products::kBf16) return {1e-2, 6e-2};
  return every_card ? Limits{1e-3, 2e-2} : Limits{1e-3, 1e-2};
}

void expect_close(const Batch& batch, const Result& result, const Limits& limits) {
  const Problem& problem = batch.problem;
  const auto K = static_cast<std::size_t>(problem.atoms.count);
  std::vector<double> gradient(K * static_cast<std::size_t>(problem.patch.values()), 0.0);
  std::vector<double> shapes(K, 0.0);
  for (int i = 0; i < batch.count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * batch.features;
    EXPECT_LE(distance(result.features.data() + at, reference_features(problem, batch.image(i))),
              limits.features)
        << "image " << i;
    if (!result.gradient.empty())
      add_reference_gradient(problem, batch.image(i), batch.Q.data() + at, gradient, shapes);
  }
  if (result.gradient.empty()) return;
  EXPECT_LE(distance(result.gradient.data(), gradient), limits.gradient);
  if (has_shapes(problem.atoms.kind)) {
    EXPECT_LE(distance(result.shapes.data(), shapes), limits.gradient);
  }
}

/// Against the reference, and the same bits again.
void compare(const Problem& problem, int count, PooledCodesOptions options) {
  const bool with_gradient = problem.atoms.kind != CodeKind::kTriangle;
  options.with_gradient = with_gradient;
  const auto codes =
      make_pooled_codes(problem.patch_spec(), problem.pool, problem.atom_spec(), options);
  ASSERT_GE(codes->most_images(), count);
  const Batch batch(problem, count);
  const Result result = run(*codes, batch, options.float_images, with_gradient);
  expect_close(batch, result, limits_of(options.products, options.every_card));
  EXPECT_EQ(run(*codes, batch, options.float_images, with_gradient), result);
}

void compare_all(const Problem& problem, int count) {
  for (const Products products : {Products::kFloat32, Products::kTf32, Products::kBf16}) {
    for (const bool every_card : {true, false}) {
      SCOPED_TRACE(testing::Message() << "products " << static_cast<int>(products)
                                      << (every_card ? " on every card" : ""));
      compare(problem, count, {.products = products, .every_card = every_card});
    }
  }
}

TEST_F(OnDeviceCodes, EveryCode) {
  for (int kind = 0; kind <= static_cast<int>(CodeKind::kSigmoid); ++kind) {
    SCOPED_TRACE(kind);
    compare_all(Problem(3, 20, 20, 6, 1, 4, 4, static_cast<CodeKind>(kind), 100, 1), 3);
  }
}

TEST_F(OnDeviceCodes, GridsAndSizes) {
  const auto gaussian = CodeKind::kGaussian;
  compare_all(Problem(3, 32, 32, 6, 1, 4, 4, gaussian, 130, 3, -1, true), 4);
  compare_all(Problem(1, 17, 13, 5, 2, 6, 4, CodeKind::kSoftThreshold, 65, 4), 9);
  compare_all(Problem(3, 6, 6, 6, 1, 1, 1, gaussian, 300, 7), 50);
  compare_all(Problem(3, 20, 23, 9, 2, 2, 2, gaussian, 70, 8), 3);      // 243 values
  compare_all(Problem(3, 20, 20, 6, 1, 2, 2, gaussian, 70, 8, 40), 3);  // whitened to 40
  compare_all(Problem(1, 12, 12, 5, 1, 2, 2, gaussian, 33, 8, 0), 3);   // not whitened
}

TEST_F(OnDeviceCodes, ImagesOfFloats) {
  Problem problem(3, 20, 20, 6, 1, 2, 2, CodeKind::kGaussian, 70, 2);
  compare(problem, 5, {.products = Products::kFloat32, .float_images = true});
}

TEST_F(OnDeviceCodes, LittleMemoryMeansSmallerBlocks) {
  const Problem problem(3, 20, 20, 6, 1, 2, 2, CodeKind::kGaussian, 300, 2);
  const auto roomy = make_pooled_codes(problem.patch_spec(), problem.pool, problem.atom_spec(),
                                       {.every_card = true});
  const auto tight =
      make_pooled_codes(problem.patch_spec(), problem.pool, problem.atom_spec(),
                        {.with_gradient = true, .memory_bytes = 8 << 20, .every_card = true});
  EXPECT_LT(tight->most_images(), roomy->most_images());
  const Batch batch(problem, tight->most_images());
  ASSERT_GT(batch.count, 3);
  expect_close(batch, run(*tight, batch, false, true), limits_of(Products::kTf32, true));
}

TEST_F(OnDeviceCodes, ReplacedAtoms) {
  const Problem first(3, 20, 20, 6, 1, 2, 2, CodeKind::kGaussian, 70, 2);
  Problem moved = first;
  for (float& w : moved.W) w *= -1;
  for (const bool every_card : {true, false}) {
    const auto codes = make_pooled_codes(first.patch_spec(), first.pool, first.atom_spec(),
                                         {.with_gradient = true, .every_card = every_card});
    codes->set_atoms(moved.atom_spec());
    const Batch batch(moved, 3);
    expect_close(batch, run(*codes, batch, false, true), limits_of(Products::kTf32, every_card));
  }
}

TEST(PooledCodes, OnlySomeSuitHopper) {
  const Problem problem(3, 20, 20, 6, 1, 2, 2, CodeKind::kGaussian, 70, 2);
  const Problem wide(3, 20, 20, 9, 1, 2, 2, CodeKind::kGaussian, 70, 2);
  const Problem triangle(3, 20, 20, 6, 1, 2, 2, CodeKind::kTriangle, 70, 2);
  const auto suits = [](const Problem& of, const PooledCodesOptions& options) {
    return suits_hopper(of.patch, of.atoms, options);
  };
  EXPECT_TRUE(suits(problem, {}));
  EXPECT_TRUE(suits(triangle, {}));
  EXPECT_TRUE(suits(problem, {.products = Products::kFloat32}));
  EXPECT_TRUE(suits(problem, {.with_gradient = true}));
  EXPECT_FALSE(suits(problem, {.products = Products::kFloat32, .with_gradient = true}));
  EXPECT_FALSE(suits(triangle, {.with_gradient = true}));
  EXPECT_FALSE(suits(problem, {.float_images = true}));
  EXPECT_FALSE(suits(wide, {}));
}

TEST(PooledCodes, ZonesAndCells) {
  PoolSpec pool;
  pool.zones = {{0}, {1}, {2}};
  pool.cells = {{0, 1}, {1, 2}};
  const CellMembers cells = members_of_cells(pool);
  EXPECT_EQ(cells.begins, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(cells.members, (std::vector<int>{0, 1, 1, 2}));
  const CellMembers zones = cells_of_zones(pool);
  EXPECT_EQ(zones.begins, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(zones.members, (std::vector<int>{0, 0, 1, 1}));
}

}  // namespace
}  // namespace krica::device
