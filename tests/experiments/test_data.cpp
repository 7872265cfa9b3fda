// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "experiments/plans.hpp"
#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

ExperimentRequest request_of(ExperimentSize size) {
  ExperimentRequest request;
  request.size = size;
  return request;
}

TEST(ExperimentData, QuickSizeLearnsFromAThousandImagesAndAHundredAtoms) {
  const Context context;
  const ExperimentRequest request = request_of(ExperimentSize::kQuick);
  for (const Experiment& each : experiments()) {
    const ExperimentData data = open_experiment_data(context, each, request);
    EXPECT_NE(data.notes.at(0).find("built-in images"), std::string::npos);
    for (const Configuration& configuration : each.plan(context, request, data).configurations) {
      const bool network = basis_method(configuration.options.method).network;
      EXPECT_GE(configuration.options.basis.components, network ? 16 : 100)
          << each.name << configuration.system;
      for (const TrialSplit& split : configuration.splits) {
        const auto images = static_cast<Index>(split.train.size());
        EXPECT_GE(images == 0 ? data.set.train->size() : images, 1000) << each.name;
      }
    }
  }
}

TEST(ExperimentData, ClassAwareSystemsHaveAtomsForEveryClass) {
  const Context context;
  ExperimentRequest request = request_of(ExperimentSize::kSmoke);
  request.components = 33;
  const ExperimentData data = open_experiment_data(context, experiment("cifar10"), request);
  for (const Configuration& c : plan_cifar10(context, request, data).configurations) {
    if (basis_method(c.options.method).needs_labels) {
      EXPECT_EQ(c.options.basis.components, 40);
      EXPECT_FALSE(c.note.empty());
    }
  }
}

TEST(ExperimentData, FoldsAreStratifiedAndTheSameForAnySeed) {
  const Context context;
  ExperimentRequest request = request_of(ExperimentSize::kQuick);
  const ExperimentData data = open_experiment_data(context, experiment("stl10"), request);
  const auto folds = test_folds(request, data);
  request.seed = 9;
  EXPECT_EQ(test_folds(request, data)[1].train, folds[1].train);
  EXPECT_NE(folds[0].train, folds[1].train);
  std::vector<int> count(10, 0);
  for (const Index i : folds[0].train)
    ++count[static_cast<std::size_t>(data.set.train->labels()[static_cast<std::size_t>(i)])];
  EXPECT_EQ(count, std::vector<int>(10, 100));
  request.rounds = 100;
  EXPECT_EQ(test_folds(request, data).size(), 10U);
}

TEST(ExperimentData, ValidationFoldsCoverTheTrainingImagesOnce) {
  const Context context;
  const ExperimentRequest request = request_of(ExperimentSize::kQuick);
  const ExperimentData data = open_experiment_data(context, experiment("lambda"), request);
  std::multiset<Index> tested;
  for (const TrialSplit& fold : validation_folds(context, request, data)) {
    tested.insert(fold.test.begin(), fold.test.end());
    EXPECT_EQ(fold.test.size() + fold.train.size(), 2000U);
  }
  EXPECT_EQ(tested.size(), 2000U);
  EXPECT_EQ(std::set<Index>(tested.begin(), tested.end()).size(), 2000U);
}

TEST(ExperimentData, SimilarityShowsImagesThatWereNotLearnedFrom) {
  const Context context;
  const ExperimentRequest request = request_of(ExperimentSize::kQuick);
  const ExperimentData data = open_experiment_data(context, experiment("similarity"), request);
  const Plan plan = plan_similarity(context, request, data);
  ASSERT_EQ(plan.shown.size(), 90U);
  std::vector<int> labels;
  for (const Index i : plan.shown)
    labels.push_back(data.set.test->labels()[static_cast<std::size_t>(i)]);
  EXPECT_TRUE(std::is_sorted(labels.begin(), labels.end())) << "class by class";
  EXPECT_EQ(std::set<int>(labels.begin(), labels.end()).size(), 3U);
}

TEST(ExperimentData, NamesAreKnown) {
  EXPECT_THROW(experiment("imagenet"), InvalidArgument);
  EXPECT_THROW(experiment_size("huge"), InvalidArgument);
  EXPECT_EQ(name_of(experiment_size("quick")), "quick");
}

}  // namespace
}  // namespace krica
