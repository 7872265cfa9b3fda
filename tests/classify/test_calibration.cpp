// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "classify/calibration.hpp"
#include "classify/splits.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

struct Scored {
  Matrix<float> scores;
  std::vector<int> labels;
};

/// Labels drawn from softmax(scores / temperature).
Scored drawn(double temperature, Index samples, Index classes) {
  const Context context({.seed = 4});
  Random random = context.random("scores", 0);
  Scored drawn{Matrix<float>(samples, classes), {}};
  for (Index e = 0; e < drawn.scores.size(); ++e)
    drawn.scores.data()[e] = static_cast<float>(2 * random.normal());
  const Matrix<float> p = probabilities_of(drawn.scores, temperature);
  for (Index i = 0; i < samples; ++i) {
    double left = random.uniform();
    int label = 0;
    while (label + 1 < classes && left >= static_cast<double>(p(i, label)))
      left -= static_cast<double>(p(i, label++));
    drawn.labels.push_back(label);
  }
  return drawn;
}

TEST(Calibration, RecoversTheTemperatureThatDrewTheLabels) {
  for (const double temperature : {0.3, 1.0, 4.0}) {
    const Scored held_out = drawn(temperature, 5000, 6);
    // The standard error is below 3 % for these sizes.
    EXPECT_NEAR(fit_temperature(held_out.scores, held_out.labels), temperature, 0.1 * temperature);
  }
}

TEST(Calibration, ScalesWithTheScores) {
  Scored held_out = drawn(1.0, 500, 4);
  const double temperature = fit_temperature(held_out.scores, held_out.labels);
  for (Index e = 0; e < held_out.scores.size(); ++e) held_out.scores.data()[e] *= 8;
  EXPECT_NEAR(fit_temperature(held_out.scores, held_out.labels), 8 * temperature,
              1e-9 * temperature);
}

TEST(Calibration, LowersTheCalibrationError) {
  const Scored held_out = drawn(3.0, 4000, 5);
  const double temperature = fit_temperature(held_out.scores, held_out.labels);
  const double before =
      expected_calibration_error(probabilities_of(held_out.scores, 1.0), held_out.labels);
  const double after =
      expected_calibration_error(probabilities_of(held_out.scores, temperature), held_out.labels);
  EXPECT_GT(before, 0.15);
  EXPECT_LT(after, 0.03);
}

TEST(Calibration, KeepsTheOrderOfClasses) {
  const Scored held_out = drawn(1.0, 200, 7);
  for (const double temperature : {kLowestTemperature, 0.2, 1.0, 50.0}) {
    const Matrix<float> p = probabilities_of(held_out.scores, temperature);
    EXPECT_EQ(best_classes(p), best_classes(held_out.scores)) << temperature;
    for (Index i = 0; i < p.rows(); ++i) {
      EXPECT_NEAR(p.view().row(i).sum(), 1, 1e-5);
      for (Index a = 0; a < p.cols(); ++a) {
        for (Index b = 0; b < p.cols(); ++b) {
          if (held_out.scores(i, a) > held_out.scores(i, b)) {
            EXPECT_GE(p(i, a), p(i, b));
          }
        }
      }
    }
  }
}

TEST(Calibration, HeldOutSamplesThatAreAllRightGiveNoCertainty) {
  for (const Index m : {2, 20, 200}) {
    Scored separable{Matrix<float>(m, 3), {}};
    for (Index i = 0; i < m; ++i) {
      separable.labels.push_back(static_cast<int>(i % 3));
      for (Index c = 0; c < 3; ++c) separable.scores(i, c) = c == i % 3 ? 1.0F : -1.0F;
    }
    const double temperature = fit_temperature(separable.scores, separable.labels);
    const float p = probabilities_of(separable.scores, temperature)(0, 0);
    EXPECT_NEAR(p, (static_cast<double>(m) + 1) / (static_cast<double>(m) + 2), 1e-4);
  }
}

TEST(Calibration, ScoresThatSayNothingGiveTheHighestTemperature) {
  const Matrix<float> equal(10, 2);
  const std::vector<int> labels(10, 1);
  EXPECT_DOUBLE_EQ(fit_temperature(equal, labels), kHighestTemperature);
  Matrix<float> wrong(10, 2);
  for (Index i = 0; i < 10; ++i) wrong(i, 0) = 1;
  EXPECT_DOUBLE_EQ(fit_temperature(wrong, labels), kHighestTemperature);
}

TEST(Calibration, UnsureWhereTheBestIsLowOrTheSecondClose) {
  EXPECT_FALSE(is_unsure(std::vector<float>{0.7F, 0.2F, 0.1F}));
  EXPECT_FALSE(is_unsure(std::vector<float>{0.3F, 0.6F, 0.1F}));
  EXPECT_TRUE(is_unsure(std::vector<float>{0.4F, 0.2F, 0.4F})) << "below one half";
  EXPECT_TRUE(is_unsure(std::vector<float>{0.53F, 0.47F})) << "close to each other";
}

TEST(Calibration, RefusesBadInput) {
  const std::vector<int> labels = {0, 1};
  Matrix<float> scores(2, 2);
  EXPECT_THROW(fit_temperature(Matrix<float>(0, 2), {}), InvalidArgument);
  EXPECT_THROW(fit_temperature(Matrix<float>(2, 1), labels), InvalidArgument);
  EXPECT_THROW(fit_temperature(scores, std::vector<int>{0}), InvalidArgument);
  EXPECT_THROW(fit_temperature(scores, std::vector<int>{0, 2}), InvalidArgument);
  EXPECT_THROW(probabilities_of(scores, 0), InvalidArgument);
  EXPECT_THROW(expected_calibration_error(scores, labels, 0), InvalidArgument);
  scores(1, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(fit_temperature(scores, labels), InvalidArgument);
}

TEST(HeldOutScores, AreOfSamplesTheClassifierHasNotSeen) {
  // Noise can be learned by heart, but not predicted.
  const Context context({.seed = 9});
  Random random = context.random("noise", 0);
  Matrix<float> features(60, 80);
  for (Index e = 0; e < features.size(); ++e)
    features.data()[e] = static_cast<float>(random.normal());
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) labels.push_back(i % 2);
  SvmTrainer trainer(context, features, labels, 2, {});
  EXPECT_DOUBLE_EQ(accuracy_of(trainer.fit(10).predict(context, features), labels), 1.0);
  const HeldOutScores fifth = trainer.held_out_scores(10);
  EXPECT_EQ(fifth.labels.size(), 12U);
  EXPECT_LT(accuracy_of(best_classes(fifth.scores), fifth.labels), 0.85);
  trainer.hold_out({3, 4});
  const HeldOutScores chosen = trainer.held_out_scores(10);
  EXPECT_EQ(chosen.labels, (std::vector<int>{1, 0}));
  EXPECT_EQ(chosen.scores.rows(), 2);
}

}  // namespace
}  // namespace krica
