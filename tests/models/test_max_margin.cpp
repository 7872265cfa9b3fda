// SPDX-License-Identifier: BSD-3-Clause
//
// max-margin-krica as users run it: through options, checkpoints and model files.
#include <gtest/gtest.h>

#include <functional>

#include "classify/metrics.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "support/comparison.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::gratings;
using support::refusal;
using support::scratch_file;

PipelineOptions joint_options() {
  PipelineOptions options = support::small_options("max-margin-krica");
  options.basis.epochs = 3;
  options.basis.rate = 0.01;
  return options;
}

std::string bytes_of(const Model& model) { return model.to_archive().bytes(); }

double accuracy_on(const Model& model, const ImageSet& images) {
  return evaluate_predictions(model.predict(Context(), images), images.labels(), images.classes())
      .accuracy;
}

TEST(MaxMargin, LearnsAndIsSaved) {
  const auto images = gratings(120);
  PipelineOptions options = joint_options();
  options.basis.epochs = 8;
  options.max_margin.held_out = 0;  // nothing tells whether it helped: what was learned is kept
  TrainingReport report;
  const Model model = train(Context({.threads = 1, .seed = 3}), images, {options}, &report);
  EXPECT_TRUE(report.held_out_accuracy.empty());
  EXPECT_EQ(model.options().encoder.kind, EncoderKind::kSoftThreshold);
  EXPECT_EQ(*model.options().basis.batch, 16);
  EXPECT_EQ(*model.options().pooling.power, 0.5);
  EXPECT_EQ(model.parts().extractor->encoder().shapes().size(), 16U);
  EXPECT_GT(accuracy_on(model, gratings(60, 3, {12, 12, 1}, 9)), 0.8);
  const Model back = Model::from_archive(Archive::parse(bytes_of(model), "bytes"), "bytes");
  EXPECT_TRUE(bytes_of(back) == bytes_of(model));
  EXPECT_TRUE(support::same_bits(back.scores(Context(), images), model.scores(Context(), images)));
}

class MaxMarginShapes : public testing::TestWithParam<std::pair<ImageShape, PipelineOptions>> {};

TEST_P(MaxMarginShapes, GreyAndColourAnyGridAndStride) {
  const auto& [shape, options] = GetParam();
  const auto images = gratings(60, 2, shape);
  const Model model = train(Context({.threads = 1, .seed = 3}), images, {options});
  EXPECT_EQ(model.n_features(), model.parts().extractor->cells() *
                                    channels_of(model.parts().extractor->encoder().options(), 16));
  EXPECT_EQ(model.predict(Context(), images).size(), 60U);
}

PipelineOptions with(const std::function<void(PipelineOptions&)>& change) {
  PipelineOptions options = joint_options();
  change(options);
  return options;
}

INSTANTIATE_TEST_SUITE_P(Models, MaxMarginShapes,
                         testing::Values(std::pair{ImageShape{12, 9, 3}, with([](auto& o) {
                                                     o.pooling.levels = PoolLevels{{{3, 1}}};
                                                   })},
                                         std::pair{ImageShape{10, 14, 1}, with([](auto& o) {
                                                     o.descriptor.stride = 2;
                                                     o.kernel.kind = KernelKind::kPolynomial;
                                                     o.max_margin.refit = true;
                                                     o.classifier.C = 0.1;
                                                   })},
                                         std::pair{ImageShape{12, 12, 1}, with([](auto& o) {
                                                     o.pooling.levels = PoolLevels{{{4, 4}}};
                                                     o.pooling.overlap = true;
                                                     o.classifier.test_flips = true;
                                                     o.classifier.flips = true;
                                                     o.max_margin.crops = 2;
                                                     o.basis.init = "kmeans";
                                                   })},
                                         std::pair{ImageShape{12, 12, 1}, with([](auto& o) {
                                                     o.max_margin.reconstruction = 0.1;
                                                     o.max_margin.loss = MarginLoss::kCrossEntropy;
                                                     o.max_margin.learn_gamma = false;
                                                     o.whitening.method = WhiteningMethod::kPca;
                                                   })}));

/// Cancels at the n-th progress report, whichever stage it comes from.
class MaxMarginCancelledAt : public testing::TestWithParam<int> {};

