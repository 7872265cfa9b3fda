// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "classify/problems.hpp"
#include "classify/splits.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

using support::clouds;
using support::gradient_norm;
using support::svm_objective;

TEST(LinearClassifier, SeparatesCloudsAndKnowsItsObjective) {
  const auto problem = clouds(400, 12, 4, 0.5, 1);
  const LinearClassifier svm =
      LinearClassifier::fit(Context(), problem.features, problem.labels, 4, {.C = 0.1});
  EXPECT_GT(accuracy_of(svm.predict(Context(), problem.features), problem.labels), 0.98);
  EXPECT_NEAR(svm.objective() / svm_objective(problem, svm.weights(), 0.1), 1, 1e-4);
}

TEST(LinearClassifier, IsAtAMinimum) {
  const auto problem = clouds(200, 6, 3, 1.0, 2);
  const LinearClassifier svm = LinearClassifier::fit(Context(), problem.features, problem.labels, 3,
                                                     {.C = 0.05, .tolerance = 1e-9});
  const double least = svm_objective(problem, svm.weights(), 0.05);
  Matrix<float> moved = Matrix<float>::copy_of(svm.weights());
  for (Index e = 0; e < moved.size(); ++e) {
    for (const float step : {0.01F, -0.01F}) {
      moved.data()[e] += step;
      EXPECT_GT(svm_objective(problem, moved, 0.05), least) << e;
      moved.data()[e] -= step;
    }
  }
}

TEST(LinearClassifier, BalancedWeighsClassesEqually) {
  auto problem = clouds(300, 5, 2, 1.2, 3);
  for (std::size_t i = 0; i < 140; ++i) problem.labels[i] = 0;  // most are of class 0
  std::vector<double> weights;
  const double ones =
      static_cast<double>(std::count(problem.labels.begin(), problem.labels.end(), 1));
  for (const int label : problem.labels)
    weights.push_back(300.0 / (2 * (label == 1 ? ones : 300 - ones)));
  const LinearClassifier svm = LinearClassifier::fit(Context(), problem.features, problem.labels, 2,
                                                     {.C = 0.1, .balanced = true});
  EXPECT_NEAR(svm.objective() / svm_objective(problem, svm.weights(), 0.1, weights), 1, 1e-4);
}

TEST(LinearClassifier, SameBitsForAnyThreads) {
  const auto problem = clouds(700, 20, 3, 1.0, 4);
  const LinearClassifier one =
      LinearClassifier::fit(Context({.threads = 1}), problem.features, problem.labels, 3, {});
  const Matrix<float> scores = one.scores(Context({.threads = 1}), problem.features);
  for (const int threads : {2, 3, 4}) {
    const Context context({.threads = threads});
    const LinearClassifier many =
        LinearClassifier::fit(context, problem.features, problem.labels, 3, {});
    EXPECT_TRUE(one.weights() == many.weights()) << threads;
    EXPECT_TRUE(scores.view() == many.scores(context, problem.features).view()) << threads;
  }
}

TEST(LinearClassifier, ResumesToTheSameBits) {
  const auto problem = clouds(300, 20, 3, 1.0, 5);
  const LinearClassifier whole =
      LinearClassifier::fit(Context(), problem.features, problem.labels, 3, {});
  Archive state;
  SolverHooks hooks;
  hooks.checkpoint_due = [] { return true; };
  int calls = 0;
  hooks.checkpoint = [&](const Archive& saved) {
    if (++calls == 7) state = saved;
  };
  LinearClassifier::fit(Context(), problem.features, problem.labels, 3, {}, hooks);
  ASSERT_FALSE(state.empty());
  const LinearClassifier resumed =
      LinearClassifier::fit(Context(), problem.features, problem.labels, 3, {}, {}, &state);
  EXPECT_TRUE(resumed.weights() == whole.weights());
}

