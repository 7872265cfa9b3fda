// SPDX-License-Identifier: BSD-3-Clause
//
// Options that make no sense are refused, by validate() and by the constructor alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::refusal;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// One fault, put into options that are good otherwise (12 atoms).
template <class Options>
struct BadOptions {
  std::string name;
  std::function<void(Options&)> spoil;
  std::string operation;
  std::string fault;
};

template <class Options>
void expect_refused(const BadOptions<Options>& bad) {
  Options options;
  options.n_components = 12;
  bad.spoil(options);
  const std::string message = refusal([&] { options.validate(); });
  EXPECT_THAT(message, StartsWith("[" + bad.operation + "]"));
  EXPECT_THAT(message, HasSubstr(bad.fault));
  const support::Problem problem = support::random_problem();
  EXPECT_EQ(
      refusal([&] { (void)support::objective_of<double>(problem.X, options, problem.labels); }),
      message);
}

class BadKricaOptions : public testing::TestWithParam<BadOptions<KricaOptions>> {};
TEST_P(BadKricaOptions, AreRefusedWithTheirValues) { expect_refused(GetParam()); }

std::vector<BadOptions<KricaOptions>> bad_krica_options() {
  using enum KernelKind;
  return {
      {"SparsityNegative", [](auto& o) { o.sparsity = -1; }, "krica",
       "sparsity must be finite and >= 0, got -1"},
      {"SparsityNan", [](auto& o) { o.sparsity = kNan; }, "krica", "got nan"},
      {"SparsityInf", [](auto& o) { o.sparsity = kInf; }, "krica", "got inf"},
      {"EpsilonZero", [](auto& o) { o.epsilon = 0; }, "krica",
       "epsilon must be finite and > 0, got 0"},
      {"EpsilonNegative", [](auto& o) { o.epsilon = -1e-4; }, "krica", "got -0.0001"},
      {"EpsilonNan", [](auto& o) { o.epsilon = kNan; }, "krica", "got nan"},
      {"ReconstructionNegative", [](auto& o) { o.reconstruction = -2; }, "krica",
       "reconstruction must be finite and >= 0, got -2"},
      {"ReconstructionInf", [](auto& o) { o.reconstruction = kInf; }, "krica", "got inf"},
      {"BlockRowsNegative", [](auto& o) { o.block_rows = -5; }, "krica",
       "block_rows must be >= 0, got -5"},
      {"GammaZero", [](auto& o) { o.kernel.gamma = 0; }, "kernel",
       "gamma must be finite and > 0, got 0"},
      {"GammaNan", [](auto& o) { o.kernel.gamma = kNan; }, "kernel", "got nan"},
      {"Scale", [](auto& o) { o.kernel = {.kind = kInverseDistance, .scale = -1}; }, "kernel",
       "scale must be finite and > 0, got -1"},
      {"Degree", [](auto& o) { o.kernel = {.kind = kPolynomial, .degree = 0}; }, "kernel",
       "degree must be 1 to 32, got 0"},
      {"Groups", [](auto& o) { o.groups = AtomGroups::of_size(5); }, "pooling-groups",
       "groups of 5 do not divide 12 atoms"},
      {"Grid",
       [](auto& o) {
         o.groups = AtomGroups::topographic();
         o.groups.grid_rows = 5;
         o.groups.grid_cols = 2;
       },
       "pooling-groups", "5 x 2 is not filled by 12 atoms"},
      {"Custom", [](auto& o) { o.groups = AtomGroups::custom({1}); }, "pooling-groups",
       "1 weights given, 12 x 12 needed"},
      {"ClassWeight", [](auto& o) { o.discrimination.weight = -0.5; }, "discrimination",
       "weight must be finite and >= 0, got -0.5"},
      {"Elastic", [](auto& o) { o.discrimination.elastic = -1; }, "discrimination",
       "elastic must be finite and >= 0, got -1"},
  };
}

INSTANTIATE_TEST_SUITE_P(Krica, BadKricaOptions, testing::ValuesIn(bad_krica_options()),
                         [](const auto& test) { return test.param.name; });

class BadRicaOptions : public testing::TestWithParam<BadOptions<RicaOptions>> {};
TEST_P(BadRicaOptions, AreRefusedWithTheirValues) { expect_refused(GetParam()); }

std::vector<BadOptions<RicaOptions>> bad_rica_options() {
  return {
      {"WeightNegative", [](auto& o) { o.weight = -1; }, "rica",
       "weight must be finite and >= 0, got -1"},
      {"WeightNan", [](auto& o) { o.weight = kNan; }, "rica", "got nan"},
      {"EpsilonZero", [](auto& o) { o.epsilon = 0; }, "rica",
       "epsilon must be finite and > 0, got 0"},
      {"EpsilonInf", [](auto& o) { o.epsilon = kInf; }, "rica", "got inf"},
      {"BlockRowsNegative", [](auto& o) { o.block_rows = -1; }, "rica",
       "block_rows must be >= 0, got -1"},
      {"SignZero",
       [](auto& o) {
         o.sign.assign(12, 1);
         o.sign[1] = 0;
       },
       "rica", "sign must be +1 or -1, got 0 for atom 1"},
      {"SignTwo", [](auto& o) { o.sign.assign(12, 2); }, "rica", "got 2 for atom 0"},
      {"SignsTooFew",
       [](auto& o) {
         o.sign = {1, -1};
       },
       "rica", "2 signs for 12 atoms"},
      {"Groups", [](auto& o) { o.groups = AtomGroups::of_size(5); }, "pooling-groups",
       "groups of 5"},
      {"Prime",
       [](auto& o) {
         o.n_components = 13;
         o.groups = AtomGroups::topographic();
       },
       "pooling-groups", "13 atoms"},
      {"CustomNegative", [](auto& o) { o.groups = AtomGroups::custom(std::vector(144, -1.0)); },
       "pooling-groups", "got -1 at row 0, column 0"},
      {"ClassWeight", [](auto& o) { o.discrimination.weight = kInf; }, "discrimination", "got inf"},
      {"Elastic", [](auto& o) { o.discrimination.elastic = kNan; }, "discrimination", "got nan"},
  };
}

INSTANTIATE_TEST_SUITE_P(Rica, BadRicaOptions, testing::ValuesIn(bad_rica_options()),
                         [](const auto& test) { return test.param.name; });

TEST(Options, OfNothingButTheNumberOfAtomsAreGood) {
  EXPECT_NO_THROW(KricaOptions{.n_components = 1}.validate());
  EXPECT_NO_THROW(RicaOptions{.n_components = 1}.validate());
}

}  // namespace
}  // namespace krica
