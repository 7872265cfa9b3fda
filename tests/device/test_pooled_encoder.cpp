// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>

#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/device_needed.hpp"
#include "device/pooled_encoder.hpp"
#include "device/reference.hpp"

namespace krica::device {
namespace {

constexpr Products kPrecisions[] = {Products::kFloat32, Products::kTf32, Products::kBf16x3,
                                    Products::kBf16};

double tolerance(Products precision) {
  switch (precision) {
    case Products::kFloat32:
      return 1e-5;
    case Products::kTf32:
      return 1e-3;
    case Products::kBf16x3:
      return 2e-5;
    default:
      return 1e-2;
  }
}

std::vector<float> encode(PooledEncoder& encoder, const DeviceArray<std::uint8_t>& images,
                          int count) {
  const std::size_t size = static_cast<std::size_t>(count) * encoder.features();
  DeviceArray<float> features(std::vector<float>(size, NAN));
  encoder.encode(images.data(), count, features.data());
  wait_for_device();
  return features.values();
}

/// First and last image against the reference; the same bits again and one image at a time.
void compare(const Problem& problem, int count, Products precision) {
  const PatchSpec& p = problem.patch;
  const auto images = random_images(count, p.channels, p.height, p.width, 7);
  const DeviceArray<std::uint8_t> on_device(images);
  PooledEncoder encoder(problem.patch_spec(), problem.pool, problem.atom_spec(), precision);
  const auto features = encode(encoder, on_device, count);
  const std::size_t image_bytes = images.size() / static_cast<std::size_t>(count);
  for (int i = 0; i < count; i += std::max(1, count - 1)) {
    const auto at = static_cast<std::size_t>(i);
    const auto reference = reference_features(problem, images.data() + at * image_bytes);
    EXPECT_LE(distance(features.data() + at * encoder.features(), reference), tolerance(precision))
        << "image " << i << ", precision " << static_cast<int>(precision);
  }
  const auto again = encode(encoder, on_device, count);
  encoder.scratch_limit = 1;  // one image at a time
  const auto single = encode(encoder, on_device, count);
  EXPECT_EQ(std::memcmp(features.data(), again.data(), features.size() * 4), 0);
  EXPECT_EQ(std::memcmp(features.data(), single.data(), features.size() * 4), 0);
}

void compare_all(const Problem& problem, int count) {
  for (const Products precision : kPrecisions) compare(problem, count, precision);
}

TEST(PooledEncoder, ChecksItsArgumentsBeforeItLooksForADevice) {
  const Problem wide(3, 32, 32, 9, 1, 2, 2, CodeKind::kGaussian, 8, 17);
  try {
    PooledEncoder(wide.patch_spec(), wide.pool, wide.atom_spec(), Products::kTf32);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kUnsupported) << error.what();
  }
  EXPECT_THROW(PooledEncoder(wide.patch_spec(), {}, wide.atom_spec(), Products::kTf32),
               std::invalid_argument);
}

TEST(PooledEncoder, WithoutADeviceSaysSo) {
  const Problem small(3, 8, 8, 6, 1, 1, 1, CodeKind::kGaussian, 8, 17);
  if (has_device()) {
    EXPECT_NO_THROW(
        PooledEncoder(small.patch_spec(), small.pool, small.atom_spec(), Products::kTf32));
    return;
  }
  try {
    PooledEncoder(small.patch_spec(), small.pool, small.atom_spec(), Products::kTf32);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kNoDevice) << error.what();
  }
}

using OnDeviceEncoder = OnDevice;

TEST_F(OnDeviceEncoder, EveryCode) {
  for (int kind = 0; kind <= static_cast<int>(CodeKind::kSigmoid); ++kind) {
    SCOPED_TRACE(kind);
    compare_all(Problem(3, 32, 32, 6, 1, 2, 2, static_cast<CodeKind>(kind), 200, 1), 2);
  }
}

TEST_F(OnDeviceEncoder, Grids) {
  const auto gaussian = CodeKind::kGaussian;
  compare_all(Problem(3, 32, 32, 6, 1, 4, 4, gaussian, 193, 2), 3);
  compare_all(Problem(3, 32, 32, 6, 1, 4, 4, gaussian, 64, 3, -1, true), 1);
  compare_all(Problem(3, 32, 32, 6, 1, 1, 1, CodeKind::kTriangle, 129, 4), 2);
  compare_all(Problem(1, 17, 13, 5, 2, 3, 3, gaussian, 65, 5), 37);
  compare_all(Problem(3, 32, 32, 5, 3, 3, 2, gaussian, 1, 8), 2);
}

TEST_F(OnDeviceEncoder, PatchesOfEverySize) {
  const auto gaussian = CodeKind::kGaussian;
  compare_all(Problem(3, 20, 23, 8, 1, 1, 3, gaussian, 70, 6), 5);
  compare_all(Problem(1, 28, 28, 8, 1, 2, 2, CodeKind::kSoftThreshold, 100, 7), 3);
  compare_all(Problem(3, 32, 32, 6, 1, 2, 2, gaussian, 90, 9, 50), 2);
  compare_all(Problem(3, 6, 6, 6, 1, 1, 1, gaussian, 300, 11), 150);
  compare_all(Problem(1, 1, 1, 1, 1, 1, 1, CodeKind::kLinear, 3, 12), 4);
}

TEST_F(OnDeviceEncoder, LargeImages) {
  compare_all(Problem(3, 96, 80, 6, 1, 1, 2, CodeKind::kGaussian, 40, 15), 1);
  compare_all(Problem(3, 301, 277, 6, 5, 2, 2, CodeKind::kGaussian, 40, 16), 2);
}

TEST_F(OnDeviceEncoder, StepsOfThePreprocessingLeftOut) {
  compare_all(Problem(3, 32, 32, 6, 1, 2, 2, CodeKind::kGaussian, 90, 10, 0), 2);
  Problem long_patches(3, 32, 32, 6, 1, 2, 2, CodeKind::kInverseSquareDistance, 90, 13);
  long_patches.patch.unit_norm = false;
  compare_all(long_patches, 2);
  Problem raw(3, 16, 16, 6, 1, 2, 2, CodeKind::kAbs, 90, 14);
  raw.patch.contrast_epsilon = 0;
  compare_all(raw, 2);
}

}  // namespace
}  // namespace krica::device
