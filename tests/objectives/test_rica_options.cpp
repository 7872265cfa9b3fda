// SPDX-License-Identifier: BSD-3-Clause
//
// RICA's names and named conventions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krica/objectives/rica.hpp"
#include "krica/runtime/words.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::evaluate;
using support::refusal;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Options of which every field differs from its default.
RicaOptions unusual() {
  RicaOptions options = {.n_components = 12,
                         .contrast = Contrast::kExp,
                         .weight = 0.3,
                         .weight_on = WeightOn::kReconstruction,
                         .reduce = Reduce::kSum,
                         .row_norm = RowNorm::kSoft,
                         .epsilon = 0.5,
                         .groups = AtomGroups::topographic(),
                         .block_rows = 7};
  options.sign.assign(12, -1);
  options.discrimination.weight = 2;
  return options;
}

void expect_the_rest_unchanged(const RicaOptions& options) {
  EXPECT_EQ(options.n_components, 12);
  EXPECT_EQ(options.weight, 0.3);
  EXPECT_EQ(options.epsilon, 0.5);
  EXPECT_EQ(options.groups.kind, AtomGrouping::kTopographic);
  EXPECT_EQ(options.sign, std::vector<int>(12, -1));
  EXPECT_EQ(options.discrimination.weight, 2);
  EXPECT_EQ(options.block_rows, 7);
}

struct Convention {
  std::string name;
  Contrast contrast;
  WeightOn weight_on;
  RowNorm row_norm;
};

class Conventions : public testing::TestWithParam<Convention> {};

TEST_P(Conventions, SetFourOptionsAndLeaveTheRest) {
  RicaOptions options = unusual();
  apply_convention(options, from_words<RicaConvention>(GetParam().name, "convention"));
  EXPECT_EQ(options.contrast, GetParam().contrast);
  EXPECT_EQ(options.weight_on, GetParam().weight_on);
  EXPECT_EQ(options.reduce, Reduce::kMean);
  EXPECT_EQ(options.row_norm, GetParam().row_norm);
  expect_the_rest_unchanged(options);
}

INSTANTIATE_TEST_SUITE_P(
    Rica, Conventions,
    testing::Values(Convention{"paper", Contrast::kL2Pooling, WeightOn::kSparsity, RowNorm::kNone},
                    Convention{"le", Contrast::kSmoothL1, WeightOn::kSparsity, RowNorm::kSoft},
                    Convention{"matlab", Contrast::kMatlabLogCosh, WeightOn::kReconstruction,
                               RowNorm::kExact}),
    [](const auto& test) { return test.param.name; });

TEST(Conventions, PaperWithoutPoolingIsSmoothL1) {
  RicaOptions paper = {.n_components = 12};
  apply_convention(paper, RicaConvention::kPaper);
  RicaOptions smooth = paper;
  smooth.contrast = Contrast::kSmoothL1;
  const auto problem = support::random_problem();
  const auto a = evaluate<double>(Context(), problem, paper);
  const auto b = evaluate<double>(Context(), problem, smooth);
  EXPECT_TRUE(support::same_bits(a.value, b.value));
  EXPECT_TRUE(support::same_bits(a.gradient, b.gradient));
}

TEST(Conventions, UnknownOnesAreRefusedByName) {
  EXPECT_THAT(refusal([] { from_words<RicaConvention>("octave", "convention"); }),
              AllOf(HasSubstr("convention 'octave'"), HasSubstr("paper, le, matlab")));
}

TEST(RicaNames, MakeTheRoundTrip) {
  for (const auto value : {Contrast::kSmoothL1, Contrast::kLogCosh, Contrast::kMatlabLogCosh,
                           Contrast::kExp, Contrast::kL2Pooling})
    EXPECT_EQ(contrast(name_of(value)), value);
  for (const auto value : {WeightOn::kSparsity, WeightOn::kReconstruction})
    EXPECT_EQ(weight_on(name_of(value)), value);
  for (const auto value : {Reduce::kMean, Reduce::kSum}) EXPECT_EQ(reduce(name_of(value)), value);
  for (const auto value : {RowNorm::kNone, RowNorm::kSoft, RowNorm::kExact})
    EXPECT_EQ(row_norm(name_of(value)), value);
}

TEST(RicaNames, AreThoseOfTheCommandLine) {
  EXPECT_EQ(name_of(Contrast::kSmoothL1), "smooth-l1");
  EXPECT_EQ(name_of(Contrast::kLogCosh), "logcosh");
  EXPECT_EQ(name_of(Contrast::kMatlabLogCosh), "matlab-logcosh");
  EXPECT_EQ(name_of(Contrast::kExp), "exp");
  EXPECT_EQ(name_of(Contrast::kL2Pooling), "l2-pooling");
  EXPECT_EQ(name_of(WeightOn::kSparsity), "sparsity");
  EXPECT_EQ(name_of(WeightOn::kReconstruction), "reconstruction");
  EXPECT_EQ(name_of(Reduce::kMean), "mean");
  EXPECT_EQ(name_of(Reduce::kSum), "sum");
  EXPECT_EQ(name_of(RowNorm::kNone), "none");
  EXPECT_EQ(name_of(RowNorm::kSoft), "soft");
  EXPECT_EQ(name_of(RowNorm::kExact), "exact");
}

TEST(RicaNames, UnknownOnesAreRefusedWithTheKnownOnes) {
  EXPECT_THAT(refusal([] { (void)contrast("l1"); }),
              AllOf(StartsWith("[contrast]"), HasSubstr("'l1'"), HasSubstr("smooth-l1")));
  EXPECT_THAT(refusal([] { (void)weight_on("both"); }),
              AllOf(StartsWith("[weight_on]"), HasSubstr("'both'"), HasSubstr("sparsity")));
  EXPECT_THAT(refusal([] { (void)reduce("max"); }),
              AllOf(StartsWith("[reduce]"), HasSubstr("'max'"), HasSubstr("mean, sum")));
  EXPECT_THAT(refusal([] { (void)row_norm("hard"); }),
              AllOf(StartsWith("[row_norm]"), HasSubstr("'hard'"), HasSubstr("exact")));
}

}  // namespace
}  // namespace krica
