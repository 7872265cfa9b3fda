// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "experiments/rows.hpp"
#include "experiments/runner.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/ranks.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

using support::scratch_directory;

PlannedExperiment small_plan(const Context& context, const char* name) {
  ExperimentRequest request;
  request.size = ExperimentSize::kSmoke;
  PlannedExperiment planned = plan_experiment(context, experiment(name), request);
  planned.plan.configurations.resize(2);
  return planned;
}

void expect_same_rows(const ResultsFile& results, const ResultsFile& expected) {
  ASSERT_EQ(results.rows().size(), expected.rows().size());
  for (std::size_t i = 0; i < results.rows().size(); ++i) {
    EXPECT_EQ(results.rows()[i].key, expected.rows()[i].key);
    EXPECT_EQ(results.rows()[i].trial.predictions, expected.rows()[i].trial.predictions);
    EXPECT_EQ(results.rows()[i].trial.objective, expected.rows()[i].trial.objective);
  }
}

TEST(Runner, ComputesWhatIsMissingOnly) {
  const Context context({.threads = 1});
  const auto directory = scratch_directory("runner");
  const PlannedExperiment planned = small_plan(context, "kernels");
  ResultsFile results(directory / "results.jsonl");
  int computed = 0;
  const auto count = [&](const ResultRow&) { ++computed; };
  run_experiment(context, planned, directory, results, count);
  EXPECT_EQ(computed, 4);
  run_experiment(context, planned, directory, results, count);
  EXPECT_EQ(computed, 4);
  EXPECT_EQ(rows_of(results, planned, planned.plan.configurations[1]).size(), 2U);
  for (const Configuration& configuration : planned.plan.configurations) {
    const Model model = Model::load(model_path(directory, planned, configuration));
    const ResultRow& first = *rows_of(results, planned, configuration)[0];
    const ImageSetPtr test = test_images(planned.data.set, configuration.splits[0]);
    EXPECT_EQ(model.predict(context, *test), first.trial.predictions)
        << "a shared basis with the split's classifier is an ordinary model";
  }
}

TEST(Runner, ComputesChosenSystemsOnly) {
  const Context context({.threads = 1});
  const auto directory = scratch_directory("chosen");
  std::vector<PlannedExperiment> planned;
  planned.push_back(small_plan(context, "kernels"));
  std::vector<Configuration>& configurations = planned[0].plan.configurations;
  choose_systems("POLYNOMIAL, degree 3", planned);
  EXPECT_TRUE(configurations[0].chosen);
  EXPECT_FALSE(configurations[1].chosen);
  ResultsFile results(directory / "results.jsonl");
  run_experiment(context, planned[0], directory, results);
  EXPECT_EQ(rows_of(results, planned[0], configurations[0]).size(), 2U);
  EXPECT_TRUE(rows_of(results, planned[0], configurations[1]).empty());

  choose_systems("krica", planned);  // the method of both
  EXPECT_TRUE(configurations[0].chosen && configurations[1].chosen);
  choose_systems("polynomial, degree 3, inverse distance ", planned);
  EXPECT_TRUE(configurations[0].chosen && configurations[1].chosen);
  choose_systems("inverse distance", planned);
  EXPECT_FALSE(configurations[0].chosen);
  EXPECT_THAT([&] { choose_systems("krica,krcia", planned); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::HasSubstr("unknown system 'krcia'; did you mean 'krica'?")));
}

TEST(Runner, GroupsOfATableShareTheirBasis) {
  const Context context({.threads = 1});
  const auto directory = scratch_directory("groups");
  ExperimentRequest request;
  request.size = ExperimentSize::kSmoke;
  std::vector<PlannedExperiment> planned;
  planned.push_back(plan_experiment(context, experiment("caltech101"), request));
  choose_systems("scspm,lc-ksvd,llc", planned);
  ResultsFile results(directory / "results.jsonl");
  run_experiment(context, planned[0], directory, results);
  ASSERT_EQ(results.rows().size(), 6U);
  for (std::size_t i = 0; i < 6; i += 2) {
    const ResultRow& first = results.rows()[i];
    const ResultRow& second = results.rows()[i + 1];
    EXPECT_EQ(first.identity.system, second.identity.system);
    EXPECT_NE(first.identity.group, second.identity.group);
    EXPECT_NE(first.trial.train_images, second.trial.train_images);
    const auto basis_seconds = [](const ResultRow& row) {
      const auto is_basis = [](const StageTime& stage) { return stage.stage == "basis"; };
      const auto& stages = row.trial.stages;
      return std::find_if(stages.begin(), stages.end(), is_basis)->seconds;
    };
    EXPECT_EQ(basis_seconds(first), basis_seconds(second)) << "learned once";
  }
  for (const Configuration& configuration : planned[0].plan.configurations) {
    if (!configuration.chosen) continue;
    const Model model = Model::load(model_path(directory, planned[0], configuration));
    const DataSet& data = images_for(planned[0].data, configuration);
    EXPECT_EQ(model.predict(context, *test_images(data, configuration.splits[0])),
              rows_of(results, planned[0], configuration)[0]->trial.predictions)
        << configuration.system;
  }
}

