// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "features/extractor.hpp"
#include "joint/option_fields.hpp"
#include "joint/trainer.hpp"
#include "krica/data/image_set.hpp"
#include "krica/runtime/error.hpp"
#include "patches/sampling.hpp"
#include "solvers/common.hpp"
#include "support/changed_options.hpp"
#include "support/comparison.hpp"
#include "support/features.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::gratings;
using support::MemoryImages;
using support::refusal;

JointOptions small_options() {
  JointOptions options;
  options.objective.encoder.kernel = {.kind = KernelKind::kGaussian, .gamma = 2};
  options.features = support::features(4, 1, 2, 2, false, 0.5);
  options.epochs = 4;
  options.batch = 16;
  options.rate = 0.01;
  options.classifier_rate = 0.02;
  return options;
}

/// Images with the preprocessing and the random patches that training begins with.
struct Setting {
  explicit Setting(const ImageSet& set, const JointOptions& job = small_options(), Index K = 12)
      : images(set), options(job) {
    const Index field = job.features.descriptors.receptive_field;
    const PatchSample sample = sample_patches(Context(), set, field, 400);
    preprocessing = Preprocessing::fit(Context(), sample.patches, {.unit_norm = true});
    patches = preprocessing->apply(Context(), sample.patches);
    start.atoms = Matrix<float>::copy_of(patches.view().topRows(K));
  }

  JointResult run(const Context& context, const JointHooks& hooks = {},
                  const Archive* state = nullptr) const {
    return train_jointly(context, images, *preprocessing, start, options, patches, hooks, state);
  }

  const ImageSet& images;
  JointOptions options;
  std::optional<Preprocessing> preprocessing;
  Matrix<float> patches;
  JointStart start;
};

bool equal(const JointResult& a, const JointResult& b) {
  return support::same_bits(a.atoms, b.atoms) && a.shapes == b.shapes &&
         a.classifier->weights() == b.classifier->weights() &&
         a.held_out_accuracy == b.held_out_accuracy && a.best_epoch == b.best_epoch;
}

TEST(JointTrainer, LearnsToTellGratingsApart) {
  const auto images = gratings(150, 3);
  const JointResult result = Setting(images).run(Context({.threads = 1, .seed = 2}));
  EXPECT_EQ(result.status, Status::kIterationLimit);
  ASSERT_EQ(result.history.size(), 4U);
  EXPECT_LT(result.history.back().training_value, 0.5 * result.history.front().training_value);
  EXPECT_GT(result.held_out_accuracy.back(), 0.9);
  EXPECT_EQ(result.shapes.size(), 12U);
  ASSERT_TRUE(result.classifier.has_value());
  EXPECT_EQ(result.classifier->n_classes(), 3);
}

TEST(JointTrainer, SameBitsForAnyThreads) {
  const auto images = gratings(80, 2, {10, 12, 3});
  Setting setting(images);
  setting.options.augmentation = {.flips = true, .crops = 2};
  setting.options.objective.reconstruction = 0.01;
  const JointResult one = setting.run(Context({.threads = 1, .seed = 5}));
  for (const int threads : {2, 4})
    EXPECT_TRUE(equal(one, setting.run(Context({.threads = threads, .seed = 5})))) << threads;
  EXPECT_FALSE(equal(one, setting.run(Context({.threads = 2, .seed = 6}))));
}

TEST(JointTrainer, ResumesToTheSameBitsFromAnyStep) {
  const auto images = gratings(60);
  Setting setting(images);
  setting.options.augmentation.flips = true;
  const JointResult whole = setting.run(Context({.threads = 1, .seed = 3}));
  // As after a kill: what is there is the last checkpoint.
  std::vector<Archive> states;
  JointHooks hooks;
  hooks.checkpoint_due = [] { return true; };
  hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  EXPECT_TRUE(equal(whole, setting.run(Context({.threads = 1, .seed = 3}), hooks)));
  ASSERT_EQ(states.size(), 12U) << "4 epochs of 3 steps";
  for (const Archive& state : states) {
    const Archive read = Archive::parse(state.bytes(), "state");
    EXPECT_TRUE(equal(whole, setting.run(Context({.threads = 1, .seed = 3}), {}, &read)));
  }
}