TEST_P(MaxMarginCancelledAt, ResumesToTheSameBytes) {
  const auto images = gratings(90);
  PipelineOptions options = joint_options();
  options.max_margin.refit = true;
  options.classifier.flips = true;
  const std::string wanted = bytes_of(train(Context({.threads = 1, .seed = 3}), images, {options}));
  const auto checkpoint = scratch_file("max-margin-" + std::to_string(GetParam()));
  remove_checkpoint(checkpoint);
  std::function<void()> stop;
  int reports = 0;
  const Context context({.threads = 2, .seed = 3, .progress = [&](const Progress&) {
                           if (++reports == GetParam()) stop();
                         }});
  stop = [&] { context.cancel(); };
  EXPECT_THROW(train(context, images, {options, checkpoint}), Cancelled);
  TrainingReport report;
  const Context again({.threads = 4, .seed = 3});
  EXPECT_TRUE(bytes_of(train(again, images, {options, checkpoint}, &report)) == wanted);
  EXPECT_TRUE(report.resumed);
  remove_checkpoint(checkpoint);
}
INSTANTIATE_TEST_SUITE_P(Models, MaxMarginCancelledAt,
                         testing::Values(1, 2, 7, 15, 20, 30, 45, 60));

/// Where something is wanted at once, atoms that are not done are given but not kept in the file.
TEST_P(MaxMarginCancelledAt, GivesTheBestSoFarAndStillResumesToTheSameBytes) {
  const auto images = gratings(90);
  const PipelineOptions options = joint_options();
  const std::string wanted = bytes_of(train(Context({.threads = 1, .seed = 3}), images, {options}));
  const auto checkpoint = scratch_file("max-margin-best-" + std::to_string(GetParam()));
  remove_checkpoint(checkpoint);
  std::function<void()> stop;
  int reports = 0;
  const Context context({.threads = 1, .seed = 3, .progress = [&](const Progress&) {
                           if (++reports == GetParam()) stop();
                         }});
  stop = [&] { context.cancel(); };
  TrainingJob job{options, checkpoint};
  job.best_when_cancelled = true;
  try {
    EXPECT_EQ(train(context, images, job).parts().basis_status, "cancelled");
  } catch (const Cancelled&) {  // there were no atoms yet
  }
  EXPECT_GE(reports, GetParam()) << "it was cancelled";
  EXPECT_TRUE(bytes_of(train(Context({.threads = 2, .seed = 3}), images, {options, checkpoint})) ==
              wanted);
  remove_checkpoint(checkpoint);
}

TEST(MaxMargin, PatienceMeansOneTrainingWithImagesHeldOut) {
  const auto images = gratings(90);
  PipelineOptions options = joint_options();
  options.max_margin.patience = 2;
  TrainingReport report;
  train(Context({.threads = 1, .seed = 3}), images, {options}, &report);
  EXPECT_EQ(report.held_out_accuracy.size(), 3U);
  EXPECT_EQ(report.comparison.images, 18);
}

TEST(MaxMargin, BeginsWithAGivenModel) {
  const auto images = gratings(90);
  const auto file = scratch_file("max-margin-start.krica");
  PipelineOptions options = joint_options();
  options.descriptor.contrast = false;
  const Model given = train(Context({.threads = 1, .seed = 3}), images, {options});
  given.save(file);
  options.descriptor.contrast = {};
  options.basis.init = file.string();
  options.basis.components = 7;  // the model's 16 go first
  PipelineOptions hardly_learning = options;
  hardly_learning.basis.rate = 1e-9;
  const Model begun = train(Context({.threads = 1, .seed = 4}), images, {hardly_learning});
  EXPECT_LT(
      support::relative_error(Matrix<float>::copy_of(begun.parts().extractor->encoder().atoms()),
                              Matrix<float>::copy_of(given.parts().extractor->encoder().atoms())),
      1e-6);
  const Model model = train(Context({.threads = 1, .seed = 4}), images, {options});
  EXPECT_EQ(model.options().basis.components, 16);
  EXPECT_EQ(model.options().descriptor.contrast, false) << "as the first model's patches";
  EXPECT_TRUE(model.options().basis.init->starts_with("model "));
  EXPECT_EQ(model.options().basis.init->find(file.string()), std::string::npos)
      << "no path in a model";
  EXPECT_GE(accuracy_on(model, images), 0.6);
  options.basis.init = "kmean";
  EXPECT_NE(refusal([&] { train(Context(), images, {options}); }).find("'kmean'"),
            std::string::npos);
  std::filesystem::remove(file);
}

