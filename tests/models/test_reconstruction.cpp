// SPDX-License-Identifier: BSD-3-Clause
//
// Samples from linear codes.
#include <gtest/gtest.h>

#include "krica/data/image_set.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/reconstruction.hpp"
#include "models/small_job.hpp"
#include "support/samples.hpp"

namespace krica {
namespace {

using support::clouds;
using support::small_options;

class LinearCodes : public testing::TestWithParam<std::string> {};

TEST_P(LinearCodes, GiveTheSamplesBack) {
  const ImageSetPtr samples = as_images(clouds(150));
  PipelineOptions options = small_options("rica");
  options.whitening.method = from_words<WhiteningMethod>(GetParam(), "whitening");
  const Model model = train(Context(), *samples, {.options = options, .classifier = false});
  EXPECT_TRUE(has_linear_codes(model.options()));
  const FeatureMatrix codes = model.transform(Context(), *samples);
  const Matrix<float> restored = samples_from_codes(model, codes.view());
  Matrix<float> given(150, 8);
  samples->read(0, 150, given.data());
  EXPECT_LT((restored.view() - given.view()).cwiseAbs().maxCoeff(), 1e-4F);
  EXPECT_THROW(samples_from_codes(model, Matrix<float>(3, 5)), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Reconstruction, LinearCodes,
                         testing::Values("zca", "pca", "standardise", "none"));

TEST(Reconstruction, RefusesWhatCannotBeInverted) {
  const ImageSetPtr samples = as_images(clouds(150));
  const auto refused = [&](PipelineOptions options) {
    const Model model = train(Context(), *samples, {.options = options, .classifier = false});
    const FeatureMatrix codes = model.transform(Context(), *samples);
    EXPECT_THROW(samples_from_codes(model, codes.view()), InvalidArgument);
  };
  PipelineOptions options = small_options("rica");
  options.encoder.kind = EncoderKind::kAbs;
  refused(options);
  options.encoder.kind = EncoderKind::kKernel;
  options.kernel.kind = KernelKind::kLinear;
  options.descriptor.unit_norm = true;
  refused(options);
}

}  // namespace
}  // namespace krica