TEST(JointTrainer, CancelledInTheMiddleGoesOn) {
  const auto images = gratings(60);
  const Setting setting(images);
  const JointResult whole = setting.run(Context({.threads = 1, .seed = 3}));
  std::function<void()> stop;
  const Context context({.threads = 1, .seed = 3, .progress = [&](const Progress& progress) {
                           EXPECT_NE(std::string(progress.note).find("epoch"), std::string::npos);
                           if (progress.step == 5) stop();
                         }});
  stop = [&] { context.cancel(); };
  Archive state;
  JointHooks hooks;
  hooks.checkpoint = [&](const Archive& given) { state = given; };
  EXPECT_THROW(setting.run(context, hooks), Cancelled);
  ASSERT_FALSE(state.empty());
  EXPECT_TRUE(equal(whole, setting.run(Context({.threads = 1, .seed = 3}), {}, &state)));
  Setting other(images);
  other.options.decay = 0.5;
  EXPECT_NE(
      refusal([&] { other.run(Context({.threads = 1, .seed = 3}), {}, &state); }).find("decay"),
      std::string::npos);
}

TEST(JointTrainer, AStateIsRefusedWhereAnyOptionDiffers) {
  Archive state;
  const JointOptions options = small_options();
  put_origin(state, "joint", identity_of(options, 3));
  check_origin(state, "joint", identity_of(options, 3));
  support::for_each_change(
      options, [&](const JointOptions& changed, std::string_view name, OnResume on_resume) {
        ASSERT_EQ(on_resume, OnResume::kMustAgree) << name;
        const std::string message =
            refusal([&] { check_origin(state, "joint", identity_of(changed, 3)); });
        EXPECT_NE(message.find(fmt::format("options: {} (saved ", name)), std::string::npos)
            << name << ": " << message;
      });
}

TEST(JointTrainer, EveryKernelLearns) {
  const auto images = gratings(80, 2);
  for (const KernelKind kind :
       {KernelKind::kPolynomial, KernelKind::kInverseSquareDistance, KernelKind::kLinear,
        KernelKind::kInverseDistance, KernelKind::kHistogramIntersection}) {
    Setting setting(images);
    setting.options.objective.encoder.kernel.kind = kind;
    setting.options.objective.loss = MarginLoss::kCrossEntropy;
    const JointResult result = setting.run(Context({.threads = 1}));
    EXPECT_TRUE(result.shapes.empty());
    EXPECT_LT(result.history.back().training_value, result.history.front().training_value)
        << name_of(kind);
  }
}

