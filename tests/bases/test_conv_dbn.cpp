// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "bases/conv_dbn.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr Index kSide = 14;
constexpr ConvShape kFirst{{kSide, kSide, 1}, 4, 6};

/// Images of two bars, horizontal or vertical, on a little noise.
Matrix<float> bars(Index count) {
  Matrix<float> images = support::random_matrix<float>(count, kSide * kSide, 1);
  images.view() *= 0.1F;
  for (Index i = 0; i < count; ++i) {
    Random random(7, "bars", static_cast<std::uint64_t>(i));
    for (int bar = 0; bar < 2; ++bar) {
      const Index at = random.below(kSide);
      const bool across = random.below(2) == 0;
      for (Index j = 0; j < kSide; ++j) images(i, across ? kSide * at + j : kSide * j + at) += 2;
    }
  }
  images.view().array() -= images.view().mean();
  return images;
}

class ConvDbn : public testing::Test {
 protected:
  BasisRequest request() {
    BasisRequest request{.patches = images_, .labels = {}, .options = {}, .hooks = {}};
    request.options.sparsity = 0.1;
    request.options.epochs = 12;
    request.options.batch = 12;
    return request;
  }
  Basis learn(const Context& context, const BasisRequest& wanted) {
    return learn_conv_layer(context, wanted, {}, kFirst);
  }
  ConvLayer<float> layer() {
    Basis basis = learn(Context(), request());
    return {kFirst, std::move(basis.atoms), std::move(basis.bias)};
  }
  Matrix<float> images_ = bars(160);
};

TEST_F(ConvDbn, LearnsToReconstructBars) {
  const Basis basis = learn(Context(), request());
  ASSERT_EQ(basis.atoms.rows(), 6);
  ASSERT_EQ(basis.atoms.cols(), 16);
  ASSERT_EQ(basis.bias.size(), 6U);
  EXPECT_TRUE(basis.atoms.view().allFinite());
  ASSERT_EQ(basis.history.size(), 13U);
  EXPECT_LT(basis.history.back().value, 0.8 * basis.history.front().value);
}

TEST_F(ConvDbn, ASecondLayerLearnsFromTheFirst) {
  const std::vector<ConvLayer<float>> below = {layer()};
  const ConvShape second{kFirst.pooled(), 2, 8};
  const Basis basis = learn_conv_layer(Context(), request(), below, second);
  ASSERT_EQ(basis.atoms.rows(), 8);
  ASSERT_EQ(basis.atoms.cols(), 24);
  EXPECT_LT(basis.history.back().value, basis.history.front().value);
}

TEST_F(ConvDbn, SameBitsForAnyThreadsOtherBitsForAnotherSeed) {
  const Basis one = learn(Context({.threads = 1, .seed = 5}), request());
  const Basis four = learn(Context({.threads = 4, .seed = 5}), request());
  const Basis other = learn(Context({.threads = 1, .seed = 6}), request());
  EXPECT_TRUE(support::same_bits(one.atoms, four.atoms));
  EXPECT_EQ(one.bias, four.bias);
  EXPECT_FALSE(support::same_bits(one.atoms, other.atoms));
}

TEST_F(ConvDbn, ResumesFromItsCheckpoints) {
  BasisRequest whole = request();
  std::vector<Archive> states;
  whole.hooks.checkpoint_due = [] { return true; };
  whole.hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  const Basis wanted = learn(Context(), whole);
  ASSERT_GT(states.size(), 10U);
  for (const std::size_t at : {std::size_t{0}, states.size() / 2, states.size() - 1}) {
    BasisRequest again = request();
    again.state = &states[at];
    const Basis resumed = learn(Context(), again);
    EXPECT_TRUE(support::same_bits(resumed.atoms, wanted.atoms)) << at;
    EXPECT_EQ(resumed.bias, wanted.bias) << at;
  }
}

TEST_F(ConvDbn, StopsOnRequest) {
  std::function<void()> stop;
  int reports = 0;
  const Context context({.progress = [&](const Progress&) {
    if (++reports == 3) stop();
  }});
  stop = [&] { context.cancel(); };
  EXPECT_THROW(learn(context, request()), Cancelled);
  context.clear_cancel();
  reports = 0;
  BasisRequest best = request();
  best.best_when_cancelled = true;
  EXPECT_EQ(learn(context, best).status, Status::kCancelled);
}

TEST_F(ConvDbn, RefusesBadInput) {
  const auto refusal = [&](const BasisRequest& wanted, const ConvShape& shape) {
    return support::refusal([&] { learn_conv_layer(Context(), wanted, {}, shape); });
  };
  EXPECT_NE(refusal(request(), {{kSide, kSide, 1}, kSide, 6}).find("smaller filters"),
            std::string::npos);
  EXPECT_NE(refusal(request(), {{kSide, 9, 1}, 4, 6}).find("196 values"), std::string::npos);
  BasisRequest large = request();
  large.options.batch = 1000;
  EXPECT_NE(refusal(large, kFirst).find("smaller batch"), std::string::npos);
  images_.view().setConstant(3);
  EXPECT_NE(refusal(request(), kFirst).find("do not vary"), std::string::npos);
  images_(3, 3) = NAN;
  EXPECT_THROW(learn(Context(), request()), InvalidArgument);
}

}  // namespace
}  // namespace krica
