// SPDX-License-Identifier: BSD-3-Clause
//
// The unit of samples is arbitrary: every method gives the same codes and predictions in any.
#include <gtest/gtest.h>

#include <algorithm>

#include "krica/bases/basis.hpp"
#include "krica/data/image_set.hpp"
#include "krica/models/training.hpp"
#include "models/small_job.hpp"
#include "support/samples.hpp"

namespace krica {
namespace {

/// clouds() far from zero, times a factor.
ImageSetPtr scaled_clouds(Index rows, double factor) {
  const SampleSetPtr plain = support::clouds(rows);
  std::vector<double> values(static_cast<std::size_t>(rows * plain->cols()));
  plain->read(0, rows, values.data());
  for (double& value : values) value = factor * (value + 10);
  return as_images(std::make_shared<support::MemorySamples>(plain->cols(), std::move(values),
                                                            plain->labels(), 3));
}

PipelineOptions options_for(const std::string& method) {
  PipelineOptions options = support::small_options(method);
  options.basis.components = std::min<Index>(*options.basis.components, method == "ica" ? 7 : 15);
  return options;
}

void expect_equal_in_any_unit(const PipelineOptions& options) {
  const ImageSetPtr plain = scaled_clouds(120, 1);
  const Model expected = train(Context({.seed = 3}), *plain, {options});
  const FeatureMatrix codes = expected.transform(Context(), *plain);
  for (const double factor : {1e-9, 1e-6, 1e9}) {
    const ImageSetPtr other = scaled_clouds(120, factor);
    const Model model = train(Context({.seed = 3}), *other, {options});
    const FeatureMatrix found = model.transform(Context(), *other);
    EXPECT_LT((found.view() - codes.view()).norm(), 1e-4F * codes.view().norm()) << factor;
    EXPECT_EQ(model.predict(Context(), *other), expected.predict(Context(), *plain)) << factor;
  }
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const BasisMethod& method : basis_methods()) {
    if (method.learn != nullptr) names.emplace_back(method.name);
  }
  return names;
}

class EveryMethodInAnyUnit : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethodInAnyUnit, GivesTheSameCodes) {
  expect_equal_in_any_unit(options_for(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryMethodInAnyUnit, testing::ValuesIn(method_names()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(SampleScale, DoesNotMatterWithoutWhiteningOrWithContrast) {
  for (const std::string method : {"krica", "rica", "kmeans-triangle"}) {
    PipelineOptions options = options_for(method);
    for (const WhiteningMethod whitening :
         {WhiteningMethod::kNone, WhiteningMethod::kPca, WhiteningMethod::kStandardise}) {
      options.whitening.method = whitening;
      options.descriptor.unit_norm = false;
      expect_equal_in_any_unit(options);
    }
    options.whitening.method = {};
    options.descriptor.contrast = true;
    expect_equal_in_any_unit(options);
  }
}

TEST(SampleScale, RawPixelsPredictTheSame) {
  const PipelineOptions options = support::small_options("raw-pixels");
  const ImageSetPtr plain = scaled_clouds(120, 1);
  const ImageSetPtr other = scaled_clouds(120, 1e-9);
  EXPECT_EQ(train(Context(), *other, {options}).predict(Context(), *other),
            train(Context(), *plain, {options}).predict(Context(), *plain));
}

}  // namespace
}  // namespace krica
