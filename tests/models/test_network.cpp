// SPDX-License-Identifier: BSD-3-Clause
//
// Models of convolutional layers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/resolved.hpp"
#include "models/small_job.hpp"
#include "models/votes.hpp"
#include "support/comparison.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::gratings;
using support::small_options;
using testing::HasSubstr;

PipelineOptions network_options() {
  PipelineOptions options = small_options("conv-dbn");
  options.basis.epochs = 3;
  return options;
}

std::string refusal(const std::function<void(PipelineOptions&)>& change,
                    const ImageShape& shape = {12, 12, 1}) {
  PipelineOptions options = network_options();
  change(options);
  return support::refusal([&] { resolved(options, {shape, 100, 3}); });
}

TEST(Network, HasFeaturesFromBothLayers) {
  const auto images = gratings(60);
  const Model model = train(Context(), images, {network_options()});
  // 12 - 4 + 1 = 9 positions, 4 blocks; a second field of 2 leaves 3 positions, 1 block.
  EXPECT_EQ(model.n_features(), 4 * 16 + 32);
  EXPECT_EQ(model.options().basis.second_field, 2);
  EXPECT_EQ(model.parts().history.size(), 8U);
  EXPECT_EQ(model.parts().history.back().iteration, 6);
  EXPECT_EQ(model.atom_images().rows(), 16);
  EXPECT_EQ(model.atom_images().cols(), 16);
  EXPECT_EQ(atom_groups(model).size(), 1U);
  EXPECT_THROW(static_cast<void>(atom_votes(model)), InvalidArgument);
}

TEST(Network, MayHaveASingleLayer) {
  PipelineOptions options = network_options();
  options.basis.second_components = 0;
  const auto images = gratings(60);
  const Model model = train(Context(), images, {.options = options, .classifier = false});
  EXPECT_EQ(model.n_features(), 4 * 16);
  EXPECT_EQ(Model::from_archive(model.to_archive(), "x").transform(Context(), images).cols(), 64);
}

TEST(Network, SameFileForAnyThreads) {
  const auto images = gratings(60);
  const std::string one =
      train(Context({.threads = 1}), images, {network_options()}).to_archive().bytes();
  const std::string three =
      train(Context({.threads = 3}), images, {network_options()}).to_archive().bytes();
  EXPECT_TRUE(one == three);
}

TEST(Network, ImagesOfAnotherRangeAreRescaled) {
  const auto images = gratings(60);
  const Model model = train(Context(), images, {network_options()});
  const support::FloatImages unit(images, 1.0F / 255);
  const FeatureMatrix bytes = model.transform(Context(), images);
  const FeatureMatrix floats = model.transform(Context(), unit);
  EXPECT_LT((bytes.view() - floats.view()).norm(), 1e-3F * bytes.view().norm());
}

TEST(Network, IsRefusedWhereItCannotBe) {
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_THAT(refusal([](auto&) {}, {1, 1, 20}), HasSubstr("learns from images"));
  EXPECT_THAT(refusal([](auto& o) { o.descriptor.stride = 2; }), HasSubstr("stride must be 1"));
  EXPECT_THAT(refusal([](auto& o) { o.whitening.method = WhiteningMethod::kPca; }),
              HasSubstr("zca or none"));
  EXPECT_THAT(refusal([](auto& o) { o.descriptor.receptive_field = 12; }),
              HasSubstr("smaller filters"));
  EXPECT_THAT(refusal([](auto& o) { o.descriptor.receptive_field = 10; }),
              HasSubstr("too small for a second layer"));
  EXPECT_EQ(refusal([](auto& o) {
              o.descriptor.receptive_field = 10;
              o.basis.second_components = 0;
            }),
            "");
  EXPECT_THAT(refusal([](auto& o) { o.basis.second_field = 4; }), HasSubstr("4 x 4"));
  EXPECT_THAT(refusal([](auto& o) { o.basis.second_field = 0; }), HasSubstr("second-field"));
  EXPECT_THAT(refusal([](auto& o) { o.basis.second_components = -1; }),
              HasSubstr("second-components"));
  EXPECT_THAT(refusal([](auto& o) { o.basis.init = "kmeans"; }), HasSubstr("init"));
  EXPECT_THAT(refusal([](auto& o) { o.basis.solver = SolverKind::kLbfgs; }), HasSubstr("by Adam"));
}

TEST(Network, DamagedFilesAreRefused) {
  const Model model = train(Context(), gratings(60), {network_options()});
  const auto refused = [&](auto change) {
    Archive archive = model.to_archive();
    change(archive);
    EXPECT_THROW(Model::from_archive(archive, "x"), DataError);
  };
  refused([](Archive& a) { a.remove("network.bias.1"); });
  refused([](Archive& a) { a.remove("network.weights.2"); });
  refused([](Archive& a) { a.remove("network.whitening"); });
  refused([](Archive& a) { a.put("network.weights.1", Matrix<float>(16, 15)); });
  refused([](Archive& a) {
    Matrix<float> holed(16, 16);
    holed(3, 3) = INFINITY;
    a.put("network.weights.1", holed);
  });
  const auto with_option = [&](auto change) {
    PipelineOptions options = model.options();
    change(options);
    refused([&](Archive& a) { a.put_text("options", to_json(options)); });
  };
  with_option([](auto& o) { o.basis.components = Index{1} << 60; });
  with_option([](auto& o) { o.basis.second_components = Index{1} << 60; });
  with_option([](auto& o) { o.descriptor.receptive_field = Index{1} << 40; });
  with_option([](auto& o) { o.basis.second_field = 100; });
  with_option([](auto& o) { o.method = "raw-pixels"; });
}

/// After Ctrl-C in the last layer the network is usable; before, there is none.
TEST(Network, GivesTheBestWhenCancelledInItsLastLayer) {
  for (const int at : {2, 6}) {
    int epochs = 0;
    std::function<void()> stop;
    const Context context({.progress = [&](const Progress& progress) {
      if (progress.stage == "adam" && ++epochs == at) stop();
    }});
    stop = [&] { context.cancel(); };
    TrainingJob job{.options = network_options(), .classifier = false};
    job.best_when_cancelled = true;
    if (at == 2) {
      EXPECT_THROW(train(context, gratings(60), job), Cancelled);
    } else {
      EXPECT_EQ(train(context, gratings(60), job).basis_status(), "cancelled");
    }
  }
}

}  // namespace
}  // namespace krica
