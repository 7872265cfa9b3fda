// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "models/value_range.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::FloatImages;
using testing::HasSubstr;

TEST(ValueRange, IsSeenFromTheValues) {
  const support::MemoryImages bytes = support::gratings(30);
  EXPECT_EQ(value_range_of(Context(), bytes), ValueRange::kBytes);
  EXPECT_EQ(value_range_of(Context(), FloatImages(bytes, 1)), ValueRange::kBytes);
  EXPECT_EQ(value_range_of(Context(), FloatImages(bytes, 1 / 255.0F)), ValueRange::kUnit);
  EXPECT_EQ(value_range_of(Context(), FloatImages(bytes, 1.05F / 255)), ValueRange::kUnit);
  EXPECT_EQ(value_range_of(Context(), FloatImages(bytes, 1 / 50.0F, -2)), ValueRange::kOther);
  EXPECT_EQ(value_range_of(Context(), FloatImages(bytes, 100)), ValueRange::kOther);
}

TEST(ValueRange, NamesAreReadBack) {
  for (const ValueRange range : {ValueRange::kBytes, ValueRange::kUnit, ValueRange::kOther})
    EXPECT_EQ(value_range(name_of(range)), range);
}

/// The scores of a model on the same images in another range.
class ModelRange : public testing::Test {
 protected:
  static Model trained(const ImageSet& images, const std::string& method) {
    return train(Context(), images, {support::small_options(method)});
  }
  static void expect_same_scores(const Model& model, const ImageSet& a, const ImageSet& b) {
    const Matrix<float> first = model.scores(Context(), a);
    const Matrix<float> second = model.scores(Context(), b);
    for (Index e = 0; e < first.size(); ++e)
      ASSERT_NEAR(first.data()[e], second.data()[e], 2e-3F) << e;
  }
  support::MemoryImages bytes_ = support::gratings(60);
  FloatImages unit_{bytes_, 1 / 255.0F};
};

TEST_F(ModelRange, BytesAndUnitFloatsGiveTheSameScores) {
  for (const char* method : {"random-patches", "raw-pixels"}) {
    expect_same_scores(trained(bytes_, method), bytes_, unit_);
    expect_same_scores(trained(unit_, method), unit_, bytes_);
  }
}

TEST_F(ModelRange, OtherValuesAreRefused) {
  const Model model = trained(bytes_, "random-patches");
  try {
    (void)model.scores(Context(), FloatImages(bytes_, 1 / 50.0F, -2));
    FAIL() << "standardised values were accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("learned from values from 0 to 255"));
  }
  const FloatImages standardised(bytes_, 1 / 50.0F, -2);
  const Model other = trained(standardised, "random-patches");
  EXPECT_NO_THROW((void)other.scores(Context(), standardised));
  EXPECT_THROW((void)other.scores(Context(), bytes_), InvalidArgument);
}

TEST_F(ModelRange, ModelFilesKeepIt) {
  const Model model = trained(unit_, "random-patches");
  const Model loaded = Model::from_archive(model.to_archive(), "test");
  EXPECT_EQ(loaded.parts().value_range, ValueRange::kUnit);
  expect_same_scores(loaded, unit_, bytes_);
}

}  // namespace
}  // namespace krica
