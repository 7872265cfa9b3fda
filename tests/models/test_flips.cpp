// SPDX-License-Identifier: BSD-3-Clause
//
// Mirror images for the SVM: option flips, and how max-margin-krica's SVM follows it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "classify/standardiser.hpp"
#include "data/mirrored.hpp"
#include "krica/models/training.hpp"
#include "models/estimate.hpp"
#include "models/memory_plan.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "support/comparison.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::gratings;
using support::refusal;
using support::scratch_file;

PipelineOptions with_flips(const std::string& method = "random-patches") {
  PipelineOptions options = support::small_options(method);
  options.classifier.flips = true;
  return options;
}

std::vector<float> mean_of(const Standardiser& standardiser) {
  return {standardiser.mean().begin(), standardiser.mean().end()};
}

bool same_bits(ConstMatrixView<float> a, ConstMatrixView<float> b) {
  return support::same_bits(Matrix<float>::copy_of(a), Matrix<float>::copy_of(b));
}

std::string bytes_of(const Model& model) { return model.to_archive().bytes(); }

TEST(Mirrors, FollowTheImages) {
  const auto images = gratings(5, 3, {4, 3, 3});
  const WithMirrors both(images);
  ASSERT_EQ(both.size(), 10);
  EXPECT_EQ(both.labels(), (std::vector<int>{0, 1, 2, 0, 1, 0, 1, 2, 0, 1}));
  EXPECT_EQ(both.item_name(7), images.item_name(2));
  const Index values = images.shape().values();
  std::vector<std::uint8_t> plain(static_cast<std::size_t>(5 * values));
  images.read(0, 5, plain.data());
  std::vector<std::uint8_t> read(static_cast<std::size_t>(4 * values));
  both.read(3, 4, read.data());  // two images, then two mirrors
  for (Index i = 0; i < 4; ++i) {
    const Index image = (3 + i) % 5;
    for (Index row = 0; row < 12; ++row) {
      for (Index x = 0; x < 3; ++x) {
        const Index from = i < 2 ? x : 2 - x;
        EXPECT_EQ(read[static_cast<std::size_t>(i * values + row * 3 + x)],
                  plain[static_cast<std::size_t>(image * values + row * 3 + from)]);
      }
    }
  }
  std::vector<float> numbers(static_cast<std::size_t>(4 * values));
  both.read(3, 4, numbers.data());
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), read.begin()));
}

/// What training must do, step by step, on the features that the model itself extracts.
class Reference {
 public:
  Reference(const Context& context, const Model& model, const ImageSet& images)
      : context_(context), both_(images), features_(model.transform(context, both_)) {
    standardiser = Standardiser::fit(context, std::as_const(features_).view());
    standardiser.apply_in_place(context, features_.view());
  }

  SvmTrainer trainer() {
    return {context_, std::as_const(features_).view(), both_.labels(), both_.classes(), {}};
  }

  Standardiser standardiser;

 private:
  const Context& context_;
  WithMirrors both_;
  FeatureMatrix features_;
};

TEST(Flips, TheSvmLearnsFromImagesAndMirrors) {
  const Context context({.threads = 1, .seed = 3});
  const auto images = gratings(45);
  for (const char* method : {"random-patches", "omp-1", "raw-pixels", "kmeans-triangle"}) {
    PipelineOptions options = with_flips(method);
    options.classifier.C = 0.05;
    const Model model = train(context, images, {options});
    EXPECT_EQ(model.options().classifier.flips, true) << method;
    Reference reference(context, model, images);
    const ClassifierParts& learned = *model.parts().classifier;
    EXPECT_EQ(mean_of(learned.standardiser), mean_of(reference.standardiser)) << method;
    const LinearClassifier svm = reference.trainer().fit(0.05);
    EXPECT_TRUE(same_bits(learned.linear.weights(), svm.weights())) << method;
    options.classifier.flips = false;
    const Model plain = train(context, images, {options});
    EXPECT_NE(mean_of(plain.parts().classifier->standardiser), mean_of(learned.standardiser));
    if (!model.parts().extractor) continue;
    EXPECT_TRUE(same_bits(plain.parts().extractor->encoder().atoms(),
                          model.parts().extractor->encoder().atoms()))
        << method << ": the atoms are learned from the images as they are";
  }
}

