// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/paper.hpp"
#include "experiments/printed.hpp"
#include "experiments/runner.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

PlannedExperiment planned(const char* name, bool as_printed, Index components = 0) {
  const Context context({.threads = 1});
  return plan_experiment(
      context, experiment(name),
      {.size = ExperimentSize::kSmoke, .components = components, .as_printed = as_printed});
}

const Configuration& row(const PlannedExperiment& from, std::string_view system) {
  const auto& all = from.plan.configurations;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Configuration& c) { return c.system == system; });
  EXPECT_NE(found, all.end()) << system;
  return *found;
}

TEST(Printed, WeightsAreThoseOfThePaper) {
  const PrintedWeights caltech = printed_weights("caltech101");
  EXPECT_EQ(caltech.sparsity, 0.1);
  EXPECT_EQ(caltech.discrimination, 1);
  EXPECT_EQ(caltech.gamma, 0.01);
  for (const char* data : {"cifar10", "stl10"}) {
    EXPECT_EQ(printed_weights(data).sparsity, 0.01);
    EXPECT_EQ(printed_weights(data).discrimination, 0.1);
    EXPECT_EQ(printed_weights(data).gamma, 0.1);
  }
  EXPECT_THROW(printed_weights("imagenet"), InvalidArgument);
}

TEST(Printed, SetsWhatThePaperPrints) {
  for (const char* name : {"caltech101", "cifar10", "stl10"}) {
    const PlannedExperiment table = planned(name, true);
    const PrintedWeights weights = printed_weights(name);
    EXPECT_THAT(table.title(), testing::EndsWith(", as printed"));
    for (const char* system : {"RICA", "DRICA", "d-RICA", "kRICA", "d-kRICA"}) {
      const Configuration& printed = row(table, system);
      EXPECT_EQ(printed.options.basis.sparsity, weights.sparsity) << system;
      EXPECT_EQ(printed.options.basis.solver, SolverKind::kLbfgs) << system;
      EXPECT_EQ(printed.options.basis.groups.kind, AtomGrouping::kTopographic) << system;
      EXPECT_THAT(printed.note, testing::HasSubstr("as printed")) << system;
    }
    for (const char* system : {"DRICA", "d-RICA", "d-kRICA"})
      EXPECT_EQ(row(table, system).options.basis.discrimination.weight, weights.discrimination);
    for (const char* system : {"kRICA", "d-kRICA", "Random patches (control)"})
      EXPECT_EQ(row(table, system).options.kernel.gamma, weights.gamma) << system;
    EXPECT_FALSE(row(table, "RICA").options.kernel.gamma);
  }
}

TEST(Printed, KernelSystemsHaveTheFixedPointAndKernelPca) {
  const PlannedExperiment table = planned("stl10", true);
  for (const std::string system : {"kRICA", "d-kRICA"}) {
    const Configuration& solved = row(table, system + ", fixed point");
    EXPECT_EQ(solved.options.basis.solver, SolverKind::kFixedPoint);
    EXPECT_FALSE(solved.options.whitening.method);
    const Configuration& whitened = row(table, system + ", kernel PCA");
    EXPECT_EQ(whitened.options.basis.solver, SolverKind::kLbfgs);
    EXPECT_EQ(whitened.options.whitening.method, WhiteningMethod::kKernelPca);
    for (const Configuration* variant : {&solved, &whitened}) {
      EXPECT_EQ(variant->options.basis.sparsity, 0.01);
      EXPECT_EQ(variant->splits.size(), row(table, system).splits.size());
      EXPECT_TRUE(paper_accuracy("stl10", variant->paper_group, variant->paper_system));
    }
  }
  const auto& kernels = planned("kernels", true).plan.configurations;
  EXPECT_EQ(kernels.size(), planned("kernels", false).plan.configurations.size())
      << "the table of kernels has no such rows";
}

TEST(Printed, FiguresVaryWhatTheyVary) {
  const auto varied = [](const char* name, auto value_of) {
    for (const Configuration& c : planned(name, true).plan.configurations)
      EXPECT_TRUE(c.control || value_of(c.options) == c.value) << name << ": " << c.system;
  };
  varied("lambda", [](const PipelineOptions& o) { return *o.basis.sparsity; });
  varied("alpha", [](const PipelineOptions& o) { return o.basis.discrimination.weight; });
  varied("gamma", [](const PipelineOptions& o) { return *o.kernel.gamma; });
  varied("basis-size",
         [](const PipelineOptions& o) { return static_cast<double>(*o.basis.components); });
}

TEST(Printed, OtherSystemsKeepTheirRows) {
  const PlannedExperiment usual = planned("cifar10", false);
  const PlannedExperiment printed = planned("cifar10", true);
  const auto key = [](const PlannedExperiment& from, const char* system) {
    const Configuration& configuration = row(from, system);
    return identity_of(from, configuration, configuration.splits[0]).key();
  };
  for (const char* same : {"K-means, triangle", "KSR", "Max-margin kRICA"})
    EXPECT_EQ(key(usual, same), key(printed, same)) << same;
  for (const char* other : {"RICA", "kRICA", "d-kRICA", "Random patches (control)"})
    EXPECT_NE(key(usual, other), key(printed, other)) << other;
}

TEST(Printed, RefusesAtomsThatFillNoGrid) {
  EXPECT_THAT([] { planned("kernels", true, 23); },
              testing::ThrowsMessage<InvalidArgument>(testing::HasSubstr("23 atoms")));
}

}  // namespace
}  // namespace krica