TEST(LinearClassifier, ChoosesCOnHeldOutSamples) {
  const auto problem = clouds(200, 60, 3, 3.0, 6);
  const Context context;
  const ChosenC chosen = SvmTrainer(context, problem.features, problem.labels, 3, {}).choose_c();
  ASSERT_GE(chosen.tried.size(), 3U);
  double best = 0;
  for (const auto& [C, accuracy] : chosen.tried) best = std::max(best, accuracy);
  for (const auto& [C, accuracy] : chosen.tried) {
    if (accuracy == best) {
      EXPECT_EQ(chosen.C, C) << "ties go to the smaller C";
      break;
    }
  }
  const Context one_thread({.threads = 1});
  const ChosenC again = SvmTrainer(one_thread, problem.features, problem.labels, 3, {}).choose_c();
  EXPECT_EQ(chosen.tried, again.tried);
}

TEST(LinearClassifier, TheSearchForCGoesByItsUnit) {
  const auto problem = clouds(200, 60, 3, 3.0, 6);
  const Context context;
  const ChosenC plain = SvmTrainer(context, problem.features, problem.labels, 3, {}).choose_c();
  const SvmOptions larger{.c_unit = 100};
  const ChosenC chosen =
      SvmTrainer(context, problem.features, problem.labels, 3, larger).choose_c();
  EXPECT_NEAR(chosen.tried.front().first, 100 * plain.tried.front().first, 1e-12);
  EXPECT_THROW(SvmTrainer(context, problem.features, problem.labels, 3, {.c_unit = 0}),
               InvalidArgument);
}

TEST(LinearClassifier, TheSearchForCGoesOnWhereItWas) {
  const auto problem = clouds(200, 60, 3, 3.0, 6);
  const Context context;
  std::vector<Archive> states;
  const ChosenC whole = SvmTrainer(context, problem.features, problem.labels, 3, {})
                            .choose_c([&](const Archive& state) { states.push_back(state); });
  ASSERT_EQ(states.size(), whole.tried.size());
  for (std::size_t done = 1; done <= states.size(); ++done) {
    std::size_t more = 0;
    const ChosenC resumed = SvmTrainer(context, problem.features, problem.labels, 3, {})
                                .choose_c([&](const Archive&) { ++more; }, &states[done - 1]);
    EXPECT_EQ(more, states.size() - done) << "nothing is tried twice";
    EXPECT_EQ(resumed.tried, whole.tried);
    EXPECT_EQ(resumed.C, whole.C);
  }
}

TEST(LinearClassifier, IsTheSameProblemWhateverTheFeaturesScales) {
  // Features of very different sizes, two of them equal, one constant: the Gram matrix is
  // singular, the optimum is not touched by it.
  auto problem = clouds(300, 8, 3, 1.0, 9);
  for (Index i = 0; i < 300; ++i) {
    problem.features(i, 1) *= 100;
    problem.features(i, 2) *= 0.001F;
    problem.features(i, 4) = problem.features(i, 3);
    problem.features(i, 5) = 0;
  }
  const LinearClassifier svm = LinearClassifier::fit(Context(), problem.features, problem.labels, 3,
                                                     {.C = 10, .tolerance = 1e-9});
  const double least = svm_objective(problem, svm.weights(), 10);
  EXPECT_NEAR(svm.objective() / least, 1, 1e-4);
  Matrix<float> moved = Matrix<float>::copy_of(svm.weights());
  for (Index e = 0; e < moved.size(); ++e) {
    for (const float step : {0.01F, -0.01F}) {
      moved.data()[e] += step;
      EXPECT_GT(svm_objective(problem, moved, 10), least * (1 - 1e-6)) << e;
      moved.data()[e] -= step;
    }
  }
}

/// Fewer samples than features: solved in the span of the samples.
TEST(LinearClassifier, InTheSpanHasTheSameBitsForAnyThreads) {
  const auto problem = clouds(400, 700, 3, 1.0, 4);
  const auto weights = [&](int threads) {
    const Context context({.threads = threads});
    SvmTrainer trainer(context, problem.features, problem.labels, 3, {});
    return Matrix<float>::copy_of(trainer.fit(trainer.choose_c().C).weights());
  };
  const Matrix<float> one = weights(1);
  EXPECT_TRUE(one.view() == weights(2).view());
  EXPECT_TRUE(one.view() == weights(7).view());
}

