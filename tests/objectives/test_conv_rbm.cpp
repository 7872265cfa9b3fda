// SPDX-License-Identifier: BSD-3-Clause
//
// The convolutional machine against its energy function: small enough that all states are summed.
#include <gtest/gtest.h>

#include <cmath>

#include "krica/runtime/error.hpp"
#include "objectives/conv_rbm.hpp"
#include "objectives/conv_units.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

/// The state of every block and group: 0 for off, 1 ... 4 for its units. Order: group by group.
using States = std::vector<int>;

double energy(const ConvShape& shape, VisibleUnits visible, const MapMoments& moments,
              const Matrix<double>& packed, const double* v, const States& states) {
  double sum = 0;
  for (Index j = 0; j < shape.input.values(); ++j) {
    const double bias = packed(shape.groups, j / shape.input.pixels());
    sum += visible == VisibleUnits::kBinary
               ? -bias * v[j]
               : (v[j] - bias) * (v[j] - bias) / (2 * moments.variance);
  }
  std::size_t s = 0;
  for (Index k = 0; k < shape.groups; ++k) {
    for (Index block = 0; block < shape.blocks(); ++block, ++s) {
      if (states[s] == 0) continue;
      const Unit unit = unit_of(shape, block, states[s]);
      sum -= input_at(shape, packed, v, k, unit.row, unit.col, moments.mean);
    }
  }
  return sum;
}

template <class Visit>
void for_all_states(const ConvShape& shape, Visit visit) {
  States states(static_cast<std::size_t>(shape.groups * shape.blocks()), 0);
  while (true) {
    visit(states);
    std::size_t at = 0;
    while (at < states.size() && ++states[at] == 5) states[at++] = 0;
    if (at == states.size()) return;
  }
}

/// Two blocks and two groups: 625 states.
const MapMoments kMoments{.mean = {0.4, -0.2}, .variance = 0.6};

class EveryVisible : public testing::TestWithParam<VisibleUnits> {};

TEST_P(EveryVisible, FreeEnergyAndProbabilitiesAreSumsOverAllStates) {
  const ConvShape& shape = kTwoBlocks;
  const Matrix<double> packed = parameters(shape, 5);
  const Matrix<double> v = support::random_matrix<double>(1, shape.input.values(), 6);
  double total = 0;
  std::vector<double> on(static_cast<std::size_t>(shape.groups), 0.0);
  Matrix<double> products(shape.groups, shape.window());
  for_all_states(shape, [&](const States& states) {
    const double weight = std::exp(-energy(shape, GetParam(), kMoments, packed, v.data(), states));
    total += weight;
    std::size_t s = 0;
    for (Index k = 0; k < shape.groups; ++k) {
      for (Index block = 0; block < shape.blocks(); ++block, ++s) {
        if (states[s] == 0) continue;
        on[static_cast<std::size_t>(k)] += weight;
        Matrix<double> windows(4 * shape.blocks(), shape.window());
        read_windows<double>(shape, v.data(), {0, shape.blocks()}, windows);
        windows.view().leftCols(4).array() -= kMoments.mean[0];
        windows.view().rightCols(4).array() -= kMoments.mean[1];
        products.view().row(k) += weight * windows.view().row(4 * block + states[s] - 1);
      }
    }
  });
  const ConvRbm<double> machine(shape, GetParam(), kMoments, packed);
  EXPECT_NEAR(machine.free_energy(v.data()), -std::log(total), 1e-9);
  ConvRbmSums<double> sums(shape);
  machine.add(v.data(), 1, sums);
  for (Index k = 0; k < shape.groups; ++k) {
    EXPECT_NEAR(sums.activity[static_cast<std::size_t>(k)], on[static_cast<std::size_t>(k)] / total,
                1e-9);
  }
  EXPECT_LT((sums.products.view() - products.view() / total).cwiseAbs().maxCoeff(), 1e-9);
}

