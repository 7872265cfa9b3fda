// SPDX-License-Identifier: BSD-3-Clause
//
// Estimates for machines of a given speed; how long anything really takes is not tested.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "krica/bases/basis.hpp"
#include "krica/models/training.hpp"
#include "models/estimate.hpp"
#include "models/small_job.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

constexpr MachineSpeed kSpeed{
    .products = 2e11, .serial_products = 1e11, .loops = 4e9, .reading = 2e10};
constexpr DataFacts kFacts{{32, 32, 3}, 3000, 10};
constexpr DataFacts kSamples{{1, 1, 60}, 5000, 3};

PipelineOptions options_for(std::string_view method) {
  PipelineOptions options;
  options.method = std::string(method);
  options.basis.components = 100;
  options.descriptor.patches = 20000;
  return options;
}

double seconds(const PipelineOptions& options, const DataFacts& facts = kFacts,
               const MachineSpeed& speed = kSpeed) {
  return estimate_training(speed, facts, resolved(options, facts)).seconds();
}

double stage_seconds(const TrainingEstimate& estimate, std::string_view stage) {
  const auto found = std::find_if(estimate.stages.begin(), estimate.stages.end(),
                                  [&](const StageEstimate& s) { return s.stage == stage; });
  return found == estimate.stages.end() ? 0 : found->seconds;
}

TEST(Estimate, IsPositiveForEveryMethodOnImagesAndSamples) {
  for (const BasisMethod& method : basis_methods()) {
    for (DataFacts facts : {kFacts, kSamples}) {
      if (method.network && facts.shape.is_sample()) continue;
      PipelineOptions options = options_for(method.name);
      options.basis.components = 30;
      const double whole = seconds(options, facts);
      EXPECT_TRUE(std::isfinite(whole) && whole > 0) << method.name;
      facts.classes = 0;
      if (method.joint) continue;
      EXPECT_LT(seconds(options, facts), whole) << method.name << " without a classifier";
    }
  }
}

TEST(Estimate, GrowsWithImagesPatchesAndAtoms) {
  for (const BasisMethod& method : basis_methods()) {
    const PipelineOptions options = options_for(method.name);
    const double base = seconds(options);
    DataFacts more_images = kFacts;
    more_images.size *= 3;  // from 4,000 on, max-margin training is judged on one part, not three
    EXPECT_GT(seconds(options, more_images), base) << method.name;
    if (method.learn == nullptr && !method.network) continue;
    PipelineOptions more_atoms = options;
    more_atoms.basis.components = 200;
    EXPECT_GT(seconds(more_atoms), base) << method.name;
    if (method.network) continue;  // learns from whole images
    PipelineOptions more_patches = options;
    more_patches.descriptor.patches = 40000;
    EXPECT_GT(seconds(more_patches), base) << method.name;
  }
}

TEST(Estimate, GrowsWithIterationsAndEpochs) {
  PipelineOptions krica = options_for("krica");
  krica.basis.iterations = 20;
  PipelineOptions longer = krica;
  longer.basis.iterations = 40;
  EXPECT_GT(seconds(longer), seconds(krica));
  PipelineOptions joint = options_for("max-margin-krica");
  joint.basis.epochs = 5;
  longer = joint;
  longer.basis.epochs = 10;
  EXPECT_GT(seconds(longer), 1.5 * seconds(joint)) << "nearly all of the time is in the epochs";
}

TEST(Estimate, KmeansCountsItsStartAndItsTurns) {
  const auto basis_of = [](const char* method, const char* init) {
    PipelineOptions options = options_for(method);
    if (init != nullptr) options.basis.init = init;
    return stage_seconds(estimate_training(kSpeed, kFacts, resolved(options, kFacts)), "basis");
  };
  EXPECT_EQ(basis_of("kmeans-triangle", nullptr), basis_of("kmeans-triangle", "random"));
  EXPECT_EQ(basis_of("kmeans-hard", nullptr), basis_of("kmeans-hard", "kmeans"));
  EXPECT_EQ(basis_of("kmeans-hard", "random"), basis_of("kmeans-triangle", "random"));
  EXPECT_GT(basis_of("kmeans-triangle", "kmeans"), basis_of("kmeans-triangle", "random"));
  EXPECT_GT(basis_of("kmeans-triangle", "random-patches"), basis_of("kmeans-triangle", "random"));
  // The iterations are those of Lloyd, whatever method they are for.
  EXPECT_LT(basis_of("kmeans-triangle", "kmeans"), 1.5 * basis_of("kmeans-triangle", "random"));
}