TEST(Runner, GoesOnAfterACancel) {
  Context context({.threads = 1});
  const auto whole = scratch_directory("whole");
  const PlannedExperiment planned = small_plan(context, "caltech101");
  ResultsFile expected(whole / "results.jsonl");
  run_experiment(context, planned, whole, expected);

  const auto directory = scratch_directory("cancelled");
  ResultsFile results(directory / "results.jsonl");
  EXPECT_THROW(run_experiment(context, planned, directory, results,
                              [&](const ResultRow&) { context.cancel(); }),
               Cancelled);
  context.clear_cancel();
  EXPECT_EQ(results.rows().size(), 1U);
  const Configuration& second = planned.plan.configurations[1];
  const std::string key = identity_of(planned, second, second.splits[0]).key();
  std::ofstream(directory / "checkpoints" / (key + ".checkpoint.tmp-0123456789abcdef"))
      << "half a checkpoint";
  run_experiment(context, planned, directory, results);
  EXPECT_FALSE(std::filesystem::exists(directory / "checkpoints")) << "nothing is left";
  expect_same_rows(results, expected);
}

TEST(Runner, KeepsTheRowsThatRanksHadFinished) {
  const Context alone({.threads = 1});
  const auto whole = scratch_directory("whole-on-ranks");
  const PlannedExperiment planned = small_plan(alone, "kernels");
  ResultsFile expected(whole / "results.jsonl");
  run_experiment(alone, planned, whole, expected);

  const auto directory = scratch_directory("cancelled-on-ranks");
  on_ranks(2, {.threads = 1}, [&](const Context& given) {
    const Context context = given.with_all_rows().with_progress([&](const Progress& progress) {
      if (!is_first(given) || given.wants_to_stop() || progress.stage != "features") return;
      wait_for_other_jobs(given, 1);
      given.cancel();
    });
    ResultsFile results(directory / "results.jsonl");
    EXPECT_THROW(run_experiment(context, planned, directory, results), Cancelled);
    EXPECT_EQ(results.rows().size(), 2U) << "of the second configuration, which the other rank had";
  });
  ResultsFile results(directory / "results.jsonl");
  ASSERT_EQ(results.rows().size(), 2U);
  run_experiment(alone, planned, directory, results);
  ASSERT_EQ(results.rows().size(), expected.rows().size());
  for (const ResultRow& row : expected.rows()) {  // in another order
    const ResultRow* same = results.find(row.key);
    ASSERT_NE(same, nullptr) << row.identity.system;
    EXPECT_EQ(same->trial.predictions, row.trial.predictions) << row.identity.system;
  }
}

TEST(Runner, RanksLeaveNoCheckpointsOfRowsThatAreThere) {
  const Context alone({.threads = 1});
  const auto directory = scratch_directory("left-on-ranks");
  const PlannedExperiment planned = small_plan(alone, "caltech101");
  ResultsFile results(directory / "results.jsonl");
  run_experiment(alone, planned, directory, results);
  std::filesystem::create_directories(directory / "checkpoints");
  for (const ResultRow& row : results.rows())  // of a run that was killed before it removed them
    std::ofstream(directory / "checkpoints" / (row.key + ".checkpoint")) << "a checkpoint";
  on_ranks(2, {.threads = 1}, [&](const Context& context) {
    ResultsFile own(directory / "results.jsonl");
    run_experiment(context.with_all_rows(), planned, directory, own);
  });
  EXPECT_FALSE(std::filesystem::exists(directory / "checkpoints"));
}

TEST(Runner, RecordsWhatCannotBeComputed) {
  const Context context({.threads = 1});
  const auto directory = scratch_directory("impossible");
  PlannedExperiment planned = small_plan(context, "kernels");
  planned.plan.configurations[0].options.descriptor.receptive_field = 99;
  ResultsFile results(directory / "results.jsonl");
  run_experiment(context, planned, directory, results);
  ASSERT_EQ(results.rows().size(), 4U);
  EXPECT_TRUE(results.rows()[0].failed() && results.rows()[1].failed());
  EXPECT_FALSE(results.rows()[2].failed() || results.rows()[3].failed());
}

}  // namespace
}  // namespace krica
