// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/features/encoder.hpp"
#include "krica/runtime/error.hpp"
#include "solvers/gram_lasso.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

/// The formulas of the header, one patch and in double.
std::vector<double> expected_code(const EncoderOptions& options, const Matrix<float>& atoms,
                                  const std::vector<float>& bias, const float* x) {
  const Index K = atoms.rows();
  const Index n = atoms.cols();
  std::vector<double> dots;
  std::vector<double> distances;
  for (Index u = 0; u < K; ++u) {
    double dot = 0;
    double squared = 0;
    for (Index j = 0; j < n; ++j) {
      const double w = atoms(u, j);
      dot += w * x[j];
      squared += (w - x[j]) * (w - x[j]);
    }
    dots.push_back(dot);
    distances.push_back(std::sqrt(squared));
  }
  double mean = 0;
  Index nearest = 0;
  for (Index u = 0; u < K; ++u) {
    mean += distances[static_cast<std::size_t>(u)] / static_cast<double>(K);
    if (distances[static_cast<std::size_t>(u)] < distances[static_cast<std::size_t>(nearest)])
      nearest = u;
  }
  std::vector<double> code;
  for (Index u = 0; u < K; ++u) {
    const double dot = dots[static_cast<std::size_t>(u)];
    const double distance = distances[static_cast<std::size_t>(u)];
    if (options.kind == EncoderKind::kKernel)
      code.push_back(std::exp(-options.kernel.gamma * distance * distance));
    if (options.kind == EncoderKind::kAbs) code.push_back(std::abs(dot));
    if (options.kind == EncoderKind::kLinear) code.push_back(dot);
    if (options.kind == EncoderKind::kTriangle) code.push_back(std::max(0.0, mean - distance));
    if (options.kind == EncoderKind::kHard) code.push_back(u == nearest ? 1 : 0);
    if (options.kind == EncoderKind::kSoftThreshold)
      code.push_back(std::max(0.0, dot - options.threshold));
    if (options.kind == EncoderKind::kSoftAbs) code.push_back(std::sqrt(dot * dot + 1e-8));
    if (options.kind == EncoderKind::kSigmoid)
      code.push_back(1 / (1 + std::exp(-dot - bias[static_cast<std::size_t>(u)])));
  }
  if (options.kind == EncoderKind::kSoftThreshold) {
    for (const double dot : dots) code.push_back(std::max(0.0, -dot - options.threshold));
  }
  return code;
}

class EveryEncoder : public testing::TestWithParam<EncoderKind> {};

