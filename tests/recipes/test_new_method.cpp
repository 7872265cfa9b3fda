// SPDX-License-Identifier: BSD-3-Clause
//
// The method that CONTRIBUTING.md adds, in a library built with it.
#include <gtest/gtest.h>

#include "krica/models/training.hpp"
#include "models/option_list.hpp"
#include "models/small_job.hpp"
#include "support/images.hpp"

namespace krica {
namespace {

TEST(NewMethod, IsAmongTheMethodsAndTheChoices) {
  EXPECT_EQ(basis_method("mean-patches").purpose, Purpose::kBaseline);
  const std::vector<std::string> choices = choices_of("method");
  EXPECT_EQ(std::count(choices.begin(), choices.end(), "mean-patches"), 1);
}

TEST(NewMethod, LearnsTheMeansOfRunsOfPatches) {
  Matrix<float> patches(6, 2);
  for (Index i = 0; i < 12; ++i) patches.data()[i] = static_cast<float>(i * i);
  BasisRequest request{patches, {}, {}, {}, nullptr};
  request.options.components = 3;
  const Basis basis = basis_method("mean-patches").learn(Context(), request);
  ASSERT_EQ(basis.atoms.rows(), 3);
  for (Index u = 0; u < 3; ++u) {
    for (Index j = 0; j < 2; ++j)
      EXPECT_EQ(basis.atoms(u, j), (patches(2 * u, j) + patches(2 * u + 1, j)) / 2);
  }
}

TEST(NewMethod, TrainsSavesAndLoads) {
  const auto images = support::gratings(90);
  const Model model = train(Context(), images, {support::small_options("mean-patches")});
  const Model loaded = Model::from_archive(model.to_archive(), "model");
  EXPECT_EQ(loaded.options().method, "mean-patches");
  EXPECT_EQ(loaded.predict(Context(), images), model.predict(Context(), images));
}

}  // namespace
}  // namespace krica
