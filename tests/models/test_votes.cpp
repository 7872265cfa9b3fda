// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/small_job.hpp"
#include "models/votes.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

using support::gratings;
using support::small_options;

PipelineOptions job(const std::string& method) {
  PipelineOptions options = small_options(method);
  options.classifier.C = 0.1;
  options.basis.epochs = 2;
  return options;
}

class EveryMethod : public testing::TestWithParam<PipelineOptions> {};

TEST_P(EveryMethod, VotesAddUpToTheScore) {
  const auto images = gratings(60);
  const Model model = train(Context({.seed = 3}), images, {GetParam()});
  std::vector<float> image(static_cast<std::size_t>(images.shape().values()));
  images.read(4, 1, image.data());
  const Matrix<float> scores = model.scores(Context(), images);
  for (Index c = 0; c < 3; ++c) {
    const Matrix<float> votes = position_votes(model, image.data(), model.shape(), c);
    EXPECT_EQ(votes.rows(), model.parts().extractor->grid().position_rows());
    const double bias = model.parts().classifier->linear.weights()(c, model.n_features());
    EXPECT_NEAR(votes.view().cast<double>().sum(), scores(4, c) - bias, 2e-3);
    const std::vector<float> contributions =
        atom_contributions(model, image.data(), model.shape(), c);
    ASSERT_EQ(contributions.size(), 16U);
    EXPECT_NEAR(std::accumulate(contributions.begin(), contributions.end(), 0.0),
                scores(4, c) - bias, 2e-3);
  }
}

PipelineOptions overlapping(PipelineOptions options) {
  options.pooling.levels = PoolLevels{{{3, 2}}};
  options.pooling.overlap = true;
  options.descriptor.stride = 2;
  return options;
}

PipelineOptions with_maxima(PipelineOptions options) {
  options.pooling.levels = PoolLevels::from_text("1x1,2x2");
  options.pooling.function = PoolFunction::kMax;
  options.pooling.power = 0.5;
  return options;
}

INSTANTIATE_TEST_SUITE_P(Votes, EveryMethod,
                         testing::Values(job("random-patches"), job("max-margin-krica"),
                                         overlapping(job("max-margin-krica")),
                                         overlapping(job("kmeans-triangle")),
                                         with_maxima(job("random-patches"))),
                         [](const auto& tested) { return fmt::format("job{}", tested.index); });

TEST(Votes, EveryAtomIsInItsClassStrongestFirst) {
  const auto images = gratings(60);
  const Model model = train(Context({.seed = 3}), images, {job("random-patches")});
  const Matrix<float> votes = atom_votes(model);
  const auto classes = atoms_by_class(model);
  ASSERT_EQ(classes.size(), 3U);
  std::vector<Index> seen;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    float last = std::numeric_limits<float>::infinity();
    for (const Index u : classes[c]) {
      EXPECT_EQ(votes(u, static_cast<Index>(c)), votes.view().row(u).maxCoeff());
      EXPECT_LE(votes(u, static_cast<Index>(c)), last);
      last = votes(u, static_cast<Index>(c));
      seen.push_back(u);
    }
  }
  std::sort(seen.begin(), seen.end());
  for (Index u = 0; u < 16; ++u) EXPECT_EQ(seen[static_cast<std::size_t>(u)], u);
}

TEST(Votes, DecidingAtomsAreTheLargestPositive) {
  const auto atoms = deciding_atoms({0.1F, -3.0F, 0.5F, 0.0F, 0.2F}, 2);
  ASSERT_EQ(atoms.size(), 2U);
  EXPECT_EQ(atoms[0].atom, 2);
  EXPECT_EQ(atoms[1].atom, 4);
  EXPECT_EQ(deciding_atoms({-1.0F, 0.0F}, 3).size(), 0U);
}

TEST(Votes, NeedAtomsAndAClassifier) {
  const auto images = gratings(30);
  const Model raw = train(Context(), images, {job("raw-pixels")});
  EXPECT_THROW(atom_votes(raw), InvalidArgument);
  const Model unlabelled = train(Context(), images, {job("random-patches"), {}, false});
  EXPECT_THROW(atoms_by_class(unlabelled), InvalidArgument);
  const Model model = train(Context(), images, {job("random-patches")});
  const std::vector<float> image(144);
  EXPECT_THROW(position_votes(model, image.data(), model.shape(), 3), InvalidArgument);
}

TEST(TestFlips, AreTheMeanOfImageAndMirror) {
  const auto images = gratings(40);
  std::vector<std::uint8_t> pixels(40 * 144);
  images.read(0, 40, pixels.data());
  for (std::size_t row = 0; row < pixels.size(); row += 12)
    std::reverse(pixels.begin() + static_cast<std::ptrdiff_t>(row),
                 pixels.begin() + static_cast<std::ptrdiff_t>(row + 12));
  const support::MemoryImages mirrored(images.shape(), pixels, images.labels(), 3);
  PipelineOptions options = job("random-patches");
  const Model plain = train(Context(), images, {options});
  options.classifier.test_flips = true;
  const Model flipping = train(Context(), images, {options});
  const Matrix<float> a = plain.scores(Context(), images);
  const Matrix<float> b = plain.scores(Context(), mirrored);
  const Matrix<float> mean = flipping.scores(Context(), images);
  EXPECT_LT((mean.view() - (a.view() + b.view()) / 2).cwiseAbs().maxCoeff(), 1e-5);
}

}  // namespace
}  // namespace krica
