// SPDX-License-Identifier: BSD-3-Clause
//
// The engine of the CPU against the objective and the optimiser themselves.
#include <gtest/gtest.h>

#include "joint/engine_problem.hpp"
#include "joint/image_batch.hpp"
#include "joint/pooled_codes.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

using support::EngineProblem;
using support::same_bits;

bool same(const JointParameters<float>& a, const JointParameters<float>& b) {
  return same_bits(a.W, b.W) && same_bits(a.shapes, b.shapes) && same_bits(a.T, b.T) &&
         same_bits(a.bias, b.bias);
}

TEST(HostEngine, AStepIsTheObjectivesGradientAndAdamsUpdate) {
  const EngineProblem problem;
  const Context context({.threads = 1, .seed = 3});
  JointState state = problem.state();
  JointState expected = state;
  const auto engine = make_engine(problem.task(context), state);
  const std::vector<Index> chosen = {5, 1, 9, 0, 12};
  const JointRates rates = {0.01, 0.02, 0.1};
  const auto loss = engine->step({.images = chosen, .epoch = 4, .rates = rates}, state);
  engine->store(state);

  JointObjective<float> objective(problem.options.objective, problem.source);
  JointParameters<float> gradient = expected.now.zeros();
  BatchMoments moments;
  const Matrix<float> batch =
      read_batch(context, problem.images, chosen, problem.options.augmentation, 4);
  std::vector<int> labels;
  for (const Index i : chosen)
    labels.push_back(problem.images.labels()[static_cast<std::size_t>(i)]);
  EXPECT_EQ(loss, objective.value_and_gradient(context, {batch, labels}, expected.now, gradient,
                                               moments));
  adam_update(gradient, rates, expected);
  EXPECT_EQ(state.step, 1);
  EXPECT_TRUE(same(state.now, expected.now));
  EXPECT_TRUE(same(state.first, expected.first));
  EXPECT_TRUE(same(state.second, expected.second));
}

/// Images of which only some may be read.
class SomeImages final : public ImageSet {
 public:
  SomeImages(const ImageSet& all, std::vector<Index> readable)
      : ImageSet(all.info()), all_(all), readable_(std::move(readable)) {}

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    load(first, count, out);
  }
  void load_floats(Index first, Index count, float* out) const override { load(first, count, out); }
  template <class Value>
  void load(Index first, Index count, Value* out) const {
    EXPECT_NE(std::find(readable_.begin(), readable_.end(), first), readable_.end()) << first;
    all_.read(first, count, out);
  }

  const ImageSet& all_;
  std::vector<Index> readable_;
};

TEST(HostEngine, RanksShareTheImagesOfABatch) {
  const EngineProblem problem;
  const std::vector<Index> chosen = {5, 1, 9, 0, 12, 7, 3};
  const JointRates rates = {0.01, 0.02, 0.1};
  struct Result {
    JointState state;
    std::optional<double> loss;
    BatchMoments moments;
    Matrix<float> scores;
  };
  const auto result_in = [&](const Context& context) {
    Result result{problem.state(), {}, {}, {}};
    const auto engine = make_engine(problem.task(context), result.state);
    result.loss = engine->step({.images = chosen, .epoch = 4, .rates = rates}, result.state);
    result.moments = engine->moments_of(result.state.now, chosen);
    result.scores = engine->scores(result.state.now, result.moments, chosen);
    return result;
  };
  const Result alone = result_in(Context({.threads = 2, .seed = 3}));
  for (const int ranks : {2, 3, 4, 9}) {
    on_ranks(ranks, {.threads = 1, .seed = 3}, [&](const Context& context) {
      const Result shared = result_in(context.with_all_rows());
      EXPECT_EQ(shared.loss, alone.loss);
      EXPECT_TRUE(same(shared.state.now, alone.state.now));
      EXPECT_EQ(shared.moments.variance, alone.moments.variance);
      EXPECT_TRUE(same_bits(shared.scores, alone.scores));
      const Range own = own_images(context, std::ssize(chosen));
      EXPECT_LT(own.size(), std::ssize(chosen));
      const std::vector<Index> readable(chosen.begin() + own.begin, chosen.begin() + own.end);
      read_batch(context, SomeImages(problem.images, readable), chosen);
    });
  }
}

TEST(HostEngine, ALossThatIsNotFiniteChangesNothing) {
  const EngineProblem problem;
  const Context context({.threads = 1});
  JointState state = problem.state();
  state.now.T(0, 0) = std::numeric_limits<float>::infinity();
  const JointState before = state;
  const auto engine = make_engine(problem.task(context), state);
  const std::vector<Index> chosen = {0, 1, 2};
  EXPECT_EQ(engine->step({.images = chosen, .rates = {0.1, 0.1, 0}}, state), std::nullopt);
  EXPECT_EQ(state.step, 0);
  EXPECT_TRUE(same(state.now, before.now));
  EXPECT_TRUE(same(state.first, before.first));
}

/// Rows are cut into batches, the last of which is smaller.
TEST(HostEngine, MomentsAndScoresAreThoseOfAllImages) {
  EngineProblem problem;
  const Context context({.threads = 1});
  const JointState state = problem.state();
  const std::vector<Index> chosen = {3, 4, 5, 6, 7, 8, 9, 10, 11, 2, 1};
  JointObjective<float> objective(problem.options.objective, problem.source);
  const Matrix<float> batch = read_batch(context, problem.images, chosen);
  MomentSums sums(1);
  sums.add<float>(context, objective.features(context, batch, state.now));
  const BatchMoments expected = sums.moments();
  for (const Index size : {4, 11}) {
    problem.options.batch = size;
    const auto engine = make_engine(problem.task(context), state);
    const BatchMoments moments = engine->moments_of(state.now, chosen);
    for (std::size_t j = 0; j < expected.mean.size(); ++j) {
      EXPECT_NEAR(moments.mean[j], expected.mean[j], 1e-12 * (1 + expected.mean[j]));
      EXPECT_NEAR(moments.variance[j], expected.variance[j], 1e-12 * (1 + expected.variance[j]));
    }
    const Matrix<float> scores = engine->scores(state.now, expected, chosen);
    EXPECT_LT(
        support::relative_error(scores, objective.scores(context, batch, state.now, expected)),
        1e-5);
  }
}

TEST(Engine, AMissingDeviceIsAnError) {
  const EngineProblem problem;
  const Context context({.threads = 1, .device = "cuda:99"});
  try {
    make_engine(problem.task(context), problem.state());
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), DeviceError::Trouble::kNoDevice);
  }
}

}  // namespace
}  // namespace krica
