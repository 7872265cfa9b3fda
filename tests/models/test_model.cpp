// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "classify/splits.hpp"
#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "support/images.hpp"
#include "support/peak_memory.hpp"

namespace krica {
namespace {

using support::gratings;
using support::small_options;

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const BasisMethod& method : basis_methods()) {
    if (!method.joint) names.emplace_back(method.name);  // those have tests of their own
  }
  return names;
}

class EveryMethodModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethodModel, LearnsGratingsAndSurvivesItsFile) {
  const auto images = gratings(120);
  const Model model = train(Context(), images, {small_options(GetParam())});
  const auto fresh = gratings(60, 3, {12, 12, 1}, 9);
  const Matrix<float> scores = model.scores(Context(), fresh);
  const double accuracy = accuracy_of(model.predict(Context(), fresh), fresh.labels());
  EXPECT_GT(accuracy, GetParam() == "raw-pixels" ? 0.4 : 0.9);
  const auto path = support::scratch_file("model-" + GetParam());
  model.save(path);
  const Model loaded = Model::load(path);
  EXPECT_TRUE(loaded.scores(Context({.threads = 1}), fresh).view() == scores.view());
  EXPECT_TRUE(loaded.to_archive().bytes() == model.to_archive().bytes());
  EXPECT_EQ(loaded.class_names(), images.class_names());
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryMethodModel, testing::ValuesIn(method_names()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Model, PyramidsOfMaximaSurviveTheirFileToTheSameBits) {
  const auto images = gratings(60);
  PipelineOptions options = small_options("kmeans-triangle");
  options.pooling.levels = PoolLevels::from_text("1x1,2x2,3x3");
  options.pooling.function = PoolFunction::kMax;
  const Model model = train(Context(), images, {options});
  EXPECT_EQ(model.n_features(), 14 * 16);
  const Model loaded = Model::from_archive(model.to_archive(), "memory");
  const Matrix<float> scores = model.scores(Context({.threads = 1}), images);
  for (const int threads : {1, 2, 3, 4})
    EXPECT_TRUE(loaded.scores(Context({.threads = threads}), images).view() == scores.view());
}

TEST(Model, HugeImagesInAFileTakeNoMemory) {
  if (!support::can_measure_memory()) GTEST_SKIP() << "no /proc, or a sanitizer's own memory";
  const Model model = train(Context(), gratings(30), {small_options("random-patches")});
  Archive archive = model.to_archive();
  const std::vector<std::int64_t> shape = {8000, 8000, 1};
  archive.put_vector<std::int64_t>("image_shape", shape);
  const support::PeakMemory peak;
  const Model huge = Model::from_archive(archive, "memory");
  EXPECT_LE(peak.bytes(), std::int64_t{16} << 20);
  EXPECT_EQ(huge.parts().extractor->positions(), 7997 * 7997);
}

TEST(Model, ScoresDoNotDependOnTheMemoryBudget) {
  const auto images = gratings(200);
  const Model model = train(Context(), images, {small_options("random-patches")});
  const Matrix<float> plenty = model.scores(Context(), images);
  const Matrix<float> little = model.scores(Context({.memory_bytes = 1 << 16}), images);
  // Other tiles round otherwise.
  EXPECT_LT((plenty.view() - little.view()).norm(), 1e-5F * plenty.view().norm());
}

TEST(Model, BasisAloneHasFeaturesButNoClasses) {
  const auto images = gratings(60);
  const Model model =
      train(Context(), images, {.options = small_options(), .checkpoint = {}, .classifier = false});
  EXPECT_FALSE(model.has_classifier());
  EXPECT_EQ(model.transform(Context(), images).cols(), 4 * 16);
  EXPECT_EQ(model.atom_images().cols(), 16);
  EXPECT_THROW(static_cast<void>(model.scores(Context(), images)), InvalidArgument);
}

TEST(Model, AtomsOfClassMethodsKeepTheirClass) {
  const auto images = gratings(60);
  const Model model = train(Context(), images, {small_options("d-krica")});
  ASSERT_EQ(model.parts().atom_class.size(), 15U);
  EXPECT_EQ(model.parts().atom_class.front(), 0);
  EXPECT_EQ(model.parts().atom_class.back(), 2);
  Archive archive = model.to_archive();
  EXPECT_EQ(Model::from_archive(archive, "x").parts().atom_class, model.parts().atom_class);
  const std::vector<std::int64_t> two = {0, 1};
  archive.put_vector<std::int64_t>("atom_class", two);
  EXPECT_THROW(Model::from_archive(archive, "x"), DataError);
}

TEST(Model, RefusesArchivesThatAreNoModels) {
  const auto images = gratings(60);
  const Model model = train(Context(), images, {small_options("random-patches")});
  Archive empty;
  EXPECT_THROW(Model::from_archive(empty, "x"), DataError);
  Archive newer = model.to_archive();
  newer.put_text("format", "2");
  EXPECT_THROW(Model::from_archive(newer, "x"), DataError);
  Archive misfit = model.to_archive();
  misfit.put("atoms", Matrix<float>(3, 5));
  EXPECT_THROW(Model::from_archive(misfit, "x"), DataError);
  Archive options = model.to_archive();
  options.put_text("options", "{\"colour\": 2}");
  EXPECT_THROW(Model::from_archive(options, "x"), DataError);
  Archive classes = model.to_archive();
  classes.put_text("class_names", "[\"a\"]");
  EXPECT_THROW(Model::from_archive(classes, "x"), DataError);
}

TEST(Model, ProbabilitiesBelongToTheScoresAndSurviveTheFile) {
  const auto images = gratings(120);
  for (const std::string method : {"random-patches", "max-margin-krica"}) {
    PipelineOptions options = small_options(method);
    options.basis.epochs = 2;
    const Model model = train(Context(), images, {options});
    ASSERT_TRUE(model.has_probabilities()) << method;
    const Matrix<float> scores = model.scores(Context(), images);
    const Matrix<float> p = model.probabilities(Context(), images);
    EXPECT_EQ(best_classes(p), best_classes(scores));
    const Model loaded = Model::from_archive(model.to_archive(), "x");
    EXPECT_EQ(loaded.parts().classifier->temperature, model.parts().classifier->temperature);
  }
}

TEST(Model, WithoutATemperatureThereAreScoresOnly) {
  const auto images = gratings(60);
  Archive archive = train(Context(), images, {small_options("random-patches")}).to_archive();
  archive.remove("temperature");  // as in older files
  const Model old = Model::from_archive(archive, "x");
  EXPECT_EQ(old.scores(Context(), images).rows(), 60);
  EXPECT_THROW(static_cast<void>(old.probabilities(Context(), images)), InvalidArgument);
  archive.put_vector<double>("temperature", std::vector<double>{-1});
  EXPECT_THROW(Model::from_archive(archive, "x"), DataError);
}

TEST(Model, RefusesImagesOfAnotherShape) {
  const Model model = train(Context(), gratings(60), {small_options("random-patches")});
  EXPECT_THROW(static_cast<void>(model.predict(Context(), gratings(5, 3, {12, 12, 3}))),
               InvalidArgument);
}

}  // namespace
}  // namespace krica
