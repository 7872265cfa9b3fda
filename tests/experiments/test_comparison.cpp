// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "experiments/plans.hpp"
#include "experiments/rows.hpp"
#include "experiments/runner.hpp"
#include "experiments/summary.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::gratings;
using support::scratch_directory;

const ExperimentRequest kSmoke{.size = ExperimentSize::kSmoke};

ExperimentData colour_data(bool with_test) {
  const ImageShape shape{12, 12, 3};
  ExperimentData data;
  data.set.train.reset(new support::MemoryImages(gratings(60, 3, shape)));
  if (with_test) data.set.test.reset(new support::MemoryImages(gratings(30, 3, shape, 9)));
  data.name = "gratings";
  return data;
}

TEST(Comparison, EverySystemHasTheSameTerms) {
  const Context context({.threads = 1});
  const Plan plan = plan_comparison(context, kSmoke, colour_data(true));
  std::vector<std::string> systems;
  for (const Configuration& configuration : plan.configurations) {
    systems.push_back(configuration.system);
    const PipelineOptions& options = configuration.options;
    EXPECT_EQ(options.classifier.flips, true) << configuration.system;
    EXPECT_TRUE(options.classifier.test_flips) << configuration.system;
    EXPECT_EQ(options.basis.components, plan.configurations[0].options.basis.components);
    EXPECT_EQ(options.descriptor.stride, plan.configurations[0].options.descriptor.stride);
    EXPECT_EQ(options.descriptor.receptive_field, 6);
    EXPECT_EQ(options.max_margin.crops, 0);
  }
  EXPECT_THAT(systems,
              testing::ElementsAre("Random patches (control)", "OMP-1", "OMP-1, square roots",
                                   "K-means, triangle", "kRICA", "Max-margin kRICA, soft threshold",
                                   "Max-margin kRICA, Gaussian"));
  EXPECT_EQ(plan.configurations[2].options.pooling.power, 0.5) << "as max-margin training has it";
  EXPECT_EQ(plan.configurations[5].options.encoder.kind, EncoderKind::kSoftThreshold);
  EXPECT_EQ(plan.configurations[6].options.encoder.kind, EncoderKind::kKernel);
  EXPECT_FALSE(plan.mean_per_class);
}

TEST(Comparison, ANameAsInTheTableMeansThatSystemAlone) {
  const Context context({.threads = 1});
  std::vector<PlannedExperiment> planned;
  planned.push_back(plan_experiment(context, experiment("comparison"), kSmoke));
  const auto chosen = [&](const std::string& list) {
    choose_systems(list, planned);
    std::vector<std::string> systems;
    for (const Configuration& configuration : planned[0].plan.configurations)
      if (configuration.chosen) systems.push_back(configuration.system);
    return systems;
  };
  EXPECT_THAT(chosen("OMP-1,kRICA"), testing::ElementsAre("OMP-1", "kRICA"));
  EXPECT_THAT(chosen("omp-1"), testing::ElementsAre("OMP-1", "OMP-1, square roots"));
  EXPECT_THAT(chosen("OMP-1, square roots"), testing::ElementsAre("OMP-1, square roots"));
  EXPECT_THAT(chosen("max-margin-krica"), testing::SizeIs(2));
}

TEST(Comparison, SetsWithoutATestPartAreDivided) {
  const Context context({.threads = 1});
  ExperimentRequest request = kSmoke;
  request.rounds = 2;
  const Plan plan = plan_comparison(context, request, colour_data(false));
  EXPECT_TRUE(plan.mean_per_class);
  for (const Configuration& configuration : plan.configurations) {
    EXPECT_EQ(configuration.group, "10 training images per class");
    ASSERT_EQ(configuration.splits.size(), 2U);
    EXPECT_EQ(configuration.splits[0].train.size(), 30U);
    EXPECT_EQ(configuration.splits[0].test.size(), 30U);
    EXPECT_NE(configuration.splits[0].train, configuration.splits[1].train);
  }
}

TEST(Comparison, GreyImagesAreNotMirroredNorComparedWithThePaper) {
  const Context context({.threads = 1});
  const PlannedExperiment planned = plan_experiment(context, experiment("comparison"), kSmoke);
  for (const Configuration& configuration : planned.plan.configurations) {
    EXPECT_EQ(configuration.options.classifier.flips, false);
    EXPECT_FALSE(configuration.options.classifier.test_flips);
  }
  EXPECT_FALSE(planned.beside_paper());
  EXPECT_THAT(planned.plan.notes[0], testing::HasSubstr("no mirror images"));
}

/// Folds share a basis and its features, but what they give is an ordinary model.
TEST(Comparison, FoldsWithMirrorsEqualTheirModels) {
  const Context context({.threads = 1});
  const auto directory = scratch_directory("mirrored-folds");
  PlannedExperiment planned{&experiment("comparison"), colour_data(true), {}};
  planned.data.set.format = DataFormat::kStl10;
  ExperimentRequest request = kSmoke;
  request.rounds = 1;
  planned.plan = plan_comparison(context, request, planned.data);
  ASSERT_EQ(planned.plan.configurations.size(), 14U);
  EXPECT_EQ(planned.plan.configurations[0].group, "folds of 30 labelled images");
  EXPECT_EQ(planned.plan.configurations[7].group, "all 60 labelled images");
  ResultsFile results(directory / "results.jsonl");
  run_experiment(context, planned, directory, results);
  for (const Configuration& configuration : planned.plan.configurations) {
    const auto rows = rows_of(results, planned, configuration);
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_FALSE(rows[0]->failed()) << configuration.system << ": " << rows[0]->error;
    const Model model = Model::load(model_path(directory, planned, configuration));
    EXPECT_TRUE(model.options().classifier.test_flips);
    EXPECT_EQ(model.predict(context, *planned.data.set.test), rows[0]->trial.predictions)
        << configuration.system << ", " << configuration.group;
  }
  for (const ResultTable& table : tables_of(planned, results)) EXPECT_FALSE(table.beside_paper);
}

}  // namespace
}  // namespace krica
