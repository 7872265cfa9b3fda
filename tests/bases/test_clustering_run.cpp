// SPDX-License-Identifier: BSD-3-Clause
//
// The methods that cluster: told of every turn, stopped, and resumed to the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "bases/clustering_run.hpp"
#include "bases/start.hpp"
#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
#include "support/changed_options.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

class ClusteringMethod : public testing::TestWithParam<std::string> {
 protected:
  BasisRequest request() {
    BasisRequest request{patches_, {}, {}, {}, nullptr};
    request.options.components = 12;
    request.options.init = std::string(basis_method(GetParam()).init);
    return request;
  }
  Basis learn(const Context& context, const BasisRequest& wanted) {
    return basis_method(GetParam()).learn(context, wanted);
  }
  const Matrix<float> patches_ = support::random_matrix<float>(400, 8, 3);
};

TEST_P(ClusteringMethod, EveryTurnIsInTheHistoryAndNoneRaisesTheCost) {
  const Basis basis = learn(Context(), request());
  ASSERT_GE(basis.history.size(), 3U);
  for (std::size_t i = 1; i < basis.history.size(); ++i) {
    EXPECT_EQ(basis.history[i].iteration, static_cast<Index>(i) + 1);
    EXPECT_LE(basis.history[i].value, basis.history[i - 1].value * (1 + 1e-6));
  }
}

TEST_P(ClusteringMethod, GoesOnFromAnyTurnToTheSameBits) {
  BasisRequest whole = request();
  std::vector<Archive> states;
  whole.hooks.checkpoint_due = [] { return true; };
  whole.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  const Basis wanted = learn(Context(), whole);
  ASSERT_EQ(wanted.status, Status::kConverged);
  ASSERT_EQ(states.size(), wanted.history.size() - 1) << "all but the last turn";
  for (const Archive& state : states) {
    BasisRequest again = request();
    again.state = &state;
    const Basis resumed = learn(Context(), again);
    EXPECT_TRUE(resumed.atoms.view() == wanted.atoms.view());
    EXPECT_EQ(resumed.history.size(), wanted.history.size());
    EXPECT_EQ(resumed.status, Status::kConverged);
  }
}

TEST_P(ClusteringMethod, GivesTheAtomsOfTheLastTurnWhenCancelled) {
  BasisRequest stopped = request();
  stopped.best_when_cancelled = true;
  std::function<void()> stop;
  stopped.hooks.iteration = [&](const HistoryRow& row) {
    if (row.iteration == 2) stop();
  };
  const Context context;
  stop = [&] { context.cancel(); };
  const Basis basis = learn(context, stopped);
  EXPECT_EQ(basis.status, Status::kCancelled);
  EXPECT_EQ(basis.history.size(), 2U);
  EXPECT_EQ(basis.atoms.rows(), 12);
  EXPECT_TRUE(basis.atoms.view().allFinite());
}

TEST_P(ClusteringMethod, RefusesTheStateOfAnotherRun) {
  BasisRequest whole = request();
  std::vector<Archive> states;
  whole.hooks.checkpoint_due = [] { return true; };
  whole.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  learn(Context(), whole);
  BasisRequest other = request();
  other.options.components = 13;
  other.state = &states.front();
  EXPECT_THROW(learn(Context(), other), InvalidArgument);
}

/// K-means from another start than k-means++.
TEST(KmeansStart, IsWhereTheIterationsBegin) {
  const Matrix<float> patches = support::random_matrix<float>(400, 8, 3);
  for (const char* init : {"random", "random-patches"}) {
    BasisRequest request{patches, {}, {}, {}, nullptr};
    request.options.components = 12;
    request.options.init = init;
    std::vector<Archive> states;
    request.hooks.checkpoint_due = [] { return true; };
    request.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
    LearnBasis* const learn = basis_method("kmeans-triangle").learn;
    const Basis basis = learn(Context(), request);
    const Matrix<float> start = starting_atoms(Context(), request);
    const auto wanted = kmeans_from<float>(Context(), patches, start, {.n_clusters = 12});
    EXPECT_TRUE(basis.atoms.view() == wanted.centers.view()) << init;
    ASSERT_FALSE(states.empty());
    for (const Archive& state : states) {
      BasisRequest again = request;
      again.hooks = {};
      again.state = &state;
      EXPECT_TRUE(learn(Context(), again).atoms.view() == basis.atoms.view()) << init;
    }
  }
}