TEST(Flips, AnImageAndItsMirrorAreHeldOutTogether) {
  const Context context({.threads = 1, .seed = 3});
  const auto images = gratings(45);
  TrainingReport report;
  const Model model = train(context, images, {with_flips()}, &report);
  Reference reference(context, model, images);
  SvmTrainer trainer = reference.trainer();
  std::vector<Index> held_out = stratified_split(images.labels(), 0.2, context.seed()).test;
  ASSERT_EQ(held_out.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) held_out.push_back(held_out[i] + 45);
  trainer.hold_out(held_out);
  const ChosenC chosen = trainer.choose_c();
  EXPECT_EQ(report.chosen_c.C, chosen.C);
  EXPECT_EQ(report.chosen_c.tried, chosen.tried);
  EXPECT_TRUE(model.has_probabilities());
}

TEST(Flips, SameBitsForAnyThreadsAndAfterAnInterruption) {
  const auto images = gratings(45, 3, {12, 12, 3});
  const PipelineOptions options = with_flips("omp-1");
  const std::string wanted = bytes_of(train(Context({.threads = 1, .seed = 3}), images, {options}));
  for (const int stop_at : {1, 3, 6, 9}) {
    const auto checkpoint = scratch_file("flips-" + std::to_string(stop_at));
    remove_checkpoint(checkpoint);
    std::function<void()> stop;
    int reports = 0;
    const Context context({.threads = 2, .seed = 3, .progress = [&](const Progress&) {
                             if (++reports == stop_at) stop();
                           }});
    stop = [&] { context.cancel(); };
    EXPECT_THROW(train(context, images, {options, checkpoint}), Cancelled) << stop_at;
    EXPECT_TRUE(bytes_of(train(Context({.threads = 3, .seed = 3}), images,
                               {options, checkpoint})) == wanted)
        << stop_at;
    remove_checkpoint(checkpoint);
  }
}

TEST(Flips, AnSvmAfterMaxMarginTrainingSeesMirrorsToo) {
  const Context context({.threads = 1, .seed = 3});
  const auto images = gratings(45);
  PipelineOptions options = with_flips("max-margin-krica");
  options.basis.epochs = 1;
  options.max_margin.refit = true;
  TrainingReport report;
  const Model model = train(context, images, {options}, &report);
  EXPECT_EQ(report.comparison.images, 45) << "an image and its mirror count once";
  const ClassifierParts& learned = *model.parts().classifier;
  Reference reference(context, model, images);
  EXPECT_EQ(mean_of(learned.standardiser), mean_of(reference.standardiser));
  const LinearClassifier svm = reference.trainer().fit(*model.options().classifier.C);
  EXPECT_TRUE(same_bits(learned.linear.weights(), svm.weights()));
}

TEST(Flips, AreRefusedWhereTheyMakeNoSense) {
  const Context context({.threads = 1, .seed = 3});
  EXPECT_NE(refusal([&] {
              train(context, gratings(30), {with_flips("d-ksvd")});
            }).find("leave flips auto"),
            std::string::npos);
  const auto samples = gratings(30, 3, {1, 1, 20});
  for (const char* method : {"random-patches", "max-margin-krica"}) {
    EXPECT_NE(refusal([&] {
                train(context, samples, {with_flips(method)});
              }).find("samples have no left and right"),
              std::string::npos)
        << method;
  }
  const auto one_each = gratings(3);
  PipelineOptions options = with_flips("raw-pixels");
  EXPECT_NE(refusal([&] { train(context, one_each, {options}); }).find("no class has two images"),
            std::string::npos)
      << "a mirror is no other image";
  options.classifier.C = 1;
  EXPECT_FALSE(train(context, one_each, {options}).has_probabilities());
}

TEST(Flips, CostTwiceTheFeaturesAndMoreMemory) {
  const DataFacts facts{{32, 32, 3}, 3000, 10};
  constexpr MachineSpeed kSpeed{
      .products = 2e11, .serial_products = 1e11, .loops = 4e9, .reading = 2e10};
  PipelineOptions options;
  options.method = "raw-pixels";
  const auto stages = [&] {
    return estimate_training(kSpeed, facts, resolved(options, facts)).stages;
  };
  const auto plain = stages();
  const double plain_bytes = working_memory(1, facts, resolved(options, facts)).bytes;
  options.classifier.flips = true;
  const auto both = stages();
  ASSERT_EQ(plain.size(), both.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double times = both[i].seconds / plain[i].seconds;
    EXPECT_TRUE(plain[i].stage != "features" || std::abs(times - 2) < 1e-9) << times;
    EXPECT_TRUE(plain[i].stage != "svm" || times > 1) << times;
  }
  EXPECT_GE(working_memory(1, facts, resolved(options, facts)).bytes, plain_bytes);
}

}  // namespace
}  // namespace krica