/// Labels that have nothing to do with the images: nothing can be learned from them.
TEST(MaxMargin, KeepsTheStartWhereLearningDoesNotHelp) {
  const auto shape = ImageShape{12, 12, 1};
  const auto real = gratings(90, 3, shape);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(90 * shape.values()));
  real.read(0, 90, pixels.data());
  std::vector<int> labels;
  Random random = Context({.seed = 5}).random("labels", 0);
  for (int i = 0; i < 90; ++i) labels.push_back(static_cast<int>(random.below(3)));
  const support::MemoryImages noise(shape, pixels, labels, 3);
  int starts = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    TrainingReport report;
    const Model model =
        train(Context({.threads = 1, .seed = seed}), noise, {joint_options()}, &report);
    if (model.parts().basis_status != "start-kept") continue;
    ++starts;
    EXPECT_NE(report.warning.find("initial atoms are kept"), std::string::npos) << report.warning;
    PipelineOptions unlearned = joint_options();
    unlearned.method = "omp-1";
    unlearned.basis.init = "random";
    const Model omp1 = train(Context({.threads = 1, .seed = seed}), noise, {unlearned});
    EXPECT_EQ(model.n_features(), omp1.n_features());
    EXPECT_TRUE(*model.options().max_margin.refit) << "the start has an SVM";
  }
  EXPECT_GE(starts, 1) << "chance alone helps at most some of the time";
}

TEST(MaxMargin, HeldOutImagesChooseBetweenClassifierAndSvm) {
  const auto images = gratings(120);
  for (const bool refit : {true, false}) {
    PipelineOptions options = joint_options();
    options.max_margin.refit = refit;
    options.basis.components = 2;  // of random ones, too few: learning helps
    options.basis.init = "random";
    options.basis.epochs = 20;
    options.basis.rate = 0.02;
    const Model model = train(Context({.threads = 1, .seed = 3}), images, {options});
    ASSERT_NE(model.parts().basis_status, "start-kept");
    EXPECT_EQ(*model.options().max_margin.refit, refit);
    EXPECT_EQ(model.options().classifier.C.has_value(), refit);
  }
}

TEST(MaxMargin, ALossThatIsNotFiniteIsToldAndTheModelIsStillMade) {
  const auto images = gratings(60);
  PipelineOptions options = joint_options();
  options.basis.rate = 1e30;
  TrainingReport report;
  const Model model = train(Context({.threads = 1, .seed = 3}), images, {options}, &report);
  EXPECT_NE(report.warning.find("not finite at step"), std::string::npos) << report.warning;
  EXPECT_EQ(model.parts().basis_status, "numerical-trouble");
  EXPECT_NE(report.warning.find("the initial atoms are kept"), std::string::npos) << report.warning;
  EXPECT_EQ(report.comparison.kept, "start");
  EXPECT_TRUE(model.has_classifier()) << "fitted on the last good basis";
}

TEST(MaxMargin, AtomsThatLeftTheDataAreToldOf) {
  const auto images = gratings(60);
  PipelineOptions options = joint_options();
  options.encoder.kind = EncoderKind::kKernel;
  options.basis.rate = 5;
  options.max_margin.held_out = 0;  // else the epoch before would be kept
  TrainingReport report;
  const Model model = train(Context({.threads = 1, .seed = 3}), images, {options}, &report);
  EXPECT_NE(report.warning.find("hardly vary"), std::string::npos) << report.warning;
  EXPECT_EQ(model.parts().basis_status, "diverged");
}

/// Narrow widths make small codes; standardised, they serve as well as others.
TEST(MaxMargin, SmallCodesAreNoTrouble) {
  const auto images = gratings(90);
  PipelineOptions options = joint_options();
  options.encoder.kind = EncoderKind::kKernel;
  options.kernel.gamma = 25;
  options.max_margin.held_out = 0;
  TrainingReport report;
  const Model model = train(Context({.threads = 1, .seed = 3}), images, {options}, &report);
  EXPECT_TRUE(report.warning.empty()) << report.warning;
  EXPECT_NE(model.parts().basis_status, "diverged");
}

TEST(MaxMargin, RefusesWhatDoesNotFit) {
  const auto images = gratings(40);
  const auto refused = [&](const std::function<void(PipelineOptions&)>& change) {
    return refusal([&] { train(Context(), images, {with(change)}); });
  };
  EXPECT_NE(refused([](auto& o) { o.basis.batch = 100; }).find("a batch of 100"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) {
              o.pooling.levels = PoolLevels{{{10, 10}}};
            }).find("finer"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.encoder.kind = EncoderKind::kHard; }).find("derivative"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) {
              o.encoder.kind = EncoderKind::kAbs;
              o.max_margin.reconstruction = 0.1;
            }).find("kernel codes"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.max_margin.crops = 12; }).find("crops"), std::string::npos);
  EXPECT_NE(refusal([&] {
              train(Context(), images, {joint_options(), {}, false});
            }).find("labels"),
            std::string::npos)
      << "fit has no labels to learn from";
}

}  // namespace
}  // namespace krica