TEST(KmeansStart, OfTheTriangleCodeIsRandomDirections) {
  EXPECT_EQ(basis_method("kmeans-triangle").init, "random");
  for (const char* method : {"kmeans-hard", "llc", "improved-lcc", "krica"})
    EXPECT_EQ(basis_method(method).init, "kmeans") << method;
}

/// Directions near zero, few patches far from it: most centres are empty at first and must move.
TEST(KmeansStart, RandomDirectionsReachFewPatchesWhereverTheyAre) {
  for (const float offset : {0.0F, 100.0F}) {
    Matrix<float> patches = support::random_matrix<float>(60, 8, 3);
    patches.view().array() += offset;
    for (const Index atoms : {1, 12, 59, 60}) {
      BasisRequest request{patches, {}, {}, {}, nullptr};
      request.options.components = atoms;
      request.options.init = "random";
      const Basis basis = basis_method("kmeans-triangle").learn(Context(), request);
      const auto found = kmeans_from<float>(Context(), patches, basis.atoms, {.n_clusters = atoms});
      std::vector<Index> used = found.assignment;
      std::sort(used.begin(), used.end());
      const auto distinct = std::distance(used.begin(), std::unique(used.begin(), used.end()));
      EXPECT_EQ(distinct, atoms) << "centres with patches, offset " << offset;
    }
  }
}

/// The first state of a method's clustering.
Archive first_state(const std::string& method, const Matrix<float>& patches) {
  BasisRequest request{patches, {}, {}, {}, nullptr};
  request.options.components = 12;
  request.options.init = std::string(basis_method(method).init);
  std::vector<Archive> states;
  request.hooks.checkpoint_due = [] { return true; };
  request.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  basis_method(method).learn(Context(), request);
  return states.at(0);
}

/// The state of a method, taken up with each option of its clustering changed in turn.
template <class Options>
void expect_refused_by_name(const std::string& method, const std::string& name,
                            const Options& options) {
  const Matrix<float> patches = support::random_matrix<float>(400, 8, 3);
  const Archive state = first_state(method, patches);
  BasisRequest request{patches, {}, {}, {}, &state};
  request.options.components = 12;
  const auto refusal = [&](const Context& context, const Options& with) {
    return support::refusal(
        [&] { ClusteringRun(context, request, name, with, ClusteringRole::kMethod); });
  };
  EXPECT_EQ(refusal(Context(), options), "");
  support::for_each_change(options, [&](const Options& changed, std::string_view field,
                                        OnResume on_resume) {
    const std::string message = refusal(Context(), changed);
    const bool named = message.find(fmt::format("options: {} (saved ", field)) != std::string::npos;
    EXPECT_EQ(named, on_resume == OnResume::kMustAgree) << field << ": " << message;
  });
  EXPECT_NE(refusal(Context({.seed = 1}), options).find("options: seed (saved 0, now 1)"),
            std::string::npos);
}

TEST(ChangedOptions, OfClusteringAreRefusedByName) {
  expect_refused_by_name("kmeans-triangle", "kmeans", KmeansOptions{.n_clusters = 12});
  expect_refused_by_name("omp-1", "omp-1", SphericalKmeansOptions{.n_clusters = 12});
}

struct StartCase {
  std::string method;
  std::string init;
  std::optional<SolverKind> solver;
};