TEST(Estimate, SearchingCTakesLongerInBothFormsOfTheSvm) {
  for (const Index images : {1000, 20000}) {  // fewer, and more, than features
    DataFacts facts = kFacts;
    facts.size = images;
    PipelineOptions searched = options_for("random-patches");
    searched.basis.components = 1600;
    PipelineOptions given = searched;
    given.classifier.C = 0.01;
    EXPECT_GT(seconds(searched, facts), seconds(given, facts));
  }
}

TEST(Estimate, AMachineOfTwiceTheSpeedTakesHalfTheTime) {
  const MachineSpeed twice{.products = 2 * kSpeed.products,
                           .serial_products = 2 * kSpeed.serial_products,
                           .loops = 2 * kSpeed.loops,
                           .reading = 2 * kSpeed.reading};
  for (const BasisMethod& method : basis_methods()) {
    const PipelineOptions options = options_for(method.name);
    EXPECT_NEAR(seconds(options, kFacts, twice) / seconds(options), 0.5, 1e-9) << method.name;
  }
}

TEST(Estimate, SlowReadingCounts) {
  const PipelineOptions settled = resolved(options_for("random-patches"), kFacts);
  const double fast = estimate_training(kSpeed, kFacts, settled).seconds();
  const ReadingTime decoded{.first = 1e-2, .again = 1e-5};
  const double slow = estimate_training(kSpeed, kFacts, settled, decoded).seconds();
  EXPECT_GT(slow - fast, 3000 * 1e-2 / 2);  // on two threads
  EXPECT_GT(estimate_encoding(kSpeed, kFacts, settled, decoded),
            estimate_encoding(kSpeed, kFacts, settled));
}

TEST(Estimate, ReadingTimeOfASetInMemoryIsFinite) {
  const ReadingTime time = reading_time(support::gratings(9));
  EXPECT_TRUE(std::isfinite(time.first) && time.first >= time.again && time.again >= 0);
}

TEST(Estimate, HasTheStagesOfTheTraining) {
  const auto images = support::gratings(90);
  for (const char* method : {"raw-pixels", "random-patches", "max-margin-krica"}) {
    PipelineOptions options = support::small_options(method);
    options.basis.epochs = 1;
    TrainingReport report;
    train(Context({.threads = 1}), images, {options}, &report);
    const DataFacts facts = facts_of(images, true);
    const TrainingEstimate estimate = estimate_training(kSpeed, facts, resolved(options, facts));
    for (const StageTime& stage : summed(report.stages))
      EXPECT_GT(stage_seconds(estimate, stage.stage), 0) << method << ": " << stage.stage;
    EXPECT_EQ(estimate.stages.size(), summed(report.stages).size()) << method;
  }
}

TEST(Estimate, RoughDurationsAtTheirBoundaries) {
  const std::vector<std::pair<double, std::string>> cases = {
      {0, "about 1 second"},
      {1.4, "about 1 second"},
      {1.6, "about 2 seconds"},
      {9.4, "about 9 seconds"},
      {9.6, "about 10 seconds"},
      {12, "about 10 seconds"},
      {13, "about 15 seconds"},
      {57, "about 55 seconds"},
      {58, "about 1 minute"},
      {89, "about 1 minute"},
      {91, "about 2 minutes"},
      {569, "about 9 minutes"},
      {571, "about 10 minutes"},
      {13 * 60, "about 15 minutes"},
      {57 * 60, "about 55 minutes"},
      {58 * 60, "about 1 hour"},
      {66 * 60, "about 1 hour 10 minutes"},
      {118 * 60, "about 2 hours"},
      {131 * 60, "about 2 hours 10 minutes"},
      {9.95 * 3600, "about 10 hours"},
      {14.4 * 3600, "about 14 hours"},
      {47 * 3600, "about 47 hours"},
      {49 * 3600, "about 2 days"},
      {250 * 3600, "about 10 days"},
  };
  for (const auto& [seconds, text] : cases) EXPECT_EQ(rough_duration(seconds), text) << seconds;
}

TEST(Estimate, ShortWorkIsNotAnnounced) {
  EXPECT_EQ(waiting_text("encoding", 2.9, 3), "");
  EXPECT_EQ(waiting_text("encoding", 3, 3), "encoding: about 3 seconds");
  EXPECT_EQ(waiting_text("encoding", 0, 0), "encoding: about 1 second");
  EXPECT_EQ(waiting_text("encoding", std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(Estimate, SaysWhatIsLearned) {
  PipelineOptions options = options_for("krica");
  options.basis.components = 1600;
  EXPECT_EQ(learning_text(kFacts, options), "learning 1,600 atoms from 3,000 images");
  EXPECT_EQ(learning_text(kSamples, options_for("rica")), "learning 100 atoms from 5,000 samples");
  EXPECT_EQ(learning_text(kFacts, options_for("raw-pixels")),
            "learning a classifier from 3,000 images");
}

TEST(Estimate, NumbersAreGrouped) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
}

}  // namespace
}  // namespace krica
