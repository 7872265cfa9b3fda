// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "krica/bases/basis.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/option_list.hpp"
#include "models/resolved.hpp"
#include "models/small_job.hpp"
#include "support/comparison.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

TEST(Options, JsonRoundTrip) {
  PipelineOptions options;
  options.method = "rica";
  options.kernel.gamma = 0.1 + 0.2;  // no short decimal
  options.descriptor.unit_norm = true;
  options.seed = 0xFFFFFFFFFFFFFFFFULL;
  const PipelineOptions back = options_from_json(to_json(options));
  EXPECT_EQ(to_json(back), to_json(options));
  EXPECT_EQ(*back.kernel.gamma, *options.kernel.gamma);
  EXPECT_EQ(back.seed, options.seed);
  EXPECT_FALSE(back.classifier.C.has_value());
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

/// Stands for a value of any type when the members of a struct are counted.
struct Anything {
  template <class Value>
  [[noreturn]] operator Value() const {  // NOLINT(google-explicit-constructor): that is its purpose
    std::abort();                        // never called, but clang wants a definition
  }
};

/// The number of members of a struct: how many values it can be initialised with.
template <class Struct, class... Values>
constexpr int members() {
  if constexpr (requires { Struct{{Values()}..., {Anything()}}; }) {
    return members<Struct, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

/// A member that is not on the list would have no name on the command line, in JSON, in Python and
/// in model files, and a checkpoint would not compare it.
TEST(Options, EveryMemberIsOnTheList) {
  constexpr int kGroups = 9;
  constexpr int kDiscriminationOptions = 3;  // the rest of it is for the methods to set
  constexpr int kMembers =
      members<PipelineOptions>() - kGroups + members<DescriptorOptions>() +
      members<WhiteningChoice>() + members<KernelChoice>() + members<EncoderChoice>() +
      members<PoolingChoice>() + members<MaxMarginChoice>() + members<ClassifierChoice>() +
      (members<DictionaryChoice>() - 1 + members<LabelTerms>()) +
      (members<BasisChoice>() - 2 + members<RicaChoice>() + kDiscriminationOptions);
  int listed = 0;
  const PipelineOptions options;
  for_each_option(options, [&](const char*, const auto&, const char*) { ++listed; });
  EXPECT_EQ(listed, kMembers);
}

TEST(Options, MethodsSettleWhatIsLeftOpen) {
  PipelineOptions options;
  options.method = "kmeans-triangle";
  const PipelineOptions settled = resolved(options, {{28, 28, 1}});
  EXPECT_EQ(settled.encoder.kind, EncoderKind::kTriangle);
  EXPECT_EQ(*settled.basis.init, "random");
  EXPECT_FALSE(*settled.descriptor.unit_norm);
  options.encoder.kind = EncoderKind::kKernel;
  EXPECT_EQ(resolved(options, {{28, 28, 1}}).encoder.kind, EncoderKind::kKernel);
  EXPECT_EQ(*resolved(options, {{28, 28, 1}}).basis.sparsity, 0.01);
  EXPECT_EQ(resolved(options, {{28, 28, 1}}).whitening.method, WhiteningMethod::kZca);
  EXPECT_EQ(*resolved(options, {{28, 28, 1}}).whitening.epsilon, 0.1);
  options.method = "kica";
  options.basis.components = 30;
  EXPECT_EQ(resolved(options, {{28, 28, 1}}).whitening.method, WhiteningMethod::kKernelPca);
  EXPECT_EQ(resolved(options, {{28, 28, 1}}).whitening.components, 30);
  EXPECT_EQ(*resolved(options, {{28, 28, 1}}).whitening.epsilon, 1e-4);
  options.method = "kpca-rica";
  EXPECT_EQ(resolved(options, {{28, 28, 1}}).whitening.components, 15);
  options.method = "sparse-autoencoder";
  EXPECT_EQ(*resolved(options, {{28, 28, 1}}).basis.sparsity, 3);
}

TEST(Options, SamplesAreTheirOwnPatches) {
  PipelineOptions options;
  options.descriptor.stride = 3;
  const PipelineOptions settled = resolved(options, {{1, 1, 20}});
  EXPECT_EQ(settled.descriptor.receptive_field, 1);
  EXPECT_EQ(settled.descriptor.stride, 1);
  EXPECT_EQ(settled.pooling.levels->text(), "1x1");
  EXPECT_FALSE(*settled.descriptor.contrast);
  EXPECT_TRUE(*resolved(options, {{28, 28, 1}}).descriptor.contrast);
  options.descriptor.contrast = true;
  EXPECT_TRUE(*resolved(options, {{1, 1, 20}}).descriptor.contrast);
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
      if (std::string(name) != "method" && std::string(name) != "features") {
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
                                   "solver", "discrimination-reading", "pool-function", "features",
                                   "descriptor", "feature-scaling"}));
}

TEST(Options, BadValuesAreRefusedByName) {
  const auto refused = [](auto change, const std::string& name) {
    PipelineOptions options;
    try {
      change(options);
      options.validate();
      ADD_FAILURE() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  };
  refused([](auto& o) { o.method = "magic"; }, "magic");
  refused([](auto& o) { o.basis.components = 0; }, "components");
  refused([](auto&) { PoolLevels::from_text("2by2"); }, "2by2");
  refused([](auto&) { PoolLevels::from_text("0x2"); }, "0x2");
  refused([](auto&) { PoolLevels::from_text("2x2,"); }, "2x2,");
  refused([](auto& o) { o.pooling.levels = PoolLevels{{{2, 2}, {2, 2}}}; }, "twice");
  refused(
      [](auto& o) {
        o.method = "max-margin-krica";
        o.pooling.function = PoolFunction::kMax;
      },
      "use pool-function sum or mean");
  refused([](auto& o) { o.pooling.levels = PoolLevels{{{0, 2}}}; }, "pool");
  refused([](auto& o) { o.kernel.gamma = -1; }, "gamma");
  refused([](auto& o) { o.classifier.C = 0; }, "svm-c");
  refused([](auto& o) { o.basis.components = 16, o.basis.groups = AtomGroups::of_size(7); }, "7");
  refused([](auto&) { AtomGroups::from_text("x"); }, "'x'");
  refused([](auto& o) { o.basis.sparsity = -1; }, "sparsity");
  refused([](auto& o) { o.basis.sparsity_target = 1; }, "sparsity-target");
  refused([](auto& o) { o.basis.weight_decay = -1; }, "weight-decay");
  refused([](auto& o) { o.basis.discrimination.weight = -1; }, "discrimination");
  refused([](auto& o) { o.method = "kica", o.whitening.method = WhiteningMethod::kZca; }, "kica");
  refused([](auto& o) { o.method = "random-patches", o.basis.init = "kmeans"; }, "init");
  refused([](auto& o) { o.method = "ica", o.basis.init = "kmeans"; }, "init");
  refused([](auto& o) { o.method = "omp-1", o.basis.solver = SolverKind::kAdam; },
          "takes no solver");
  refused([](auto& o) { o.method = "sparse-rbm", o.basis.solver = SolverKind::kLbfgs; }, "by Adam");
  refused([](auto& o) { o.descriptor.stride = 0; }, "stride");
  refused([](auto& o) { o.descriptor.patches = 0; }, "patches");
  EXPECT_THROW(options_from_json("{\"colour\": 1}"), DataError);
  EXPECT_THROW(options_from_json("[1"), DataError);
  EXPECT_THROW(options_from_json("[1]"), DataError);
  EXPECT_THROW(options_from_json("{\"components\": \"many\"}"), DataError);
  for (const char* number : {"1e308", "-1e30", "2.5", "99999999999999999999"}) {
    EXPECT_THROW(options_from_json(fmt::format("{{\"components\": {}}}", number)), DataError);
    EXPECT_THROW(options_from_json(fmt::format("{{\"seed\": {}}}", number)), DataError);
  }
  EXPECT_THROW(options_from_json("{\"degree\": 4294967298}"), DataError) << "would be 2";
  EXPECT_THROW(options_from_json("{\"seed\": -1}"), DataError);
  EXPECT_EQ(options_from_json("{\"components\": 1e3}").basis.components, 1000);
}

TEST(Options, DictionariesThatClassifyRefuseToStandardise) {
  for (const char* method : {"d-ksvd", "lc-ksvd"}) {
    PipelineOptions options;
    options.method = method;
    options.classifier.scaling = FeatureScaling::kStandardise;
    for (const ImageShape& shape : {ImageShape{1, 1, 30}, ImageShape{32, 32, 3}}) {
      const DataFacts facts{.shape = shape, .size = 100, .classes = 4};
      EXPECT_NE(support::refusal([&] {
                  (void)resolved(options, facts);
                }).find("leave feature-scaling auto"),
                std::string::npos);
    }
  }
}

TEST(Options, WhatAMethodSettlesItAlsoTakes) {
  for (const BasisMethod& method : basis_methods()) {
    PipelineOptions options;
    options.method = std::string(method.name);
    EXPECT_NO_THROW(resolved(options, {{28, 28, 1}}).validate()) << method.name;
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
  EXPECT_FALSE(effect(
      [](auto& o) { o.method = "random-patches", o.encoder.kind = EncoderKind::kAbs; }, "gamma"));
  EXPECT_TRUE(effect([](auto& o) { o.encoder.kind = EncoderKind::kAbs; }, "gamma"))
      << "it learns by it";
  EXPECT_FALSE(effect([](auto& o) { o.kernel.kind = KernelKind::kPolynomial; }, "gamma"));
  EXPECT_TRUE(effect([](auto& o) { o.kernel.kind = KernelKind::kPolynomial; }, "degree"));
  for (const KernelKind kernel : {KernelKind::kInverseDistance, KernelKind::kInverseSquareDistance,
                                  KernelKind::kHistogramIntersection}) {
    EXPECT_TRUE(effect([&](auto& o) { o.kernel.kind = kernel; }, "kernel-scale"))
        << name_of(kernel);
  }
  EXPECT_TRUE(effect(nothing, "contrast-epsilon"));
  EXPECT_FALSE(effect(nothing, "contrast-epsilon", {1, 1, 20})) << "samples keep their contrast";
  EXPECT_TRUE(effect(nothing, "whitening-epsilon"));
  EXPECT_FALSE(
      effect([](auto& o) { o.whitening.method = WhiteningMethod::kNone; }, "whitening-epsilon"));
  EXPECT_TRUE(effect(nothing, "sparsity"));
}

}  // namespace
}  // namespace krica