TEST(LinearClassifier, InTheSpanIsAtTheMinimumThoughSamplesRepeat) {
  // Every sample twice, the second time with another label for some: the samples' Gram matrix is
  // singular.
  auto problem = clouds(120, 400, 3, 2.0, 12);
  for (Index i = 60; i < 120; ++i) {
    for (Index j = 0; j < 400; ++j) problem.features(i, j) = problem.features(i - 60, j);
  }
  for (const double C : {1e-4, 1e-2, 1.0, 100.0}) {
    const LinearClassifier svm = LinearClassifier::fit(Context(), problem.features, problem.labels,
                                                       3, {.C = C, .tolerance = 1e-8});
    const double value = svm_objective(problem, svm.weights(), C);
    EXPECT_NEAR(svm.objective() / value, 1, 1e-3) << C;
    EXPECT_LT(gradient_norm(problem, svm.weights(), C),
              2e-3 * gradient_norm(problem, Matrix<float>(3, 401), C))
        << C;
  }
}

TEST(LinearClassifier, InTheSpanResumesToTheSameBits) {
  const auto problem = clouds(200, 300, 3, 1.0, 5);
  const LinearClassifier whole =
      LinearClassifier::fit(Context(), problem.features, problem.labels, 3, {});
  Archive state;
  SolverHooks hooks;
  hooks.checkpoint_due = [] { return true; };
  int calls = 0;
  hooks.checkpoint = [&](const Archive& saved) {
    if (++calls == 4) state = saved;
  };
  LinearClassifier::fit(Context(), problem.features, problem.labels, 3, {}, hooks);
  ASSERT_FALSE(state.empty());
  const LinearClassifier resumed =
      LinearClassifier::fit(Context(), problem.features, problem.labels, 3, {}, {}, &state);
  EXPECT_TRUE(resumed.weights() == whole.weights());
}

TEST(LinearClassifier, TakesStatesOfEarlierVersionsWithoutTheirWeights) {
  const auto problem = clouds(60, 200, 3, 1.0, 5);
  const Context context;
  SvmTrainer trainer(context, problem.features, problem.labels, 3, {});
  const LinearClassifier whole = trainer.fit(0.01);
  Archive solver;  // in variables that mean something else today
  solver.put("W", Matrix<float>(3, 201));
  EXPECT_TRUE(trainer.fit(0.01, {}, &solver).weights() == whole.weights());
  Archive search;
  search.put_vector<double>("tried", std::vector<double>{1.0 / 60, 0.5});
  search.put("weights", Matrix<float>(3, 201));
  const ChosenC chosen = trainer.choose_c({}, &search);
  EXPECT_EQ(chosen.tried.front(), std::make_pair(1.0 / 60, 0.5));
  EXPECT_GT(chosen.tried.size(), 1U);
}

TEST(LinearClassifier, SavesAndLoads) {
  const auto problem = clouds(100, 4, 3, 1.0, 7);
  const LinearClassifier svm =
      LinearClassifier::fit(Context(), problem.features, problem.labels, 3, {});
  Archive archive;
  svm.save(archive);
  EXPECT_TRUE(LinearClassifier::load(archive).weights() == svm.weights());
}

TEST(LinearClassifier, RefusesBadInput) {
  auto problem = clouds(20, 4, 2, 1.0, 8);
  const auto fit = [&](const std::vector<int>& labels, Index classes, const SvmOptions& options) {
    return LinearClassifier::fit(Context(), problem.features, labels, classes, options);
  };
  EXPECT_THROW(fit(problem.labels, 2, {.C = 0}), InvalidArgument);
  EXPECT_THROW(fit(problem.labels, 2, {.C = NAN}), InvalidArgument);
  EXPECT_THROW(fit(problem.labels, 1, {}), InvalidArgument);
  EXPECT_THROW(fit(std::vector<int>(20, 1), 2, {}), InvalidArgument) << "one class only";
  EXPECT_THROW(fit(std::vector<int>(19, 1), 2, {}), InvalidArgument);
  std::vector<int> beyond = problem.labels;
  beyond[3] = 2;
  EXPECT_THROW(fit(beyond, 2, {}), InvalidArgument);
  problem.features(4, 1) = INFINITY;
  EXPECT_THROW(fit(problem.labels, 2, {}), InvalidArgument);
}

}  // namespace
}  // namespace krica