TEST_P(EveryEncoder, IsItsFormula) {
  const EncoderOptions options{.kind = GetParam(), .kernel = {.gamma = 0.3}, .threshold = 0.4};
  const Matrix<float> atoms = support::random_matrix<float>(37, 9, 1);
  const Matrix<float> patches = support::random_matrix<float>(11, 9, 2);
  std::vector<float> bias;
  for (Index u = 0; u < 37; ++u) bias.push_back(0.1F * static_cast<float>(u) - 2);
  const bool biased = GetParam() == EncoderKind::kSigmoid;
  const Encoder encoder(options, atoms, biased ? bias : std::vector<float>());
  EXPECT_EQ(encoder.channels(), GetParam() == EncoderKind::kSoftThreshold ? 74 : 37);
  Matrix<float> codes(11, encoder.channels());
  encoder.encode(patches, codes);
  for (Index i = 0; i < 11; ++i) {
    const std::vector<double> expected = expected_code(options, atoms, bias, patches.row(i));
    for (Index u = 0; u < codes.cols(); ++u) {
      EXPECT_NEAR(codes(i, u), expected[static_cast<std::size_t>(u)], 2e-5) << i << " " << u;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Encoder, EveryEncoder,
                         testing::Values(EncoderKind::kKernel, EncoderKind::kAbs,
                                         EncoderKind::kTriangle, EncoderKind::kHard,
                                         EncoderKind::kSoftThreshold, EncoderKind::kSoftAbs,
                                         EncoderKind::kSigmoid, EncoderKind::kLinear),
                         [](const auto& tested) {
                           std::string name(name_of(tested.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(Encoder, LassoCodesAreNearlyTheLeastCost) {
  const EncoderOptions options{
      .kind = EncoderKind::kLasso, .kernel = {.gamma = 0.2}, .sparsity = 0.05};
  const Matrix<float> atoms = support::random_matrix<float>(37, 4, 1);
  const Matrix<float> patches = support::random_matrix<float>(11, 4, 2);
  const Encoder encoder(options, atoms);
  Matrix<float> codes(11, encoder.channels());
  encoder.encode(patches, codes);
  Matrix<double> G(37, 37);
  for (Index u = 0; u < 37; ++u) {
    for (Index v = 0; v < 37; ++v)
      G(u, v) = kernel_value(options.kernel, atoms.row(u), atoms.row(v), 4);
  }
  const GramLasso<double> exact(G, {.sparsity = 0.05, .tolerance = 1e-12, .max_sweeps = 100000});
  for (Index i = 0; i < 11; ++i) {
    std::vector<double> c;
    for (Index u = 0; u < 37; ++u)
      c.push_back(kernel_value(options.kernel, atoms.row(u), patches.row(i), 4));
    std::vector<double> best(37, 0.0);
    const double least = exact.solve(c, 1.0, best).value;
    // The code's size is given; with the signs of the exact one its cost is nearly as low.
    double cost = 1;
    for (Index u = 0; u < 37; ++u) {
      EXPECT_GE(codes(i, u), 0);
      const auto signed_code = [&](Index v) {
        return std::copysign(static_cast<double>(codes(i, v)), best[static_cast<std::size_t>(v)]);
      };
      cost += 0.05 * static_cast<double>(codes(i, u)) -
              2 * signed_code(u) * c[static_cast<std::size_t>(u)];
      for (Index v = 0; v < 37; ++v) cost += signed_code(u) * G(u, v) * signed_code(v);
    }
    EXPECT_LT(cost - least, 1e-3);
  }
  EXPECT_THROW(Encoder({.kind = EncoderKind::kLasso, .sparsity = 0}, atoms), InvalidArgument);
}

TEST(Encoder, SparseCodesKeepOrLoseTheirSigns) {
  const Matrix<float> atoms = support::random_matrix<float>(30, 8, 1);
  const Matrix<float> patches = support::random_matrix<float>(12, 8, 2);
  const auto codes_of = [&](EncoderKind kind) {
    const EncoderOptions options{
        .kind = kind, .kernel = {.kind = KernelKind::kLinear}, .sparsity = 0.5, .nonzeros = 3};
    Matrix<float> codes(12, 30);
    Encoder(options, atoms).encode(patches, codes);
    return codes;
  };
  for (const auto& [plain, with_signs] :
       {std::pair{EncoderKind::kOmp, EncoderKind::kSignedOmp},
        std::pair{EncoderKind::kLasso, EncoderKind::kSignedLasso}}) {
    const Matrix<float> magnitudes = codes_of(plain);
    const Matrix<float> values = codes_of(with_signs);
    EXPECT_TRUE(magnitudes.view() == values.view().cwiseAbs());
    EXPECT_LT(values.view().minCoeff(), 0);
    const RowMajor<float> errors = patches.view() - values.view() * atoms.view();
    EXPECT_LT(errors.squaredNorm(), 0.6F * patches.view().squaredNorm()) << name_of(plain);
  }
  for (Index i = 0; i < 12; ++i)
    EXPECT_EQ((codes_of(EncoderKind::kOmp).view().row(i).array() != 0).count(), 3);
  EXPECT_THROW(Encoder({.kind = EncoderKind::kOmp, .nonzeros = 0}, atoms), InvalidArgument);
}

TEST(Encoder, SurvivesAnArchive) {
  const Matrix<float> atoms = support::random_matrix<float>(3, 2, 1);
  const EncoderOptions options{.kind = EncoderKind::kSigmoid};
  for (const std::vector<float>& bias : {std::vector<float>{}, std::vector<float>{1, -2, 3}}) {
    Archive archive;
    Encoder(options, atoms, bias).save(archive);
    const Encoder loaded = Encoder::load(options, archive);
    EXPECT_TRUE(loaded.atoms() == atoms.view());
    EXPECT_EQ(std::vector<float>(loaded.shapes().begin(), loaded.shapes().end()), bias);
  }
}

TEST(Encoder, RefusesBadInput) {
  Matrix<float> atoms = support::random_matrix<float>(3, 2, 1);
  EXPECT_THROW(Encoder({.kernel = {.gamma = -1}}, atoms), InvalidArgument);
  EXPECT_THROW(Encoder({.threshold = -0.1}, atoms), InvalidArgument);
  EXPECT_THROW(Encoder({}, Matrix<float>(0, 2)), InvalidArgument);
  const std::vector<float> two = {1, 2};
  EXPECT_THROW(Encoder({.kind = EncoderKind::kSigmoid}, atoms, two), InvalidArgument);
  const std::vector<float> holed = {1, NAN, 2};
  EXPECT_THROW(Encoder({.kind = EncoderKind::kSigmoid}, atoms, holed), InvalidArgument);
  const std::vector<float> three = {1, 2, 3};
  EXPECT_THROW(Encoder({.kind = EncoderKind::kTriangle}, atoms, three), InvalidArgument);
  EXPECT_THROW(Encoder({.kind = EncoderKind::kLasso}, atoms, three), InvalidArgument);
  atoms(1, 1) = NAN;
  EXPECT_THROW(Encoder({}, atoms), InvalidArgument);
  EXPECT_THROW(encoder_kind("triangular"), InvalidArgument);
}

TEST(Encoder, EveryAtomMayHaveItsOwnWidth) {
  const Matrix<float> atoms = support::random_matrix<float>(3, 9, 1);
  const Matrix<float> patches = support::random_matrix<float>(4, 9, 2);
  const std::vector<float> gammas = {0.05F, 0.1F, 0.2F};
  const Encoder encoder({.kernel = {.gamma = 7}}, atoms, gammas);
  Matrix<float> codes(4, 3);
  encoder.encode(patches, codes);
  for (Index i = 0; i < 4; ++i) {
    for (Index u = 0; u < 3; ++u) {
      const Kernel own{.gamma = static_cast<double>(gammas[static_cast<std::size_t>(u)])};
      EXPECT_NEAR(codes(i, u), kernel_value(own, atoms.row(u), patches.row(i), 9), 1e-6);
    }
  }
  EXPECT_THROW(Encoder({}, atoms, std::vector<float>{1, 2}), InvalidArgument);
  EXPECT_THROW(Encoder({}, atoms, std::vector<float>{1, 0, 2}), InvalidArgument);
}

TEST(Encoder, EveryAtomMayHaveItsOwnThreshold) {
  const Matrix<float> atoms = support::random_matrix<float>(3, 9, 1);
  const Matrix<float> patches = support::random_matrix<float>(4, 9, 2);
  const std::vector<float> thresholds = {0.05F, -0.1F, 1.2F};
  const Encoder encoder({.kind = EncoderKind::kSoftThreshold, .threshold = 7}, atoms, thresholds);
  Matrix<float> codes(4, 6);
  encoder.encode(patches, codes);
  for (Index i = 0; i < 4; ++i) {
    for (Index u = 0; u < 3; ++u) {
      const float dot = patches.view().row(i).dot(atoms.view().row(u));
      const float t = thresholds[static_cast<std::size_t>(u)];
      EXPECT_NEAR(codes(i, u), std::max(0.0F, dot - t), 1e-5);
      EXPECT_NEAR(codes(i, 3 + u), std::max(0.0F, -dot - t), 1e-5);
    }
  }
  Archive archive;
  encoder.save(archive);
  EXPECT_TRUE(archive.has("atom_thresholds"));
}

}  // namespace
}  // namespace krica
