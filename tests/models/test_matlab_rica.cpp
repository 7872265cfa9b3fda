// SPDX-License-Identifier: BSD-3-Clause
//
// RICA in MATLAB's convention, its options, and codes with a sign.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "krica/data/image_set.hpp"
#include "krica/models/training.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/runtime/error.hpp"
#include "krica/solvers/lbfgs.hpp"
#include "models/model_parts.hpp"
#include "models/reconstruction.hpp"
#include "models/resolved.hpp"
#include "models/small_job.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/samples.hpp"

namespace krica {
namespace {

using ::testing::HasSubstr;

PipelineOptions matlab_options() {
  PipelineOptions options;
  options.method = "rica";
  options.basis.rica.convention = RicaConvention::kMatlab;
  options.basis.components = 6;
  return options;
}

Model fitted(const PipelineOptions& options, Matrix<float> initial = {}) {
  TrainingJob job{.options = options, .classifier = false};
  job.initial_atoms = std::move(initial);
  return train(Context({.seed = 1}), *as_images(support::clouds(200)), job);
}

TEST(MatlabRica, HasMatlabsDefaults) {
  const Model model = fitted(matlab_options());
  const PipelineOptions& options = model.options();
  EXPECT_EQ(options.basis.rica.reconstruction_weight, 1.0);
  EXPECT_EQ(options.whitening.method, WhiteningMethod::kNone);
  EXPECT_EQ(options.encoder.kind, EncoderKind::kLinear);
  EXPECT_EQ(options.basis.iterations, 1000);
  EXPECT_TRUE(model.parts().units.is_identity());
  EXPECT_EQ(model.parts().basis_status, "converged");
}

TEST(MatlabRica, GivesUnitRowsThatAreTheFilters) {
  const Model model = fitted(matlab_options());
  const ConstMatrixView<float> atoms = model.parts().extractor->encoder().atoms();
  for (Index u = 0; u < 6; ++u) EXPECT_NEAR(atoms.row(u).norm(), 1, 1e-6);
  EXPECT_LT((input_filters(model).view() - atoms.cast<double>()).norm(), 1e-7);
  const ImageSetPtr samples = as_images(support::clouds(200));
  Matrix<float> X(200, 8);
  samples->read(0, 200, X.data());
  const FeatureMatrix codes = model.transform(Context(), *samples);
  EXPECT_LT((codes.view() - X.view() * atoms.transpose()).norm(), 1e-4F * codes.view().norm());
}

/// The minimum of the objective as MATLAB documents it, with every contrast.
TEST(MatlabRica, ReachesAStationaryPointOfItsObjective) {
  for (const RicaContrast contrast :
       {RicaContrast::kLogcosh, RicaContrast::kExp, RicaContrast::kSqrt}) {
    PipelineOptions options = matlab_options();
    options.basis.rica.contrast = contrast;
    options.basis.rica.reconstruction_weight = 2.5;
    const Model model = fitted(options);
    RicaOptions rica{.n_components = 6, .weight = 2.5};
    apply_convention(rica, RicaConvention::kMatlab);
    apply_contrast(rica, contrast);
    Matrix<double> X(200, 8);
    as_images(support::clouds(200))->read(0, 200, X.data());
    const Context context;
    RicaObjective<double> objective(X, rica);
    const Matrix<double> W =
        Matrix<double>::copy_of(model.parts().extractor->encoder().atoms().cast<double>());
    // The search ends where a step gains too little; one in float64 from there hardly gains more.
    const auto refined = Lbfgs<double>({.gradient_tolerance = 1e-6, .value_tolerance = 0})
                             .minimize(context, objective, W);
    EXPECT_LE(objective.value(context, W) - refined.value, 1e-4 * std::abs(refined.value))
        << name_of(contrast);
    // The root bends sharply at 0: what gradient the search leaves there depends on the processor.
    if (contrast == RicaContrast::kSqrt) continue;
    Matrix<double> gradient(6, 8);
    objective.value_and_gradient(context, W, gradient);
    EXPECT_LT(gradient.view().norm(), 0.02) << name_of(contrast);
  }
}

TEST(MatlabRica, StartsFromTheAtomsGiven) {
  PipelineOptions options = matlab_options();
  options.basis.init = "given";
  options.basis.iterations = 0;
  Matrix<float> initial = support::random_matrix<float>(6, 8, 5);
  const Model model = fitted(options, initial);
  initial.view().rowwise().normalize();
  EXPECT_LT((model.parts().extractor->encoder().atoms() - initial.view()).norm(), 1e-6F);
  EXPECT_THROW(fitted(options), InvalidArgument);
  EXPECT_THROW(fitted(options, Matrix<float>(5, 8)), InvalidArgument);
}

TEST(MatlabRica, SeeksSubGaussianSourcesWhereTold) {
  PipelineOptions options = matlab_options();
  const Model plain = fitted(options);
  options.basis.rica.non_gaussianity = {{1, 1, 1, -1, -1, -1}};
  const Model mixed = fitted(options);
  EXPECT_GT(
      (plain.parts().extractor->encoder().atoms() - mixed.parts().extractor->encoder().atoms())
          .norm(),
      0.1F);
}

std::string refusal(const PipelineOptions& options) {
  try {
    options.validate();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MatlabRica, RefusesWhatItWouldIgnore) {
  PipelineOptions options = matlab_options();
  options.basis.sparsity = 0.1;
  EXPECT_THAT(refusal(options), HasSubstr("set reconstruction-weight instead of sparsity"));
  options = matlab_options();
  options.basis.groups = AtomGroups::of_size(2);
  EXPECT_THAT(refusal(options), HasSubstr("pooling-groups"));
  options = matlab_options();
  options.basis.rica.non_gaussianity = {{1, -1}};
  EXPECT_THAT(refusal(options), HasSubstr("2 values for 6 components"));
  EXPECT_THAT(support::refusal([] { SourceSigns::from_text("0.5"); }),
              HasSubstr("must be 1 or -1"));
  options = matlab_options();
  options.basis.rica.convention = RicaConvention::kPaper;
  options.basis.rica.reconstruction_weight = 1;
  EXPECT_THAT(refusal(options), HasSubstr("set sparsity instead of reconstruction-weight"));
  options = {};
  options.method = "krica";
  options.basis.rica.contrast = RicaContrast::kExp;
  EXPECT_THAT(refusal(options), HasSubstr("rica-contrast applies to rica"));
}

TEST(LinearCodes, AreTheDefaultOfLinearMethodsOnSamplesWithoutAClassifier) {
  for (const std::string method : {"rica", "ica", "kica"}) {
    PipelineOptions options;
    options.method = method;
    EXPECT_EQ(resolved(options, {{1, 1, 20}, 100}).encoder.kind, EncoderKind::kLinear) << method;
    EXPECT_EQ(resolved(options, {{1, 1, 20}, 100, 3}).encoder.kind, EncoderKind::kAbs) << method;
    EXPECT_EQ(resolved(options, {{28, 28, 1}, 100}).encoder.kind, EncoderKind::kAbs) << method;
  }
}

/// Eight Laplacian sources, mixed; the codes of the defaults are the sources.
TEST(LinearCodes, SeparateMixedSources) {
  constexpr Index kSources = 8;
  constexpr Index kRows = 4000;
  Matrix<double> sources(kRows, kSources);
  for (Index i = 0; i < kRows; ++i) {
    Random random(2, "tests.sources", static_cast<std::uint64_t>(i));
    for (Index j = 0; j < kSources; ++j) {
      const double u = random.uniform() - 0.5;
      sources(i, j) = -std::copysign(std::log1p(-2 * std::abs(u)), u);
    }
  }
  const Matrix<double> mixing = support::random_matrix<double>(kSources, kSources, 4);
  const RowMajor<double> mixed = sources.view() * mixing.view();
  const ImageSetPtr samples = as_images(std::make_shared<support::MemorySamples>(
      kSources, std::vector<double>(mixed.data(), mixed.data() + mixed.size()), std::vector<int>{},
      0));
  for (const std::string method : {"rica", "ica"}) {
    PipelineOptions options;
    options.method = method;
    options.basis.components = kSources;
    const Model model = train(Context(), *samples, {.options = options, .classifier = false});
    EXPECT_EQ(model.parts().basis_status, "converged") << method;
    const RowMajor<double> codes = model.transform(Context(), *samples).view().cast<double>();
    const auto centred = [](RowMajor<double> X) {
      X.rowwise() -= X.colwise().mean().eval();
      X.colwise().normalize();
      return X;
    };
    const RowMajor<double> together =
        (centred(codes).transpose() * centred(sources.view())).cwiseAbs();
    EXPECT_GT(together.colwise().maxCoeff().minCoeff(), 0.99) << method;
  }
}

}  // namespace
}  // namespace krica
