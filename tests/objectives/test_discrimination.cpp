// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "krica/objectives/terms.hpp"
#include "objectives/discrimination_term.hpp"
#include "support/comparison.hpp"
#include "support/gradient_check.hpp"
#include "support/problems.hpp"
#include "support/reference.hpp"
#include "support/terms.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::ClassTerm;
using support::discrimination_of;
using support::refusal;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(AtomClasses, AreConsecutiveByDefault) {
  EXPECT_THAT(atom_classes({}, 6, 3), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(atom_classes({}, 2, 2), ElementsAre(0, 1));
}

TEST(AtomClasses, AreThoseGiven) {
  EXPECT_THAT(atom_classes({.atom_class = {1, 0, 1, 1}}, 4, 2), ElementsAre(1, 0, 1, 1));
}

TEST(ElasticWeight, IsWhatMakesTheTermConvex) {
  const std::vector<int> classes = {0, 0, 0, 1, 1, 1};
  EXPECT_EQ(elastic_weight(discrimination_of(ClassTerm::kSum), classes, 2), 4);  // k + 1
  EXPECT_EQ(elastic_weight(discrimination_of(ClassTerm::kSelect), classes, 2), 2);
  EXPECT_EQ(elastic_weight(discrimination_of(ClassTerm::kDrica), classes, 2), 0);
  const std::vector<int> uneven = {0, 1, 1, 1, 1, 1};  // the largest class decides
  EXPECT_EQ(elastic_weight(discrimination_of(ClassTerm::kSum), uneven, 2), 6);
  EXPECT_EQ(elastic_weight({.elastic = 0.25}, classes, 2), 0.25);
  EXPECT_EQ(elastic_weight({.elastic = 0.0}, classes, 2), 0);
}

TEST(CountClasses, IsOneAboveTheLargestLabel) {
  const std::vector<int> labels = {2, 0, 1, 1, 2};
  EXPECT_EQ(count_classes(labels, 5), 3);
}

TEST(CountClasses, RefusesLabelsThatDoNotFit) {
  const auto message = [](std::vector<int> labels, Index n) {
    return refusal([&] { (void)count_classes(labels, n); });
  };
  EXPECT_THAT(message({0, 1}, 3),
              AllOf(StartsWith("[discrimination]"), HasSubstr("2 labels"), HasSubstr("3 samples")));
  EXPECT_THAT(message({0, 1, -2}, 3), AllOf(HasSubstr(">= 0, got -2"), HasSubstr("sample 2")));
  EXPECT_THAT(message({0, 2, 2}, 3), HasSubstr("class 1 of 0 ... 2 has no sample"));
  EXPECT_THAT(message({0, 1000000000, 0}, 3), HasSubstr("1000000000"));
  EXPECT_THAT(message({0, 0, 0}, 3), HasSubstr("at least 2 classes are needed"));
}

TEST(CountClasses, RefusesNoLabelsForNoSamples) {
  EXPECT_THAT(refusal([] { (void)count_classes({}, 0); }), StartsWith("[discrimination]"));
}

TEST(AtomClasses, RefusesClassesThatDoNotFit) {
  const auto message = [](const std::vector<int>& classes, Index K, int n) {
    return refusal([&] { (void)atom_classes({.atom_class = classes}, K, n); });
  };
  EXPECT_THAT(message({}, 7, 3),
              AllOf(StartsWith("[discrimination]"), HasSubstr("7 atoms"), HasSubstr("3 classes")));
  EXPECT_THAT(message({}, 2, 3), HasSubstr("2 atoms")) << "a class would have none";
  EXPECT_THAT(message({0, 1}, 3, 2), HasSubstr("2 atom classes for 3 atoms"));
  EXPECT_THAT(message({0, 2, 1}, 3, 2), HasSubstr("atom 1 has class 2, which is not in 0 ... 1"));
  EXPECT_THAT(message({0, 1, -1}, 3, 2), HasSubstr("atom 2 has class -1"));
}

TEST(Discrimination, RefusesBadWeights) {
  const auto message = [](const Discrimination& options) {
    return refusal([&] { options.validate(); });
  };
  EXPECT_THAT(message({.weight = -1}),
              AllOf(StartsWith("[discrimination]"), HasSubstr("weight"), HasSubstr("got -1")));
  EXPECT_THAT(message({.weight = kNan}), HasSubstr("got nan"));
  EXPECT_THAT(message({.elastic = -0.5}), AllOf(HasSubstr("elastic"), HasSubstr("got -0.5")));
  EXPECT_THAT(message({.elastic = kNan}), HasSubstr("got nan"));
  EXPECT_EQ(message({.weight = 0, .elastic = 0.0}), "");
}

TEST(Discrimination, NamesMakeTheRoundTrip) {
  EXPECT_EQ(name_of(DiscriminationReading::kSum), "sum");
  EXPECT_EQ(name_of(DiscriminationReading::kSelect), "select");
  EXPECT_EQ(discrimination_reading("sum"), DiscriminationReading::kSum);
  EXPECT_EQ(discrimination_reading("select"), DiscriminationReading::kSelect);
  EXPECT_THAT(refusal([] { (void)discrimination_reading("both"); }),
              AllOf(StartsWith("["), HasSubstr("'both'"), HasSubstr("sum, select")));
}

struct TermCase {
  std::string name;
  ClassTerm term;
  std::optional<double> elastic = std::nullopt;
  std::vector<int> atom_class = {};
};

class DiscriminationTerms : public testing::TestWithParam<TermCase> {};

TEST_P(DiscriminationTerms, ValueAndDerivativeOfOneCode) {
  Discrimination options = discrimination_of(GetParam().term, 0.7);
  options.elastic = GetParam().elastic;
  options.atom_class = GetParam().atom_class;
  const std::vector<int> labels = {0, 1, 2, 0};
  const DiscriminationTerm term(options, 6, labels, 4);
  const Matrix<double> s = support::random_matrix<double>(1, 6);
  for (const int label : {0, 1, 2}) {
    const auto f = [&](const Matrix<double>& at) {
      return 0.7 * reference::discrimination(options, {at.data(), at.data() + 6}, label, 3);
    };
    Matrix<double> derivative(1, 6);
    derivative.view().setConstant(10);  // it is added to what is there
    const double value = term.add(s.data(), label, derivative.data());
    derivative.view().array() -= 10;
    EXPECT_LE(support::relative_error(value, f(s)), support::kSameValue);
    EXPECT_LE(support::gradient_error(derivative, f, s), support::kSameGradient);
    EXPECT_EQ(term.add(s.data(), label, static_cast<double*>(nullptr)), value);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Discrimination, DiscriminationTerms,
    testing::ValuesIn(std::vector<TermCase>{
        {"Sum", ClassTerm::kSum},
        {"Select", ClassTerm::kSelect},
        {"Drica", ClassTerm::kDrica},
        {"SumElastic", ClassTerm::kSum, 0.3},
        {"SelectElastic", ClassTerm::kSelect, 0.3},
        {"DricaElastic", ClassTerm::kDrica, 0.3},
        {"SumUneven", ClassTerm::kSum, std::nullopt, {2, 0, 1, 1, 1, 0}},
        {"SelectUneven", ClassTerm::kSelect, std::nullopt, {2, 0, 1, 1, 1, 0}},
        {"SumWithAClassWithoutAtoms", ClassTerm::kSum, std::nullopt, {0, 0, 1, 1, 1, 0}},
    }),
    [](const auto& test) { return test.param.name; });

TEST(DiscriminationTerm, DricaSelectDropsTheNegativeTerm) {
  Discrimination options = discrimination_of(ClassTerm::kSelect, 1.0);
  options.homogeneous = false;
  const std::vector<int> labels = {0, 1};
  const DiscriminationTerm term(options, 2, labels, 2);
  const std::vector<double> s = {3, 2};
  EXPECT_DOUBLE_EQ(term.add(s.data(), 0, static_cast<double*>(nullptr)), 4);
  EXPECT_DOUBLE_EQ(term.add(s.data(), 1, static_cast<double*>(nullptr)), 9);
}

TEST(DiscriminationTerm, IsConvexWithTheAutomaticElasticWeight) {
  // d is quadratic: d(s) + d(-s) > 0 for every s ≠ 0 iff it is strictly convex.
  Random random(1, "convexity");
  const std::vector<int> labels = {0, 1, 2};
  for (const ClassTerm kind : {ClassTerm::kSum, ClassTerm::kSelect}) {
    const DiscriminationTerm term(discrimination_of(kind), 9, labels, 3);
    std::vector<double> worst = {1, 1, 1, 0, 0, 0, 0, 0, 0};
    EXPECT_GT(term.add(worst.data(), 0, static_cast<double*>(nullptr)), 0);
    for (int i = 0; i < 200; ++i) {
      for (double& value : worst) value = random.normal();
      EXPECT_GT(term.add(worst.data(), i % 3, static_cast<double*>(nullptr)), 0);
    }
  }
}

}  // namespace
}  // namespace krica
