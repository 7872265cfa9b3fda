// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "krica/models/options.hpp"
#include "krica/runtime/error.hpp"

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
  refused([](auto& o) { o.pooling_groups = std::string("7"); }, "7");
  refused([](auto& o) { o.pooling_groups = std::string("x"); }, "'x'");
  refused([](auto& o) { o.convention = "octave"; }, "octave");
  refused([](auto& o) { o.stride = 0; }, "stride");
  refused([](auto& o) { o.patches = 0; }, "patches");
  EXPECT_THROW(options_from_json("{\"colour\": 1}"), DataError);
  EXPECT_THROW(options_from_json("[1"), DataError);
  EXPECT_THROW(options_from_json("{\"components\": \"many\"}"), DataError);
}

}  // namespace
}  // namespace krica