/// Clustering that only finds the first atoms of another method.
class ClusteringStart : public testing::TestWithParam<StartCase> {
 protected:
  BasisRequest request() {
    BasisRequest request{patches_, labels_, {}, {}, nullptr};
    request.options.components = 12;
    request.options.init = GetParam().init;
    request.options.solver = GetParam().solver;
    request.options.iterations = 5;
    request.options.epochs = 2;
    return request;
  }
  Basis learn(const Context& context, const BasisRequest& wanted) {
    return basis_method(GetParam().method).learn(context, wanted);
  }
  /// Counts the turns of clustering alone: stages of other methods have other names.
  static Context counting(Index& turns) {
    return Context({.progress = [&turns](const Progress& progress) {
      if (progress.stage == "kmeans" || progress.stage == "omp-1") ++turns;
    }});
  }
  static std::vector<int> labels_of_three_classes(Index patches) {
    std::vector<int> labels;
    for (Index i = 0; i < patches; ++i) labels.push_back(static_cast<int>(i % 3));
    return labels;
  }
  const Matrix<float> patches_ = support::random_matrix<float>(400, 8, 3);
  const std::vector<int> labels_ = labels_of_three_classes(400);
};

TEST_P(ClusteringStart, KilledAtAnyTurnGoesOnToTheSameBits) {
  BasisRequest whole = request();
  std::vector<std::pair<Archive, Index>> states;  // each with the turns taken before
  std::vector<HistoryRow> told;
  Index all_turns = 0;
  whole.hooks.checkpoint_due = [] { return true; };
  whole.hooks.checkpoint = [&](const Archive& state) {
    if (is_of_start(state)) states.emplace_back(state, all_turns);
  };
  whole.hooks.iteration = [&](const HistoryRow& row) { told.push_back(row); };
  const Basis wanted = learn(counting(all_turns), whole);
  EXPECT_EQ(told.size(), wanted.history.size()) << "the start's turns are not the method's";
  ASSERT_GE(states.size(), 3U);
  for (const auto& [saved, turns_before] : states) {
    const Archive state = Archive::parse(saved.bytes(), "state");
    BasisRequest again = request();
    again.state = &state;
    Index turns = 0;
    const Basis resumed = learn(counting(turns), again);
    EXPECT_EQ(turns, all_turns - turns_before) << "only the turns that were left";
    EXPECT_TRUE(resumed.atoms.view() == wanted.atoms.view()) << "after turn " << turns_before;
    EXPECT_EQ(resumed.history.size(), wanted.history.size());
  }
}

TEST_P(ClusteringStart, CancelledGivesItsStateAndNoAtoms) {
  const Basis wanted = learn(Context(), request());
  BasisRequest stopped = request();
  stopped.best_when_cancelled = true;
  std::vector<Archive> states;
  stopped.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  std::function<void()> stop;
  const Context context({.progress = [&](const Progress& progress) {
    if (progress.step == 2) stop();
  }});
  stop = [&] { context.cancel(); };
  EXPECT_THROW(learn(context, stopped), Cancelled);
  ASSERT_EQ(states.size(), 1U);
  EXPECT_TRUE(is_of_start(states[0]));
  BasisRequest again = request();
  again.state = states.data();
  EXPECT_TRUE(learn(Context(), again).atoms.view() == wanted.atoms.view());
}

INSTANTIATE_TEST_SUITE_P(
    Bases, ClusteringStart,
    testing::Values(StartCase{"krica", "kmeans", SolverKind::kLbfgs},
                    StartCase{"krica", "kmeans", SolverKind::kAdam},
                    StartCase{"krica", "omp-1", SolverKind::kFixedPoint},
                    StartCase{"rica", "omp-1", SolverKind::kLbfgs},
                    StartCase{"ksr", "kmeans", SolverKind::kLbfgs},
                    StartCase{"sparse-autoencoder", "kmeans", SolverKind::kLbfgs},
                    StartCase{"omp-1", "kmeans", std::nullopt},
                    StartCase{"max-margin-krica", "kmeans", std::nullopt},
                    StartCase{"d-krica", "class-kmeans", SolverKind::kLbfgs},
                    StartCase{"drica", "label-affinity", SolverKind::kAdam},
                    StartCase{"krica", "label-affinity", SolverKind::kFixedPoint}),
    [](const auto& test) {
      std::string name = test.param.method + test.param.init;
      if (test.param.solver) name += name_of(*test.param.solver);
      std::erase(name, '-');
      return name;
    });

INSTANTIATE_TEST_SUITE_P(Bases, ClusteringMethod,
                         testing::Values("kmeans-triangle", "kmeans-hard", "omp-1"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace krica
