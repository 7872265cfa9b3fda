// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "data/image_size.hpp"
#include "krica/bases/basis.hpp"
#include "models/recommendation.hpp"

namespace krica {
namespace {

constexpr ImageShape kGrey = {28, 28, 1};
constexpr ImageShape kColour = {32, 32, 3};
constexpr ImageShape kSample = {1, 1, 20};

TEST(Recommendation, NothingIsLeftOpenForAnyData) {
  for (const ImageShape& shape : {kGrey, kColour, kSample, ImageShape{96, 96, 3}}) {
    for (const Index size : {2, 10, 300, 5000, 60000}) {
      for (const Index classes : {0, 2, 10}) {
        const PipelineOptions chosen = recommended({}, {shape, size, classes}).options;
        EXPECT_NE(chosen.method, kAutoMethod);
        EXPECT_TRUE(chosen.basis.components && chosen.descriptor.receptive_field &&
                    chosen.basis.epochs && chosen.classifier.flips);
        EXPECT_NO_THROW(chosen.validate());
        const bool joint = basis_method(chosen.method).joint;
        EXPECT_TRUE(!joint || classes > 0) << "labels are needed";
      }
    }
  }
}

TEST(Recommendation, WhatIsGivenIsKept) {
  PipelineOptions given;
  given.method = "krica";
  given.basis.components = 33;
  given.descriptor.receptive_field = 5;
  given.basis.epochs = 7;
  given.max_margin.refit = false;
  given.classifier.flips = true;
  const Recommendation result = recommended(given, {kColour, 5000, 10});
  EXPECT_EQ(to_json(result.options), to_json(given));
  EXPECT_TRUE(result.choices.empty());
}

TEST(Recommendation, EveryMethodGetsAtomsItCanLearn) {
  for (const BasisMethod& method : basis_methods()) {
    PipelineOptions options;
    options.method = std::string(method.name);
    const Index sample = *recommended(options, {kSample, 100, 7}).options.basis.components;
    EXPECT_LE(sample, 50) << method.name;
    EXPECT_GE(sample, 2) << method.name;
    EXPECT_TRUE(!method.needs_labels || sample % 7 == 0) << method.name;
    const Index image = *recommended(options, {kGrey, 2000, 10}).options.basis.components;
    EXPECT_TRUE(method.name != "ica" || image <= 35) << "without the mean";
    EXPECT_TRUE(!method.needs_labels || image % 10 == 0) << method.name;
  }
}

TEST(Recommendation, SaysWhy) {
  const Recommendation result = recommended({}, {kColour, 3000, 5});
  ASSERT_FALSE(result.choices.empty());
  EXPECT_EQ(result.choices.front().option, "method");
  EXPECT_EQ(result.choices.front().value, result.options.method);
  EXPECT_NE(result.choices.front().reason.find("3000 labelled images of 5 classes"),
            std::string::npos);
}

TEST(ImageSize, SmallImagesOfOneSizeStayAsTheyAre) {
  EXPECT_EQ(automatic_image_size({{28, 28, 1}, {28, 28, 1}}), 0);
  EXPECT_EQ(automatic_image_size({{96, 96, 3}}), 48);
  EXPECT_EQ(automatic_image_size({{200, 300, 3}, {120, 100, 3}, {250, 180, 1}}), 48);
  EXPECT_EQ(automatic_image_size({{20, 30, 3}, {22, 40, 3}, {24, 24, 1}}), 22);
  EXPECT_EQ(automatic_image_size({{2, 3, 3}, {4, 3, 3}}), 8);
  EXPECT_EQ(automatic_image_size({}), 0);
}

}  // namespace
}  // namespace krica
