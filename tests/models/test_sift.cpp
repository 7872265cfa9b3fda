// SPDX-License-Identifier: BSD-3-Clause
//
// Models of SIFT descriptors, and of images that differ in size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "classify/splits.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/parts.hpp"
#include "models/resolved.hpp"
#include "models/small_job.hpp"
#include "models/votes.hpp"
#include "support/comparison.hpp"
#include "support/images.hpp"
#include "support/sift_images.hpp"

namespace krica {
namespace {

using ::testing::HasSubstr;

/// Gratings that lie or stand, of four sizes.
class Gratings final : public ImageSet {
 public:
  explicit Gratings(Index size, std::uint64_t seed = 0) : ImageSet(info_of(size)), seed_(seed) {}

 private:
  static ImageSetInfo info_of(Index size) {
    ImageSetInfo info;
    info.size = size;
    const std::vector<ImageShape> kinds = {{30, 44, 1}, {36, 28, 1}, {52, 30, 1}, {28, 28, 1}};
    for (Index i = 0; i < size; ++i) {
      info.shapes.push_back(kinds[static_cast<std::size_t>(i / 2 % 4)]);
      info.labels.push_back(static_cast<int>(i % 2));
    }
    info.shape = take_common_shape(info.shapes);
    info.class_names = {"lying", "standing"};
    info.preparation = {ImageSizeRule::kWithin, true, 300};
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = first; i < first + count; ++i, out += shape().values()) {
      std::fill(out, out + shape().values(), std::uint8_t{0});
      Random random(seed_, "tests.sift", static_cast<std::uint64_t>(i));
      const double phase = 6 * random.uniform();
      const ImageShape own = shape_of(i);
      for (Index p = 0; p < own.pixels(); ++p) {
        const Index along = i % 2 == 0 ? p / own.width : p % own.width;
        out[p] = static_cast<std::uint8_t>(
            128 + 90 * std::sin(0.7 * static_cast<double>(along) + phase) + 8 * random.normal());
      }
    }
  }
  std::uint64_t seed_;
};

PipelineOptions sift_options(const std::string& method = "kmeans-hard") {
  PipelineOptions options;
  options.method = method;
  options.descriptor.kind = DescriptorKind::kSift;
  options.descriptor.patches = 300;
  options.basis.components = 12;
  options.basis.iterations = 5;
  options.pooling.levels = PoolLevels::from_text("1x1,2x2,4x4");
  options.seed = 3;
  return options;
}

TEST(SiftOptions, HaveDefaultsOfTheirOwn) {
  PipelineOptions options;
  options.method = "krica";
  options.descriptor.kind = DescriptorKind::kSift;
  const PipelineOptions settled = resolved(options, {.shape = {300, 200, 3}, .size = 100});
  EXPECT_EQ(settled.descriptor.receptive_field, 16);
  EXPECT_EQ(settled.descriptor.stride, 6);
  EXPECT_EQ(settled.descriptor.contrast, false);
  EXPECT_EQ(settled.descriptor.unit_norm, false);
  EXPECT_EQ(settled.whitening.method, WhiteningMethod::kNone);
  EXPECT_EQ(settled.classifier.scaling, FeatureScaling::kStandardise);
  options.whitening.method = WhiteningMethod::kPca;
  options.descriptor.unit_norm = true;
  options.descriptor.stride = 8;
  const PipelineOptions asked = resolved(options, {.shape = {300, 200, 3}, .size = 100});
  EXPECT_EQ(asked.descriptor.stride, 8);
  EXPECT_EQ(asked.descriptor.unit_norm, true);
  EXPECT_EQ(asked.whitening.method, WhiteningMethod::kPca);
  options.descriptor.kind.reset();
  const PipelineOptions pixels = resolved(options, {.shape = {32, 32, 3}, .size = 100});
  EXPECT_EQ(pixels.descriptor.kind, DescriptorKind::kPixels);
  options.descriptor.kind = DescriptorKind::kSift;
  options.descriptor.receptive_field = 18;
  EXPECT_THROW(options.validate(), InvalidArgument);
}

TEST(SiftOptions, AreRefusedForSamples) {
  PipelineOptions options;
  const DataFacts samples{.shape = {1, 1, 20}, .size = 100, .classes = 4};
  options.method = "scspm";  // whose descriptor only images have
  EXPECT_EQ(resolved(options, samples).descriptor.kind, DescriptorKind::kPixels);
  options.descriptor.kind = DescriptorKind::kSift;
  EXPECT_THAT([&] { static_cast<void>(resolved(options, samples)); },
              testing::ThrowsMessage<InvalidArgument>(testing::HasSubstr("images, not samples")));
}

TEST(SiftOptions, ChooseScspmIfTheMethodIsOpen) {
  PipelineOptions options;
  EXPECT_NE(resolved(options, {.shape = {300, 200, 3}, .size = 100}).method, "scspm");
  options.descriptor.kind = DescriptorKind::kSift;
  const PipelineOptions settled = resolved(options, {.shape = {300, 200, 3}, .size = 100});
  EXPECT_EQ(settled.method, "scspm");
  EXPECT_EQ(settled.basis.components, 1024);
  EXPECT_EQ(settled.descriptor.patches, 200000);
  EXPECT_EQ(settled.pooling.levels->text(), "1x1,2x2,4x4");
  EXPECT_EQ(settled.pooling.function, PoolFunction::kMax);
  EXPECT_EQ(settled.classifier.scaling, FeatureScaling::kL2);
}

TEST(SiftOptions, OfDictionariesOnPixelsArePooledAndScaledAlike) {
  PipelineOptions options;
  options.method = "d-ksvd";
  const DataFacts facts{.shape = {32, 32, 3}, .size = 100, .classes = 4};
  PipelineOptions settled = resolved(options, facts);
  EXPECT_EQ(settled.descriptor.kind, DescriptorKind::kPixels);
  EXPECT_EQ(settled.pooling.function, PoolFunction::kMax);
  EXPECT_EQ(settled.classifier.scaling, FeatureScaling::kL2);
  options.dictionary.features = "kmeans-triangle";  // with its own pooling
  settled = resolved(options, facts);
  EXPECT_EQ(settled.pooling.function, PoolFunction::kSum);
  EXPECT_EQ(settled.classifier.scaling, FeatureScaling::kNone);
}

TEST(SiftOptions, OfDictionariesAreThoseOfThePapers) {
  PipelineOptions options;
  options.method = "lc-ksvd";
  options.descriptor.kind = DescriptorKind::kSift;
  const DataFacts facts{.shape = {300, 200, 3}, .size = 100, .classes = 4};
  const PipelineOptions settled = resolved(options, facts);
  EXPECT_EQ(settled.pooling.levels->text(), "1x1,2x2,4x4");
  EXPECT_EQ(settled.pooling.function, PoolFunction::kMax);
  EXPECT_EQ(settled.classifier.scaling, FeatureScaling::kL2);
  options.pooling.function = PoolFunction::kSum;
  EXPECT_EQ(resolved(options, facts).pooling.function, PoolFunction::kSum);
}

TEST(SiftModel, LearnsFromImagesThatDifferInSizeAndSurvivesItsFile) {
  const Gratings images(48);
  const Gratings fresh(16, 5);
  for (const char* method : {"kmeans-hard", "krica", "omp-1", "kmeans-triangle"}) {
    const Model model = train(Context({.threads = 1}), images, {sift_options(method)});
    EXPECT_TRUE(model.accepts_any_size());
    EXPECT_EQ(model.n_features() % 21, 0);
    EXPECT_GT(accuracy_of(model.predict(Context(), fresh), fresh.labels()), 0.9) << method;
    const Model again = train(Context({.threads = 3}), images, {sift_options(method)});
    EXPECT_TRUE(again.to_archive().bytes() == model.to_archive().bytes());
    const Model loaded = Model::from_archive(model.to_archive(), "memory");
    EXPECT_TRUE(loaded.scores(Context({.threads = 2}), fresh).view() ==
                model.scores(Context(), fresh).view());
    EXPECT_EQ(loaded.parts().preparation, images.info().preparation);
    EXPECT_EQ(model.parts().seen.count_in(Context(), images), 48);
    EXPECT_THROW((void)model.atom_images(), InvalidArgument);
  }
}

TEST(SiftModel, RefusesADictionaryBeforeItLearnsWords) {
  const Gratings images(48);
  PipelineOptions options = sift_options("lc-ksvd");
  const auto refused = [&](Index components) {
    options.basis.components = components;
    TrainingReport report;
    const std::string what =
        support::refusal([&] { train(Context(), images, {options}, &report); });
    EXPECT_TRUE(report.stages.empty()) << report.stages.front().stage;
    return what;
  };
  EXPECT_THAT(refused(60), HasSubstr("30 atoms per class cannot start from the 24 samples of class "
                                     "0; use at most 48 components"));
  EXPECT_THAT(refused(7), HasSubstr("multiple of the 2 classes, got 7; use 6 or 8"));
}

TEST(SiftModel, HasTheStatusAndHistoryOfItsDictionary) {
  const Gratings images(48);
  PipelineOptions options = sift_options("d-ksvd");
  options.basis.components = 8;
  options.basis.iterations = 3;
  const Model model = train(Context(), images, {options});
  ASSERT_EQ(model.parts().history.size(), 3);
  EXPECT_EQ(model.parts().history.back().iteration, 3);
  options.basis.iterations = 1;
  const Model shorter = train(Context(), images, {options});
  EXPECT_EQ(shorter.parts().history.size(), 1);
  EXPECT_EQ(shorter.parts().history.front().value, model.parts().history.front().value);
}

TEST(SiftModel, WarnsOfOptionsOfAnSvmThatADictionaryHasNot) {
  const Gratings images(48);
  PipelineOptions options = sift_options("d-ksvd");
  options.basis.components = 8;
  options.basis.iterations = 30;
  TrainingReport plain;
  options.classifier.C.reset();
  train(Context(), images, {options}, &plain);
  EXPECT_THAT(plain.warning, testing::Not(HasSubstr("svm-c")));
  TrainingReport report;
  options.classifier.C = 1;
  train(Context(), images, {options}, &report);
  EXPECT_THAT(report.warning, HasSubstr("svm-c has no effect; leave it out"));
  TrainingReport of_balanced;
  options.classifier.C.reset();
  options.classifier.balanced = true;
  train(Context(), images, {options}, &of_balanced);
  EXPECT_THAT(of_balanced.warning, HasSubstr("balanced has no effect; leave it out"));
}

TEST(SiftModel, SaysWhenAnErrorIsAboutTheWordsOfADictionary) {
  PipelineOptions options = sift_options("lc-ksvd");
  options.dictionary.words = 301;
  const std::string what = support::refusal([&] { train(Context(), Gratings(48), {options}); });
  EXPECT_THAT(what, HasSubstr("301 atoms cannot start from 300 samples"));
  EXPECT_THAT(what, HasSubstr("the features of kmeans-hard, whose components are set by --words"));
}

TEST(SiftModel, ResumesToTheSameBytes) {
  const Gratings images(48);
  const auto checkpoint = support::scratch_file("sift-resumed");
  const std::string wanted = train(Context(), images, {sift_options()}).to_archive().bytes();
  for (const int at : {1, 3, 5, 8}) {
    remove_checkpoint(checkpoint);
    int reports = 0;
    std::function<void()> stop;
    const Context context({.threads = 1, .progress = [&](const Progress&) {
                             if (++reports == at) stop();
                           }});
    stop = [&] { context.cancel(); };
    EXPECT_THROW(train(context, images, {sift_options(), checkpoint}), Cancelled) << at;
    EXPECT_TRUE(train(Context(), images, {sift_options(), checkpoint}).to_archive().bytes() ==
                wanted)
        << at;
  }
  remove_checkpoint(checkpoint);
}

TEST(SiftModel, TakesOtherSizesThanItLearnedFrom) {
  const Model model = train(Context(), Gratings(48), {sift_options()});
  const support::VariedImages larger({{90, 70, 1}, {16, 16, 1}}, {});
  EXPECT_EQ(model.scores(Context(), larger).rows(), 2);
  const auto even = support::gratings(3, 3, {40, 40, 1});
  EXPECT_EQ(model.scores(Context(), even).rows(), 3);
  const support::VariedImages small({{90, 70, 1}, {15, 16, 1}}, {});
  EXPECT_THROW((void)model.scores(Context(), small), DataError);
}

TEST(SiftModel, MirrorsImagesInTheirOwnShape) {
  const Gratings images(24);
  PipelineOptions options = sift_options();
  options.classifier.C = 0.1;
  const Model plain = train(Context(), images, {options});
  options.classifier.test_flips = true;
  const Model flipping = train(Context(), images, {options});
  const ImageSetPtr one = subset({ImageSetPtr(), &images}, {2});
  const ImageShape own = one->shape_of(0);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(one->shape().values()));
  one->read(0, 1, pixels.data());
  pixels.resize(static_cast<std::size_t>(own.values()));
  for (Index y = 0; y < own.height; ++y)
    std::reverse(pixels.begin() + y * own.width, pixels.begin() + (y + 1) * own.width);
  const support::MemoryImages mirrored(own, pixels, {}, 0);
  const Matrix<float> a = plain.scores(Context(), *one);
  const Matrix<float> b = plain.scores(Context(), mirrored);
  const Matrix<float> mean = flipping.scores(Context(), *one);
  EXPECT_LT((mean.view() - (a.view() + b.view()) / 2).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SiftModel, VotesAddUpToTheScore) {
  const Gratings images(48);
  for (const FeatureScaling scaling : {FeatureScaling::kStandardise, FeatureScaling::kL2}) {
    for (const PoolFunction function : {PoolFunction::kSum, PoolFunction::kMax}) {
      PipelineOptions options = sift_options("kmeans-triangle");
      options.classifier.scaling = scaling;
      options.pooling.function = function;
      const Model model = train(Context(), images, {options});
      const Matrix<float> scores = model.scores(Context(), images);
      std::vector<float> image(static_cast<std::size_t>(images.shape().values()));
      images.read(5, 1, image.data());
      const Matrix<float> votes = position_votes(model, image.data(), images.shape_of(5), 1);
      const double bias = model.parts().classifier->linear.weights()(1, model.n_features());
      EXPECT_EQ(votes.rows(), 7);  // of 52 pixels
      EXPECT_NEAR(votes.view().cast<double>().sum(), scores(5, 1) - bias, 3e-3);
      const auto atoms = atom_contributions(model, image.data(), images.shape_of(5), 1);
      EXPECT_NEAR(std::accumulate(atoms.begin(), atoms.end(), 0.0), scores(5, 1) - bias, 3e-3);
    }
  }
}

std::string refusal(const ImageSet& images, const PipelineOptions& options) {
  try {
    train(Context(), images, {options});
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(SiftModel, OtherDescriptorsNeedOneSize) {
  const Gratings images(24);
  PipelineOptions options = sift_options();
  options.descriptor.kind = DescriptorKind::kPixels;
  EXPECT_THAT(refusal(images, options), HasSubstr("the images differ in size"));
  EXPECT_THAT(refusal(images, sift_options("raw-pixels")), HasSubstr("raw-pixels needs one size"));
  EXPECT_THAT(refusal(images, sift_options("max-margin-krica")), HasSubstr("needs one size"));
  const support::VariedImages small({{40, 33, 1}, {15, 50, 1}, {30, 30, 1}}, {0, 1, 0});
  EXPECT_THAT(refusal(small, sift_options()), HasSubstr("image 2: 50 x 15 pixels are smaller"));
}

TEST(SiftModel, MaxMarginLearnsOnImagesOfOneSize) {
  const auto images = support::gratings(90, 3, {24, 24, 1});
  PipelineOptions options = sift_options("max-margin-krica");
  options.pooling.levels.reset();
  options.basis.epochs = 4;
  const Model model = train(Context(), images, {options});
  EXPECT_GT(accuracy_of(model.predict(Context(), images), images.labels()), 0.9);
  options.classifier.scaling = FeatureScaling::kL2;
  EXPECT_THAT(refusal(images, options), HasSubstr("leave feature-scaling auto"));
}

class EveryScaling : public testing::TestWithParam<FeatureScaling> {};

TEST_P(EveryScaling, IsPartOfTheModel) {
  const auto images = support::gratings(90);
  for (const char* method : {"kmeans-triangle", "raw-pixels"}) {
    PipelineOptions options = support::small_options(method);
    options.classifier.scaling = GetParam();
    const Model model = train(Context(), images, {options});
    const bool standardised = GetParam() == FeatureScaling::kStandardise;
    EXPECT_EQ(model.parts().classifier->standardiser.mean().empty(), !standardised);
    const FeatureMatrix features = model.transform(Context(), images);
    const bool unit = std::abs(features.view().row(7).norm() - 1) < 1e-5;
    EXPECT_EQ(unit, GetParam() == FeatureScaling::kL2);
    const Model loaded = Model::from_archive(model.to_archive(), "memory");
    EXPECT_EQ(loaded.options().classifier.scaling, GetParam());
    EXPECT_TRUE(loaded.scores(Context(), images).view() == model.scores(Context(), images).view());
    const double accuracy = accuracy_of(model.predict(Context(), images), images.labels());
    EXPECT_GT(accuracy, std::string(method) == "raw-pixels" ? 0.4 : 0.9);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryScaling,
                         testing::Values(FeatureScaling::kStandardise, FeatureScaling::kL2,
                                         FeatureScaling::kNone),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace krica
