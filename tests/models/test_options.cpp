// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "krica/bases/basis.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/small_job.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

TEST(Options, JsonRoundTrip) {
  PipelineOptions options;
  options.method = "rica";
  options.gamma = 0.1 + 0.2;  // no short decimal
  options.unit_norm = true;
  options.seed = 0xFFFFFFFFFFFFFFFFULL;
  const PipelineOptions back = options_from_json(to_json(options));
  EXPECT_EQ(to_json(back), to_json(options));
  EXPECT_EQ(*back.gamma, *options.gamma);
  EXPECT_EQ(back.seed, options.seed);
  EXPECT_FALSE(back.svm_c.has_value());
}

TEST(Options, NamesAreUniqueAndEachHasHelp) {
  std::set<std::string> names;
  const PipelineOptions options;
  for_each_option(options, [&](const char* name, const auto&, const char* help) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(std::string(help).empty()) << name;
  });
  EXPECT_EQ(nlohmann::json::parse(to_json(options)).size(), names.size());
}

TEST(Options, MethodsSettleWhatIsLeftOpen) {
  PipelineOptions options;
  options.method = "kmeans-triangle";
  const PipelineOptions settled = resolved(options, {28, 28, 1});
  EXPECT_EQ(*settled.encoder, "triangle");
  EXPECT_FALSE(*settled.unit_norm);
  options.encoder = "kernel";
  EXPECT_EQ(*resolved(options, {28, 28, 1}).encoder, "kernel");
  EXPECT_EQ(*resolved(options, {28, 28, 1}).sparsity, 0.01);
  EXPECT_EQ(*resolved(options, {28, 28, 1}).whitening, "zca");
  EXPECT_EQ(*resolved(options, {28, 28, 1}).whitening_epsilon, 0.1);
  options.method = "kica";
  options.components = 30;
  EXPECT_EQ(*resolved(options, {28, 28, 1}).whitening, "kpca");
  EXPECT_EQ(resolved(options, {28, 28, 1}).whitening_components, 30);
  EXPECT_EQ(*resolved(options, {28, 28, 1}).whitening_epsilon, 1e-4);
  options.method = "kpca-rica";
  EXPECT_EQ(resolved(options, {28, 28, 1}).whitening_components, 15);
  options.method = "sparse-autoencoder";
  EXPECT_EQ(*resolved(options, {28, 28, 1}).sparsity, 3);
}

TEST(Options, SamplesAreTheirOwnPatches) {
  PipelineOptions options;
  options.stride = 3;
  const PipelineOptions settled = resolved(options, {1, 1, 20});
  EXPECT_EQ(settled.receptive_field, 1);
  EXPECT_EQ(settled.stride, 1);
  EXPECT_EQ(settled.pool, "1x1");
  EXPECT_FALSE(*settled.contrast);
  EXPECT_TRUE(*resolved(options, {28, 28, 1}).contrast);
  options.contrast = true;
  EXPECT_TRUE(*resolved(options, {1, 1, 20}).contrast);
}

