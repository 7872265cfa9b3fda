// SPDX-License-Identifier: BSD-3-Clause
//
// Fused pooling against the encoder, patch by patch, with every instruction set that this processor
// has. Built a second time with Highway's scalar fallback only.
#include <fmt/format.h>

#include <cmath>

#include "features/fused_pooling.hpp"
#include "support/instruction_sets.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

struct Code {
  std::string name;
  EncoderOptions options;
  bool shapes = false;  // one γ an atom
  double tolerance = 2e-5;
};

std::vector<Code> codes() {
  const auto kernel = [](KernelKind kind, double gamma = 1) {
    return EncoderOptions{EncoderKind::kKernel, {.kind = kind, .gamma = gamma, .scale = 0.7}};
  };
  return {{"gaussian", kernel(KernelKind::kGaussian)},
          // The exponent's rounding: about γ (‖w‖² + ‖x‖²) 1e-7.
          {"sharp_gaussian", kernel(KernelKind::kGaussian, 200), false, 5e-4},
          {"gaussian_of_many_widths", kernel(KernelKind::kGaussian), true},
          {"inverse_square_distance", kernel(KernelKind::kInverseSquareDistance)},
          {"inverse_distance", kernel(KernelKind::kInverseDistance)},
          {"polynomial", kernel(KernelKind::kPolynomial)},
          {"linear", kernel(KernelKind::kLinear)},
          {"abs", {EncoderKind::kAbs}},
          {"signed_linear", {EncoderKind::kLinear}},
          {"triangle", {EncoderKind::kTriangle}},
          {"hard", {EncoderKind::kHard}},
          {"soft_threshold", {EncoderKind::kSoftThreshold, {}, 0.3}},
          {"soft_threshold_of_many_thresholds", {EncoderKind::kSoftThreshold}, true}};
}

std::vector<float> shapes_of(Index K) {
  std::vector<float> shapes;
  for (Index u = 0; u < K; ++u) shapes.push_back(0.3F + 0.1F * static_cast<float>(u % 20));
  return shapes;
}

/// Cells of many sizes, an empty one among them, which do not cover all rows.
std::vector<Range> cells_of_many_sizes() {
  return {{0, 1}, {1, 9}, {9, 9}, {10, 27}, {27, 30}, {30, 63}};
}
constexpr Index kPatches = 64;

std::vector<double> naive_sums(const Encoder& encoder, const Matrix<float>& patches,
                               std::span<const Range> cells) {
  std::vector<double> sums;
  Matrix<float> codes(patches.rows(), encoder.channels());
  encoder.encode(patches, codes);
  for (const Range cell : cells) {
    for (Index u = 0; u < encoder.channels(); ++u) {
      double sum = 0;
      for (Index i = cell.begin; i < cell.end; ++i) sum += static_cast<double>(codes(i, u));
      sums.push_back(sum);
    }
  }
  return sums;
}

void expect_same(const Code& code, Index K, Index n) {
  Matrix<float> atoms = support::random_matrix<float>(K, n, 1);
  Matrix<float> patches = support::random_matrix<float>(kPatches, n, 2);
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(n)));
  for (Index e = 0; e < atoms.size(); ++e) atoms.data()[e] *= scale;
  for (Index e = 0; e < patches.size(); ++e) patches.data()[e] *= scale;
  const std::vector<float> shapes = code.shapes ? shapes_of(K) : std::vector<float>();
  const Encoder encoder(code.options, atoms, shapes);
  const std::vector<Range> cells = cells_of_many_sizes();
  const auto wanted = naive_sums(encoder, patches, cells);

  std::vector<float> sums(wanted.size(), 1.0F);  // added to, not overwritten
  const auto fused = FusedPooling::of(encoder);
  ASSERT_NE(fused, nullptr);
  fused->add(patches, cells, sums.data());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(sums[i]) - 1, wanted[i],
                code.tolerance * (1 + std::abs(wanted[i])))
        << "K " << K << ", n " << n << ", feature " << i;
  }
}

class EveryCode : public testing::TestWithParam<Code> {};

TEST_P(EveryCode, IsTheEncodersOnEveryInstructionSet) {
  support::with_every_instruction_set([] {
    for (const Index K : {1, 5, 16, 47, 48, 49, 100}) {
      for (const Index n : {1, 7, 108}) expect_same(GetParam(), K, n);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(FusedPooling, EveryCode, testing::ValuesIn(codes()),
                         [](const auto& code) { return code.param.name; });

TEST(FusedPooling, IsThereForProductsOnly) {
  const Matrix<float> atoms = support::random_matrix<float>(5, 4, 1);
  const EncoderOptions intersection{EncoderKind::kKernel,
                                    {.kind = KernelKind::kHistogramIntersection}};
  EXPECT_EQ(FusedPooling::of(Encoder(intersection, atoms)), nullptr);
}

/// The distance kernels' values at distance 0, with the floor of the inverse distance. Small whole
/// numbers, so that the distance comes out as 0.
TEST(FusedPooling, OfAPatchOnAnAtomIsTheKernelsValue) {
  Matrix<float> atoms(1, 4);
  for (Index j = 0; j < 4; ++j) atoms(0, j) = static_cast<float>(j - 1);
  for (const KernelKind kind :
       {KernelKind::kGaussian, KernelKind::kInverseDistance, KernelKind::kInverseSquareDistance}) {
    const Kernel kernel{.kind = kind, .gamma = 3, .scale = 100};
    const std::vector<Range> cells = {{0, 1}};
    float sum = 0;
    FusedPooling::of(Encoder({EncoderKind::kKernel, kernel}, atoms))->add(atoms, cells, &sum);
    EXPECT_NEAR(sum, kernel_value(kernel, atoms.row(0), atoms.row(0), 4), 1e-6) << name_of(kind);
  }
}

TEST(FusedPooling, APatchFarAwayHasNoCodeAndOneOnAnAtomHasOne) {
  Matrix<float> atoms(1, 4);
  for (Index j = 0; j < 4; ++j) atoms(0, j) = 1;
  Matrix<float> patches(2, 4);
  for (Index j = 0; j < 4; ++j) {
    patches(0, j) = 1;
    patches(1, j) = 1e4F;
  }
  const Encoder encoder({EncoderKind::kKernel, {.gamma = 3}}, atoms);
  std::vector<float> sums(2, 0.0F);
  const std::vector<Range> cells = {{0, 1}, {1, 2}};
  FusedPooling::of(encoder)->add(patches, cells, sums.data());
  EXPECT_NEAR(sums[0], 1, 1e-5);
  EXPECT_GE(sums[1], 0);
  EXPECT_LT(sums[1], 1e-30);
}

}  // namespace
}  // namespace krica
