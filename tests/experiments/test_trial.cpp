// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "experiments/distances.hpp"
#include "experiments/trial.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

Model trained(const Context& context, const ImageSet& images, TrainingReport& report,
              const std::string& method = "random-patches") {
  PipelineOptions options;
  options.method = method;
  options.basis.components = 12;
  options.descriptor.receptive_field = 4;
  options.descriptor.patches = 300;
  options.classifier.C = 0.1;
  return train(context, images, {options}, &report);
}

TEST(Trial, HoldsWhatTheModelSaysOfTheTestImages) {
  const Context context;
  const auto images = support::gratings(60);
  const auto test = support::gratings(30, 3, {12, 12, 1}, 2);
  TrainingReport report;
  const Model model = trained(context, images, report);
  Trial trial = trial_of(model, report, images.size());
  const Matrix<float> scores = model.scores(context, test);
  add_test(model, scores, test, trial);
  EXPECT_EQ(trial.predictions, model.predict(context, test));
  EXPECT_EQ(trial.labels, test.labels());
  double before = std::numeric_limits<double>::infinity();
  for (const Mistake& mistake : trial.mistakes) {
    EXPECT_LE(mistake.margin, before);
    EXPECT_FLOAT_EQ(static_cast<float>(mistake.margin), scores(mistake.image, mistake.predicted) -
                                                            scores(mistake.image, mistake.truth));
    before = mistake.margin;
  }
  const CodeStatistics& codes = trial.codes;
  EXPECT_EQ(std::accumulate(codes.counts.begin(), codes.counts.end(), Index{0}), 8 * 8 * 8 * 12);
  EXPECT_GE(codes.lowest, 0) << "Gaussian codes";
  EXPECT_LE(codes.highest, 1);
  EXPECT_GT(codes.sparsity, 0);
  EXPECT_LT(codes.sparsity, 1);
  ASSERT_FALSE(trial.stages.empty());
  EXPECT_GT(trial.stages.back().peak_bytes, 0);
}

TEST(Trial, RawPixelsHaveNoCodes) {
  const Context context;
  const auto images = support::gratings(60);
  TrainingReport report;
  const Model model = trained(context, images, report, "raw-pixels");
  Trial trial = trial_of(model, report, images.size());
  add_test(model, model.scores(context, images), images, trial);
  EXPECT_TRUE(trial.codes.counts.empty());
}

TEST(Distances, AreScaledToAMeanOfOne) {
  const Context context;
  const auto images = support::gratings(30);
  TrainingReport report;
  const Model model = trained(context, images, report);
  const Matrix<float> distances = scaled_distances(context, model, images);
  double sum = 0;
  for (Index i = 0; i < 30; ++i) {
    EXPECT_EQ(distances(i, i), 0);
    for (Index j = 0; j < 30; ++j) {
      EXPECT_EQ(distances(i, j), distances(j, i));
      sum += distances(i, j);
    }
  }
  EXPECT_NEAR(sum / (30 * 29), 1, 1e-5);
  EXPECT_GT(block_score(distances, images), 1) << "gratings of one direction are alike";
}

}  // namespace
}  // namespace krica
