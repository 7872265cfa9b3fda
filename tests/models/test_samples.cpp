// SPDX-License-Identifier: BSD-3-Clause
//
// Models of samples: the same pipeline without patches and pooling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "classify/splits.hpp"
#include "krica/bases/basis.hpp"
#include "krica/data/image_set.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "support/images.hpp"
#include "support/samples.hpp"

namespace krica {
namespace {

using support::clouds;
using support::small_options;
using ::testing::HasSubstr;

template <class Error, class Work>
std::string refusal(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const BasisMethod& method : basis_methods()) {
    if (!method.network) names.emplace_back(method.name);  // those learn from images
  }
  return names;
}

/// Lower for those that want more atoms or turns than a small test gives them; chance is a third.
/// No better for a linear map of codes that change their signs with the sample, as each class has
/// clouds on both sides of the origin.
double accuracy_floor(const std::string& method) {
  if (basis_method(method).classifies) return 0.3;
  const bool slow = method == "kica" || method == "ksr" || method == "sparse-autoencoder" ||
                    method == "sparse-rbm";
  return slow ? 0.7 : 0.85;
}

class EveryMethodOnSamples : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethodOnSamples, LearnsAndSurvivesItsFile) {
  const ImageSetPtr samples = as_images(clouds(150));
  PipelineOptions options = small_options(GetParam());
  options.basis.components =
      std::min<Index>(*options.basis.components, GetParam() == "ica" ? 8 : 16);
  const Model model = train(Context(), *samples, {options});
  const bool raw = GetParam() == "raw-pixels";
  const Index expected =
      raw ? 8
          : channels_of(model.parts().extractor->encoder().options(), *options.basis.components);
  EXPECT_EQ(model.n_features(), expected);
  EXPECT_EQ(model.options().descriptor.receptive_field, 1);
  const ImageSetPtr fresh = as_images(clouds(90, 8, 3, 2));
  const double accuracy = accuracy_of(model.predict(Context(), *fresh), fresh->labels());
  if (raw) {
    EXPECT_LT(accuracy, 0.8) << "no plane parts these classes";
  } else {
    EXPECT_GT(accuracy, accuracy_floor(GetParam()));
  }
  const Model loaded = Model::from_archive(model.to_archive(), "samples");
  EXPECT_TRUE(loaded.transform(Context({.threads = 1}), *fresh).view() ==
              model.transform(Context({.threads = 3}), *fresh).view());
  EXPECT_EQ(loaded.predict(Context(), *fresh), model.predict(Context(), *fresh));
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryMethodOnSamples, testing::ValuesIn(method_names()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Samples, CodesAreThoseOfTheParts) {
  const ImageSetPtr samples = as_images(clouds(301));
  const Model model = train(Context(), *samples, {small_options(), {}, false});
  Matrix<float> raw(301, 8);
  const FeatureExtractor& parts = *model.parts().extractor;
  SamplesInUnits(*samples, model.parts().units).read(0, 301, raw.data());
  const Matrix<float> prepared = parts.preprocessing().apply(Context(), raw);
  Matrix<float> codes(301, 16);
  parts.encoder().encode(prepared, codes);
  const FeatureMatrix features = model.transform(Context(), *samples);
  EXPECT_LT((features.view() - codes.view()).norm(), 1e-5F * codes.view().norm());
}

TEST(Samples, ContrastIsLeftAloneUnlessAskedFor) {
  // Without contrast normalisation a sample and its shifted copy have different codes.
  const ImageSetPtr samples = as_images(std::make_shared<support::MemorySamples>(
      2, std::vector<double>{0, 1, 5, 6, 2, 0, 9, 7}, std::vector<int>{}, 0));
  PipelineOptions options = small_options("random-patches");
  options.basis.components = 2;
  options.whitening.method = WhiteningMethod::kNone;
  options.descriptor.unit_norm = false;
  const auto distance_of = [&] {
    const FeatureMatrix codes =
        train(Context(), *samples, {options, {}, false}).transform(Context(), *samples);
    return (codes.view().row(0) - codes.view().row(1)).norm();
  };
  EXPECT_GT(distance_of(), 0.01F);
  options.descriptor.contrast = true;
  EXPECT_EQ(distance_of(), 0.0F);
}

TEST(Samples, SameBytesForAnyThreads) {
  const ImageSetPtr samples = as_images(clouds(300));
  const auto bytes = [&](int threads) {
    return train(Context({.threads = threads, .seed = 3}), *samples, {small_options()})
        .to_archive()
        .bytes();
  };
  EXPECT_TRUE(bytes(1) == bytes(4));
}

class SamplesCancelledAt : public testing::TestWithParam<int> {};

TEST_P(SamplesCancelledAt, ResumesToTheSameBytes) {
  const ImageSetPtr samples = as_images(clouds(3000));  // several rounds of features
  const PipelineOptions options = small_options();
  const std::string wanted =
      train(Context({.threads = 1, .seed = 3}), *samples, {options}).to_archive().bytes();
  const auto checkpoint = support::scratch_file("samples-" + std::to_string(GetParam()));
  std::filesystem::remove(checkpoint);
  std::function<void()> stop;
  int reports = 0;
  const Context context({.threads = 1, .seed = 3, .progress = [&](const Progress&) {
                           if (++reports == GetParam()) stop();
                         }});
  stop = [&] { context.cancel(); };
  EXPECT_THROW(train(context, *samples, {options, checkpoint}), Cancelled);
  const Model resumed = train(Context({.threads = 1, .seed = 3}), *samples, {options, checkpoint});
  EXPECT_TRUE(resumed.to_archive().bytes() == wanted);
  remove_checkpoint(checkpoint);
}

INSTANTIATE_TEST_SUITE_P(Samples, SamplesCancelledAt, testing::Values(1, 3, 8, 12, 14, 20));

/// Samples that are all equal but for one.
ImageSetPtr equal_but(Index different, Index rows) {
  constexpr Index kCols = 3;
  std::vector<double> values;
  std::vector<int> labels;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < kCols; ++j)
      values.push_back(i == different && j == 0 ? 5.0 : 1.0 + static_cast<double>(j));
    labels.push_back(static_cast<int>(i % 2));
  }
  return as_images(std::make_shared<support::MemorySamples>(kCols, values, labels, 2));
}