/// The moments that the classifier is kept with are those of the kept atoms over the images that
/// were learned from, however few steps an epoch has and however fast the atoms move.
TEST(JointTrainer, TheMomentsAreThoseOfTheKeptAtoms) {
  const auto images = gratings(64, 2);
  Setting setting(images);
  setting.options.batch = 50;  // one step an epoch
  setting.options.rate = 0.3;
  const Context context({.threads = 1, .seed = 1});
  const JointResult result = setting.run(context);
  const std::vector<Index> held = held_out_images(context, images, setting.options);
  std::vector<Index> learned;
  for (Index i = 0; i < images.size(); ++i) {
    if (std::find(held.begin(), held.end(), i) == held.end()) learned.push_back(i);
  }
  const ImageSetPtr unowned(ImageSetPtr(), &images);
  const FeatureExtractor extractor(
      setting.options.features, images.shape(), *setting.preprocessing,
      Encoder(setting.options.objective.encoder, result.atoms, result.shapes));
  const FeatureMatrix features = extractor.extract(context, *subset(unowned, learned));
  for (Index j = 0; j < features.cols(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double mean = features.view().col(j).cast<double>().mean();
    EXPECT_NEAR(result.standardiser->mean()[at], mean, 1e-4 * (1 + std::abs(mean)));
  }
}

TEST(JointTrainer, FoldsHoldOutEveryImageOnce) {
  const auto images = gratings(61, 3);
  Setting setting(images);
  setting.options.folds = 3;
  setting.options.early_stopping = false;
  setting.options.epochs = 2;
  const Context context({.threads = 1, .seed = 3});
  std::vector<int> seen(61, 0);
  for (Index fold = 0; fold < 3; ++fold) {
    setting.options.fold = fold;
    for (const Index i : held_out_images(context, images, setting.options))
      ++seen[static_cast<std::size_t>(i)];
    const JointResult result = setting.run(context);
    EXPECT_EQ(result.best_epoch, 2) << "the last epoch, whatever the held-out images say";
    EXPECT_EQ(result.held_out_accuracy.size(), 1U);
  }
  EXPECT_EQ(seen, std::vector<int>(61, 1));
  setting.options.fold = 3;
  EXPECT_NE(refusal([&] { setting.run(context); }).find("fold 3 of 3"), std::string::npos);
}

TEST(JointTrainer, EveryCodeLearns) {
  const auto images = gratings(80, 2);
  for (const EncoderKind kind :
       {EncoderKind::kSoftThreshold, EncoderKind::kTriangle, EncoderKind::kAbs,
        EncoderKind::kSoftAbs, EncoderKind::kSigmoid, EncoderKind::kLinear}) {
    Setting setting(images);
    setting.options.objective.encoder.kind = kind;
    const JointResult result = setting.run(Context({.threads = 1}));
    EXPECT_EQ(!result.shapes.empty(), has_shapes(setting.options.objective.encoder));
    EXPECT_LT(result.history.back().training_value, result.history.front().training_value)
        << name_of(kind);
  }
  Setting setting(images);
  setting.options.objective.encoder.kind = EncoderKind::kHard;
  EXPECT_NE(refusal([&] { setting.run(Context({.threads = 1})); }).find("hard"), std::string::npos);
}

/// While the rate rises the accuracy may stand still; only epochs after that count.
TEST(JointTrainer, PatienceBeginsWhenTheRateFalls) {
  const auto images = gratings(100, 2);
  Setting setting(images);
  setting.options.epochs = 40;
  setting.options.patience = 1;
  setting.options.rate = 1e-9;  // nothing is learned: no epoch is better than the first
  setting.options.classifier_rate = 1e-9;
  const JointResult result = setting.run(Context({.threads = 1}));
  EXPECT_EQ(result.status, Status::kConverged);
  EXPECT_EQ(result.held_out_accuracy.size(), 12U) << "the rate rises for 12 of 40 epochs";
}

TEST(JointTrainer, StopsEarlyAndKeepsTheBestEpoch) {
  const auto images = gratings(100, 2);
  Setting setting(images);
  setting.options.epochs = 40;
  setting.options.patience = 2;
  const JointResult result = setting.run(Context({.threads = 1}));
  EXPECT_EQ(result.status, Status::kConverged);
  const auto epochs = static_cast<Index>(result.held_out_accuracy.size());
  EXPECT_LT(epochs, 40);
  const double best =
      *std::max_element(result.held_out_accuracy.begin(), result.held_out_accuracy.end());
  EXPECT_EQ(result.held_out_accuracy[static_cast<std::size_t>(result.best_epoch - 1)], best);
}

TEST(JointTrainer, WithoutHeldOutImagesTheLastEpochCounts) {
  const auto images = gratings(60);
  Setting setting(images);
  setting.options.held_out = 0;
  const JointResult result = setting.run(Context({.threads = 1}));
  EXPECT_TRUE(result.held_out_accuracy.empty());
  EXPECT_EQ(result.best_epoch, 4);
}

TEST(JointTrainer, ALossThatIsNotFiniteIsReportedAndTheLastGoodBasisKept) {
  const auto images = gratings(60);
  Setting setting(images);
  setting.options.classifier_rate = 1e30;
  const JointResult result = setting.run(Context({.threads = 1}));
  EXPECT_EQ(result.status, Status::kNumericalTrouble);
  EXPECT_GT(result.failed_step, 1);
  EXPECT_LE(result.failed_step, 3) << "in the first epoch";
  EXPECT_EQ(result.best_epoch, 0);
  EXPECT_FALSE(result.classifier.has_value());
  EXPECT_TRUE(support::same_bits(result.atoms, setting.start.atoms));
}

TEST(JointTrainer, RefusesBadInput) {
  const auto images = gratings(40);
  Setting setting(images);
  setting.options.batch = 41;
  EXPECT_NE(refusal([&] {
              setting.run(Context({.threads = 1}));
            }).find("a batch of 41 is larger than the"),
            std::string::npos);
  setting.options = small_options();
  setting.options.features.pooling.levels = {{{10, 2}}};
  EXPECT_NE(
      refusal([&] { setting.run(Context({.threads = 1})); }).find("finer than the 9 x 9 positions"),
      std::string::npos);
  setting.options = small_options();
  setting.options.augmentation.crops = 12;
  EXPECT_NE(refusal([&] { setting.run(Context({.threads = 1})); }).find("crops"),
            std::string::npos);
  setting.options = small_options();
  setting.start.shapes = {1};
  EXPECT_NE(refusal([&] { setting.run(Context({.threads = 1})); }).find("1 shapes"),
            std::string::npos);

  std::vector<std::uint8_t> pixels(12 * 12 * 20);
  images.read(0, 20, pixels.data());
  const MemoryImages same({12, 12, 1}, pixels, std::vector<int>(20, 1), 2);
  const Setting one_class(same);
  EXPECT_NE(refusal([&] { one_class.run(Context({.threads = 1})); }).find("class 1"),
            std::string::npos);
  const MemoryImages unlabelled({12, 12, 1}, pixels, {}, 0);
  const Setting none(unlabelled);
  EXPECT_NE(refusal([&] { none.run(Context({.threads = 1})); }).find("no labels"),
            std::string::npos);
}

}  // namespace
}  // namespace krica
