// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>

#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/device_needed.hpp"
#include "device/pooled_gradient.hpp"
#include "device/reference.hpp"

namespace krica::device {
namespace {

using OnDeviceGradient = OnDevice;

bool has_shapes(CodeKind kind) {
  return kind == CodeKind::kGaussian || kind == CodeKind::kSoftThreshold ||
         kind == CodeKind::kSigmoid;
}

/// The gradient of L = Σ Q ∘ features against the reference's; the same bits again.
void compare(const Problem& problem, int count, Products precision) {
  const PatchSpec& p = problem.patch;
  const auto images = random_images(count, p.channels, p.height, p.width, 8);
  const DeviceArray<std::uint8_t> on_device(images);
  PooledEncoder encoder(problem.patch_spec(), problem.pool, problem.atom_spec(), precision);
  PooledGradient backward(encoder, problem.pool);
  std::mt19937 random(9);
  std::normal_distribution<float> normal;
  std::vector<float> Q(static_cast<std::size_t>(count) * encoder.features());
  for (float& value : Q) value = normal(random);
  const DeviceArray<float> Q_on_device(Q);
  const auto K = static_cast<std::size_t>(problem.atoms.count);
  const auto n = static_cast<std::size_t>(p.values());
  DeviceArray<float> gradient(std::vector<float>(K * n, NAN));
  DeviceArray<float> shapes(std::vector<float>(K, NAN));
  encoder.read(on_device.data(), count);
  backward.run(Q_on_device.data(), gradient.data(), shapes.data());
  wait_for_device();
  const auto first = gradient.values();
  const auto first_shapes = shapes.values();
  backward.run(Q_on_device.data(), gradient.data(), shapes.data());
  wait_for_device();
  EXPECT_EQ(std::memcmp(first.data(), gradient.values().data(), K * n * 4), 0);
  EXPECT_EQ(std::memcmp(first_shapes.data(), shapes.values().data(), K * 4), 0);
  std::vector<double> expected(K * n, 0.0);
  std::vector<double> expected_shapes(K, 0.0);
  const std::size_t image_bytes = images.size() / static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    add_reference_gradient(problem, images.data() + i * image_bytes,
                           Q.data() + i * encoder.features(), expected, expected_shapes);
  const double limit = precision == Products::kBf16 ? 6e-2 : 1e-2;
  EXPECT_LE(distance(first.data(), expected), limit);
  if (has_shapes(problem.atoms.kind)) {
    EXPECT_LE(distance(first_shapes.data(), expected_shapes), limit);
  }
}

void compare_both(const Problem& problem, int count) {
  compare(problem, count, Products::kBf16x3);
  compare(problem, count, Products::kBf16);
}

TEST_F(OnDeviceGradient, EveryCodeThatHasOne) {
  for (int kind = 0; kind <= static_cast<int>(CodeKind::kSigmoid); ++kind) {
    if (static_cast<CodeKind>(kind) == CodeKind::kTriangle) continue;
    SCOPED_TRACE(kind);
    compare_both(Problem(3, 32, 32, 6, 1, 4, 4, static_cast<CodeKind>(kind), 200, 1), 3);
  }
}

TEST_F(OnDeviceGradient, GridsAndSizes) {
  const auto gaussian = CodeKind::kGaussian;
  compare_both(Problem(3, 32, 32, 6, 1, 2, 2, gaussian, 70, 2), 21);
  compare_both(Problem(3, 32, 32, 6, 1, 4, 4, gaussian, 130, 3, -1, true), 4);
  compare_both(Problem(1, 17, 13, 5, 2, 6, 4, CodeKind::kSoftThreshold, 65, 4), 9);
  compare_both(Problem(1, 28, 28, 8, 1, 2, 2, gaussian, 65, 5), 3);
  compare_both(Problem(3, 96, 80, 6, 1, 1, 2, gaussian, 40, 6), 1);
  compare_both(Problem(3, 6, 6, 6, 1, 1, 1, gaussian, 300, 7), 150);
  compare(Problem(3, 20, 23, 8, 1, 2, 2, gaussian, 70, 8), 3, Products::kBf16);
}

TEST_F(OnDeviceGradient, RefusesWhatHasNoKernel) {
  const auto trouble_with = [](CodeKind kind, int field, Products precision) {
    const Problem problem(3, 16, 16, field, 1, 1, 1, kind, 8, 1);
    PooledEncoder encoder(problem.patch_spec(), problem.pool, problem.atom_spec(), precision);
    try {
      PooledGradient(encoder, problem.pool);
    } catch (const DeviceError& error) {
      return error.trouble();
    }
    return Trouble::kFailed;
  };
  EXPECT_EQ(trouble_with(CodeKind::kTriangle, 6, Products::kBf16), Trouble::kUnsupported);
  EXPECT_EQ(trouble_with(CodeKind::kGaussian, 6, Products::kTf32), Trouble::kUnsupported);
  EXPECT_EQ(trouble_with(CodeKind::kGaussian, 8, Products::kBf16x3), Trouble::kUnsupported);
}

}  // namespace
}  // namespace krica::device
