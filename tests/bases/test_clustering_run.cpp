// SPDX-License-Identifier: BSD-3-Clause
//
// The methods that cluster: told of every turn, stopped, and resumed to the same bits.
#include <gtest/gtest.h>

#include <functional>

#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
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
  whole.hooks.checkpoint_every = 1;
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
  whole.hooks.checkpoint_every = 1;
  whole.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  learn(Context(), whole);
  BasisRequest other = request();
  other.options.components = 13;
  other.state = &states.front();
  EXPECT_THROW(learn(Context(), other), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Bases, ClusteringMethod,
                         testing::Values("kmeans-triangle", "kmeans-hard", "omp-1"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace krica