TEST(Samples, ADictionaryWhoseCalibrationSeesEqualSamplesHasNoTemperature) {
  constexpr Index kRows = 20;
  PipelineOptions options = small_options("d-ksvd");
  options.basis.components = 2;
  Index without = 0;
  for (Index different = 0; different < kRows; ++different) {
    const Model model = train(Context({.threads = 1}), *equal_but(different, kRows), {options});
    if (!model.parts().classifier->temperature) ++without;
  }
  EXPECT_EQ(without, 4) << "where the one that differs is among the fifth that is held out";
}

TEST(Samples, RefusesWhatDoesNotFitWithBothSizes) {
  const ImageSetPtr samples = as_images(clouds(60));
  const Model model = train(Context(), *samples, {small_options("random-patches")});
  const auto predicting = [&](const ImageSet& images) {
    return refusal<InvalidArgument>([&] { static_cast<void>(model.predict(Context(), images)); });
  };
  EXPECT_THAT(predicting(*as_images(clouds(5, 9))),
              HasSubstr("trained on samples of 8 values, but these are samples of 9 values"));
  EXPECT_THAT(predicting(support::gratings(5)),
              HasSubstr("trained on samples of 8 values, but these are images of 12 x 12 x 1"));
  const Model of_images =
      train(Context(), support::gratings(60), {small_options("random-patches")});
  EXPECT_THAT(
      refusal<InvalidArgument>([&] { static_cast<void>(of_images.predict(Context(), *samples)); }),
      HasSubstr("trained on images of 12 x 12 x 1, but these are samples of 8 values"));
}

TEST(Samples, RefusesNumbersBeyondFloat32AndNothingButZeros) {
  const auto samples = [](std::vector<double> values) {
    return as_images(std::make_shared<support::MemorySamples>(2, std::move(values),
                                                              std::vector<int>{0, 1, 0}, 2));
  };
  const auto training = [&](const ImageSetPtr& set) {
    PipelineOptions options = small_options("random-patches");
    options.basis.components = 2;
    train(Context(), *set, {options});
  };
  EXPECT_THAT(refusal<DataError>([&] {
                training(samples({1, 2, 3, 1e300, 5, 6}));
              }),
              HasSubstr("row 1, column 1: the number is beyond float32 (3.4e38); scale"));
  EXPECT_THAT(refusal<InvalidArgument>([&] {
                training(samples({0, 0, 0, 0, 0, 0}));
              }),
              HasSubstr("every number is 0"));
}

}  // namespace
}  // namespace krica