/// What a refusal lists after "known:" or "must be".
std::string refusal_of(const std::string& option) {
  nlohmann::json all = nlohmann::json::parse(to_json(support::small_options()));
  all[option] = "magic";
  if (option == "landmark-choice") all["whitening"] = "kpca";
  if (option == "loss") all["method"] = "max-margin-krica";
  try {
    train(Context(), support::gratings(30), {options_from_json(all.dump())});
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Options, ChoicesAreThoseThatAreKnown) {
  const PipelineOptions options;
  std::set<std::string> with_choices;
  for_each_option(options, [&](const char* name, const auto&, const char* help) {
    const std::vector<std::string> choices = choices_of(name);
    if (choices.empty()) return;
    with_choices.insert(name);
    // The refusal of another word lists exactly these, and help tells them (the methods apart).
    std::string refusal = refusal_of(name);
    EXPECT_NE(refusal.find("magic"), std::string::npos) << name << ": " << refusal;
    for (const std::string& choice : choices) {
      EXPECT_NE(refusal.find(choice), std::string::npos) << choice << " in: " << refusal;
      if (std::string(name) != "method") {
        EXPECT_NE(std::string(help).find(choice), std::string::npos) << choice;
      }
    }
    if (const std::size_t known = refusal.find("known: "); known != std::string::npos) {
      const auto commas =
          std::count(refusal.begin() + static_cast<std::ptrdiff_t>(known), refusal.end(), ',');
      EXPECT_EQ(choices.size(), static_cast<std::size_t>(commas + 1)) << refusal;
    }
  });
  EXPECT_EQ(with_choices,
            (std::set<std::string>{"method", "kernel", "encoder", "whitening", "init", "convention",
                                   "pooling-groups", "landmark-choice", "loss", "rica-contrast",
                                   "solver", "discrimination-reading"}));
}

TEST(Options, BadValuesAreRefusedByName) {
  const auto refused = [](auto change, const std::string& name) {
    PipelineOptions options;
    change(options);
    try {
      options.validate();
      ADD_FAILURE() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  };
  refused([](auto& o) { o.method = "magic"; }, "magic");
  refused([](auto& o) { o.components = 0; }, "components");
  refused([](auto& o) { o.pool = "2by2"; }, "2by2");
  refused([](auto& o) { o.pool = "0x2"; }, "0x2");
  refused([](auto& o) { o.gamma = -1; }, "gamma");
  refused([](auto& o) { o.svm_c = 0; }, "svm-c");
  refused([](auto& o) { o.kernel = "rbf"; }, "rbf");
  refused([](auto& o) { o.encoder = "one-hot"; }, "one-hot");
  refused([](auto& o) { o.whitening = "lda"; }, "lda");
  refused([](auto& o) { o.components = 16, o.pooling_groups = std::string("7"); }, "7");
  refused([](auto& o) { o.pooling_groups = std::string("x"); }, "'x'");
  refused([](auto& o) { o.convention = "octave"; }, "octave");
  refused([](auto& o) { o.sparsity = -1; }, "sparsity");
  refused([](auto& o) { o.sparsity_target = 1; }, "sparsity-target");
  refused([](auto& o) { o.weight_decay = -1; }, "weight-decay");
  refused([](auto& o) { o.discrimination = -1; }, "discrimination");
  refused([](auto& o) { o.discrimination_reading = "product"; }, "product");
  refused([](auto& o) { o.method = "kica", o.whitening = "zca"; }, "kica");
  refused([](auto& o) { o.method = "kmeans-hard", o.init = "random"; }, "init");
  refused([](auto& o) { o.method = "ica", o.init = "kmeans"; }, "init");
  refused([](auto& o) { o.method = "omp-1", o.solver = "adam"; }, "takes no solver");
  refused([](auto& o) { o.method = "sparse-rbm", o.solver = "lbfgs"; }, "by Adam");
  refused([](auto& o) { o.stride = 0; }, "stride");
  refused([](auto& o) { o.patches = 0; }, "patches");
  EXPECT_THROW(options_from_json("{\"colour\": 1}"), DataError);
  EXPECT_THROW(options_from_json("[1"), DataError);
  EXPECT_THROW(options_from_json("{\"components\": \"many\"}"), DataError);
}

TEST(Options, WhatAMethodSettlesItAlsoTakes) {
  for (const BasisMethod& method : basis_methods()) {
    PipelineOptions options;
    options.method = std::string(method.name);
    EXPECT_NO_THROW(resolved(options, {28, 28, 1}).validate()) << method.name;
  }
}

TEST(Options, TellWhichOfThemHaveAnEffect) {
  const auto effect = [](auto change, const char* option, ImageShape shape = {28, 28, 1}) {
    PipelineOptions options;
    options.method = "krica";
    change(options);
    return has_effect(resolved(options, {shape}), option);
  };
  const auto nothing = [](auto&) {};
  EXPECT_TRUE(effect(nothing, "gamma"));
  EXPECT_FALSE(effect(nothing, "degree"));
  EXPECT_FALSE(effect([](auto& o) { o.method = "rica"; }, "gamma"));
  EXPECT_FALSE(effect([](auto& o) { o.method = "random-patches", o.encoder = "abs"; }, "gamma"));
  EXPECT_TRUE(effect([](auto& o) { o.encoder = "abs"; }, "gamma")) << "it learns by it";
  EXPECT_FALSE(effect([](auto& o) { o.kernel = "polynomial"; }, "gamma"));
  EXPECT_TRUE(effect([](auto& o) { o.kernel = "polynomial"; }, "degree"));
  for (const char* kernel :
       {"inverse-distance", "inverse-square-distance", "histogram-intersection"})
    EXPECT_TRUE(effect([&](auto& o) { o.kernel = kernel; }, "kernel-scale")) << kernel;
  EXPECT_TRUE(effect(nothing, "contrast-epsilon"));
  EXPECT_FALSE(effect(nothing, "contrast-epsilon", {1, 1, 20})) << "samples keep their contrast";
  EXPECT_TRUE(effect(nothing, "whitening-epsilon"));
  EXPECT_FALSE(effect([](auto& o) { o.whitening = "none"; }, "whitening-epsilon"));
  EXPECT_TRUE(effect(nothing, "sparsity"));
}

}  // namespace
}  // namespace krica