/// p(v_j | h) from the energies of two states of v_j, for drawn h.
TEST_P(EveryVisible, ReconstructsTheMeanGivenTheUnits) {
  const ConvShape& shape = kTwoBlocks;
  const Matrix<double> packed = parameters(shape, 7);
  const States states = {2, 0, 1, 4};
  Matrix<double> windows(4 * shape.blocks(), shape.window());
  std::size_t s = 0;
  for (Index k = 0; k < shape.groups; ++k) {
    for (Index block = 0; block < shape.blocks(); ++block, ++s) {
      if (states[s] > 0)
        windows.view().row(4 * block + states[s] - 1) += packed.view().row(k).head(shape.window());
    }
  }
  std::vector<double> map(static_cast<std::size_t>(shape.input.values()), 0.0);
  add_windows<double>(shape, windows, {0, shape.blocks()}, map.data());
  ConvRbm<double>(shape, GetParam(), kMoments, packed).reconstruct(map.data());
  std::vector<double> v(map.size(), 0.3);
  for (std::size_t j = 0; j < v.size(); ++j) {
    const auto energy_with = [&](double value) {
      std::vector<double> changed = v;
      changed[j] = value;
      return energy(shape, GetParam(), kMoments, packed, changed.data(), states);
    };
    // A quadratic in v_j has its mean at the minimum; a binary v_j has the odds of its energies.
    const double slope = (energy_with(1) - energy_with(-1)) / 2;
    const double mean = GetParam() == VisibleUnits::kBinary
                            ? 1 / (1 + std::exp(energy_with(1) - energy_with(0)))
                            : -slope * kMoments.variance;
    EXPECT_NEAR(map[j], mean, 1e-9) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(ConvRbm, EveryVisible,
                         testing::Values(VisibleUnits::kGaussian, VisibleUnits::kBinary),
                         [](const auto& tested) {
                           return tested.param == VisibleUnits::kBinary ? "Binary" : "Gaussian";
                         });

/// One block, two groups and nine binary pixels: Z is a sum over 512 maps.
constexpr ConvShape kOneBlock{{3, 3, 1}, 2, 2};

const MapMoments kBitMoments{.mean = {0.3}};

std::vector<double> bits_of(int number) {
  std::vector<double> map;
  for (int j = 0; j < 9; ++j) map.push_back((number >> j) & 1);
  return map;
}

double log_likelihood(const Matrix<double>& packed, const std::vector<int>& data) {
  const ConvRbm<double> machine(kOneBlock, VisibleUnits::kBinary, kBitMoments, packed);
  double Z = 0;
  for (int number = 0; number < 512; ++number)
    Z += std::exp(-machine.free_energy(bits_of(number).data()));
  double sum = 0;
  for (const int number : data) sum -= machine.free_energy(bits_of(number).data()) + std::log(Z);
  return sum / static_cast<double>(data.size());
}

/// With the exact expectation in place of the reconstruction, the statistics are the gradient.
TEST(ConvRbm, StatisticsAreTheGradientOfTheExactLogLikelihood) {
  const Matrix<double> packed = parameters(kOneBlock, 8, 0.4);
  const std::vector<int> data = {3, 17, 258, 511, 77};
  const ConvRbm<double> machine(kOneBlock, VisibleUnits::kBinary, kBitMoments, packed);
  ConvRbmSums<double> sums(kOneBlock);
  for (const int number : data)
    machine.add(bits_of(number).data(), 1.0 / static_cast<double>(data.size()), sums);
  double Z = 0;
  for (int number = 0; number < 512; ++number)
    Z += std::exp(-machine.free_energy(bits_of(number).data()));
  for (int number = 0; number < 512; ++number) {
    const std::vector<double> v = bits_of(number);
    machine.add(v.data(), -std::exp(-machine.free_energy(v.data())) / Z, sums);
  }
  const double step = 1e-5;
  for (Index k = 0; k <= kOneBlock.groups; ++k) {
    for (Index j = 0; j <= kOneBlock.window(); ++j) {
      if (k == kOneBlock.groups && j > 0) continue;  // one visible bias
      Matrix<double> up = packed;
      Matrix<double> down = packed;
      up(k, j) += step;
      down(k, j) -= step;
      const double slope = (log_likelihood(up, data) - log_likelihood(down, data)) / (2 * step);
      double statistic =
          j < kOneBlock.window() && k < kOneBlock.groups ? sums.products(k, j) : sums.visible[0];
      if (k < kOneBlock.groups && j == kOneBlock.window())
        statistic = sums.activity[static_cast<std::size_t>(k)];
      EXPECT_NEAR(statistic, slope, 1e-7) << k << " " << j;
    }
  }
}

struct Problem {
  ConvRbmOptions options{.shape = {{6, 7, 2}, 2, 3}, .sparsity = 0.7, .sparsity_target = 0.1};
  Matrix<double> X = support::random_matrix<double>(9, 84, 9);
  Matrix<double> packed = parameters(options.shape, 10, 0.3);
};

/// Of two channels.
MapMoments naive_moments(const Matrix<double>& X) {
  const auto left = X.view().leftCols(X.cols() / 2).array();
  const auto right = X.view().rightCols(X.cols() / 2).array();
  const double squares =
      (left - left.mean()).square().sum() + (right - right.mean()).square().sum();
  return {{left.mean(), right.mean()}, squares / static_cast<double>(X.size())};
}

/// One draw per block and group, in the documented order.
std::vector<double> naive_reconstruction(const Problem& problem, const MapMoments& moments,
                                         Index image) {
  const ConvShape& shape = problem.options.shape;
  Random random = Context().random("conv_rbm.hidden", static_cast<std::uint64_t>(image));
  Matrix<double> windows(shape.units(), shape.window());
  for (Index block = 0; block < shape.blocks(); ++block) {
    for (Index k = 0; k < shape.groups; ++k) {
      std::vector<double> weights = {0};
      double sum = 1;
      for (int state = 1; state <= 4; ++state) {
        const Unit unit = unit_of(shape, block, state);
        weights.push_back(std::exp(input_at(shape, problem.packed, problem.X.row(image), k,
                                            unit.row, unit.col, moments.mean)));
        sum += weights.back();
      }
      double left = random.uniform() * sum;
      for (int state = 1; state <= 4; ++state) {
        if (left >= 0 && left < weights[static_cast<std::size_t>(state)])
          windows.view().row(4 * block + state - 1) +=
              problem.packed.view().row(k).head(shape.window());
        left -= weights[static_cast<std::size_t>(state)];
      }
    }
  }
  std::vector<double> map(static_cast<std::size_t>(shape.input.values()), 0.0);
  add_windows<double>(shape, windows, {0, shape.blocks()}, map.data());
  ConvRbm<double>(shape, VisibleUnits::kGaussian, moments, problem.packed).reconstruct(map.data());
  return map;
}

/// The derivatives of the free energies by differences.
TEST(ConvRbmObjective, IsTheDirectionOfTheHeader) {
  const Problem problem;
  const ConvShape& shape = problem.options.shape;
  const MapMoments moments = naive_moments(problem.X);
  ConvRbmObjective<double> objective(Context(), problem.X, {}, problem.options);
  EXPECT_NEAR(objective.moments().variance, moments.variance, 1e-12);
  for (std::size_t c = 0; c < 2; ++c)
    EXPECT_NEAR(objective.moments().mean[c], moments.mean[c], 1e-12);
  const auto m = static_cast<double>(problem.X.rows());
  const double N = static_cast<double>(shape.units());
  const auto difference = [&](const Matrix<double>& packed) {
    const ConvRbm<double> machine(shape, VisibleUnits::kGaussian, moments, packed);
    double sum = 0;
    for (Index i = 0; i < problem.X.rows(); ++i) {
      sum += machine.free_energy(problem.X.row(i)) -
             machine.free_energy(naive_reconstruction(problem, moments, i).data());
    }
    return sum / m;
  };
  ConvRbmSums<double> sums(shape);
  const ConvRbm<double> machine(shape, VisibleUnits::kGaussian, moments, problem.packed);
  for (Index i = 0; i < problem.X.rows(); ++i) machine.add(problem.X.row(i), 1 / (m * N), sums);
  Matrix<double> gradient(shape.groups + 1, shape.window() + 1);
  objective.value_and_gradient(Context(), problem.packed, gradient);
  const double step = 1e-5;
  for (Index k = 0; k <= shape.groups; ++k) {
    for (Index j = 0; j <= shape.window(); ++j) {
      const bool visible = k == shape.groups;
      if (visible && j >= shape.input.channels) {
        EXPECT_EQ(gradient(k, j), 0);
        continue;
      }
      Matrix<double> up = problem.packed;
      Matrix<double> down = problem.packed;
      up(k, j) += step;
      down(k, j) -= step;
      double expected = (difference(up) - difference(down)) / (2 * step);
      expected /= visible ? static_cast<double>(shape.input.pixels()) : N;
      if (!visible && j == shape.window())
        expected += 0.7 * (sums.activity[static_cast<std::size_t>(k)] - 0.1);
      EXPECT_NEAR(gradient(k, j), expected, 1e-6) << k << " " << j;
    }
  }
}

TEST(ConvRbmObjective, FloatAgreesWithDouble) {
  const Problem problem;
  ConvRbmObjective<double> wide(Context(), problem.X, {}, problem.options);
  const Matrix<float> X = as<float>(problem.X);
  ConvRbmObjective<float> narrow(Context(), X, {}, problem.options);
  Matrix<double> wide_gradient(4, 9);
  Matrix<float> narrow_gradient(4, 9);
  const double value = wide.value_and_gradient(Context(), problem.packed, wide_gradient);
  EXPECT_NEAR(narrow.value_and_gradient(Context(), as<float>(problem.packed), narrow_gradient),
              value, 1e-4);
  EXPECT_LT(support::relative_error(narrow_gradient, wide_gradient), 1e-4);
}

TEST(ConvRbmObjective, ASecondLayerLearnsFromTheMapsOfTheFirst) {
  const ConvShape first{{12, 11, 1}, 3, 4};
  const Matrix<double> packed = parameters(first, 11);
  std::vector<double> bias(4, -0.5);
  const std::vector<ConvLayer<double>> below = {ConvLayer<double>(
      first, Matrix<double>::copy_of(packed.view().topLeftCorner(4, 9).eval()), bias)};
  const Matrix<double> X = support::random_matrix<double>(6, 132, 12);
  const ConvRbmOptions options{.shape = {first.pooled(), 2, 3}, .visible = VisibleUnits::kBinary};
  Matrix<double> maps(6, first.pooled().values());
  for (Index i = 0; i < 6; ++i) {
    const std::vector<double> map = map_above<double>(below, X.row(i));
    std::copy(map.begin(), map.end(), maps.row(i));
  }
  ConvRbmObjective<double> on_images(Context(), X, below, options);
  ConvRbmObjective<double> on_maps(Context(), maps, {}, options);
  const Matrix<double> W = parameters(options.shape, 13);
  Matrix<double> one(W.rows(), W.cols());
  Matrix<double> other(W.rows(), W.cols());
  EXPECT_EQ(on_images.value_and_gradient(Context(), W, one),
            on_maps.value_and_gradient(Context(), W, other));
  EXPECT_TRUE(support::same_bits(one, other));
}

TEST(ConvRbmObjective, SameBitsForAnyThreads) {
  const ConvRbmOptions options{.shape = {{16, 16, 3}, 4, 6}};
  const Matrix<float> X = support::random_matrix<float>(70, 768, 14);
  const Matrix<float> W = as<float>(parameters(options.shape, 15));
  ConvRbmObjective<float> objective(Context(), X, {}, options);
  Matrix<float> gradient(W.rows(), W.cols());
  const double value = objective.value_and_gradient(Context({.threads = 1}), W, gradient);
  for (const int threads : {2, 3, 5}) {
    Matrix<float> same(W.rows(), W.cols());
    EXPECT_EQ(objective.value_and_gradient(Context({.threads = threads}), W, same), value);
    EXPECT_TRUE(support::same_bits(same, gradient)) << threads;
  }
}

TEST(ConvRbmObjective, RefusesBadInput) {
  const Problem problem;
  const auto refusal = [&](auto change) {
    ConvRbmOptions options = problem.options;
    change(options);
    return support::refusal([&] { ConvRbmObjective<double>(Context(), problem.X, {}, options); });
  };
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_NE(refusal([](auto& o) { o.sparsity = -1; }).find("sparsity"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.sparsity_target = 1; }).find("target"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.shape.field = 6; }).find("6 x 6"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.shape.input.width = 8; }).find("84 values"), std::string::npos);
  Matrix<double> holed = problem.X;
  holed(2, 3) = NAN;
  EXPECT_THROW(ConvRbmObjective<double>(Context(), holed, {}, problem.options), InvalidArgument);
}

}  // namespace
}  // namespace krica
