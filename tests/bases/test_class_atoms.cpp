// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bases/class_atoms.hpp"
#include "bases/start.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr Index kEach = 4;

/// Three classes of patches around (5, 0), (0, 5) and (-5, -5).
struct Clouds {
  Matrix<float> patches = support::random_matrix<float>(300, 2, 1);
  std::vector<int> labels;

  Clouds() {
    for (Index i = 0; i < 300; ++i) {
      const int label = static_cast<int>(i % 3);
      labels.push_back(label);
      patches(i, 0) += label == 0 ? 5.0F : label == 1 ? 0.0F : -5.0F;
      patches(i, 1) += label == 0 ? 0.0F : label == 1 ? 5.0F : -5.0F;
    }
  }
  [[nodiscard]] static int class_at(const float* x) {
    if (x[0] + x[1] < 0) return 2;
    return x[0] > x[1] ? 0 : 1;
  }
  [[nodiscard]] BasisRequest request() const {
    BasisRequest request{patches, labels, {}, {}, nullptr};
    request.options.components = 3 * kEach;
    request.options.kernel.gamma = 0.3;
    request.options.iterations = 20;
    return request;
  }
};

class ClassStart : public testing::TestWithParam<std::string> {};

TEST_P(ClassStart, PutsAtomsWhereTheirClassIs) {
  const Clouds clouds;
  BasisRequest request = clouds.request();
  request.options.init = GetParam();
  const Matrix<float> atoms = starting_atoms(Context(), request);
  ASSERT_EQ(atoms.rows(), 3 * kEach);
  const std::vector<int> classes = consecutive_classes(request);
  int right = 0;
  for (Index u = 0; u < atoms.rows(); ++u) {
    EXPECT_EQ(classes[static_cast<std::size_t>(u)], u / kEach);
    right += Clouds::class_at(atoms.row(u)) == classes[static_cast<std::size_t>(u)] ? 1 : 0;
  }
  // K-means on all patches need not give each class just k centres.
  EXPECT_GE(right, GetParam() == "class-kmeans" ? 12 : 10);
}

TEST_P(ClassStart, NeedsLabelsAndEvenShares) {
  const Clouds clouds;
  BasisRequest request = clouds.request();
  request.options.init = GetParam();
  request.labels = {};
  EXPECT_NE(support::refusal([&] { starting_atoms(Context(), request); }).find("labels"),
            std::string::npos);
  EXPECT_NE(support::refusal([&] { starting_atoms(Context(), request); }).find("another init"),
            std::string::npos);
  request.labels = clouds.labels;
  request.options.components = 13;
  EXPECT_NE(support::refusal([&] { starting_atoms(Context(), request); }).find("12 or 15"),
            std::string::npos);
  request.options.components = 1;
  EXPECT_NE(support::refusal([&] { starting_atoms(Context(), request); }).find("use 3"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(ClassAtoms, ClassStart, testing::Values("class-kmeans", "label-affinity"),
                         [](const auto& tested) {
                           return tested.param == "class-kmeans" ? "Kmeans" : "Affinity";
                         });

TEST(ClassAtoms, ClassesWithTooFewPatchesAreRefused) {
  Clouds clouds;
  for (std::size_t i = 9; i < clouds.labels.size(); ++i)
    clouds.labels[i] = std::min(clouds.labels[i], 1);  // three of class 2 are left
  BasisRequest request = clouds.request();
  request.options.init = "class-kmeans";
  const std::string refusal = support::refusal([&] { starting_atoms(Context(), request); });
  EXPECT_NE(refusal.find("the 3 patches of class 2"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("more patches or another init"), std::string::npos);
}

class ClassMethod : public testing::TestWithParam<std::string> {};

TEST_P(ClassMethod, RefusesWhatDoesNotFit) {
  const Clouds clouds;
  const BasisMethod& method = basis_method(GetParam());
  EXPECT_TRUE(method.needs_labels);
  BasisRequest request = clouds.request();
  request.options.init = "random";
  request.labels = {};
  EXPECT_THROW(method.learn(Context(), request), InvalidArgument);
  request.labels = clouds.labels;
  request.options.components = 13;
  EXPECT_THROW(method.learn(Context(), request), InvalidArgument);
  request.options.components = 12;
  request.options.discrimination.weight = -1;
  EXPECT_THROW(method.learn(Context(), request), InvalidArgument);
}

TEST_P(ClassMethod, TheReadingsAndTheWeightMakeADifference) {
  const Clouds clouds;
  const BasisMethod& method = basis_method(GetParam());
  BasisRequest request = clouds.request();
  request.options.init = "class-kmeans";
  const Basis sum = method.learn(Context(), request);
  request.options.discrimination.reading = DiscriminationReading::kSelect;
  const Basis select = method.learn(Context(), request);
  request.options.discrimination.weight = 0;
  const Basis none = method.learn(Context(), request);
  EXPECT_FALSE(sum.atoms.view() == select.atoms.view());
  EXPECT_FALSE(select.atoms.view() == none.atoms.view());
  EXPECT_EQ(sum.atom_class, consecutive_classes(request));
}

INSTANTIATE_TEST_SUITE_P(ClassAtoms, ClassMethod, testing::Values("drica", "d-rica", "d-krica"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ClassAtoms, WithoutWeightDkricaIsKrica) {
  const Clouds clouds;
  BasisRequest request = clouds.request();
  request.options.init = "kmeans";
  request.options.discrimination.weight = 0;
  const Basis with = basis_method("d-krica").learn(Context(), request);
  const Basis without = basis_method("krica").learn(Context(), request);
  EXPECT_TRUE(with.atoms.view() == without.atoms.view());
}

TEST(ClassAtoms, TheElasticWeightDefaultsToTheAtomsOfAClassAndOne) {
  const Clouds clouds;
  BasisRequest request = clouds.request();
  const Discrimination sum = discrimination_of(request, true);
  EXPECT_EQ(elastic_weight(sum, sum.atom_class, 3), kEach + 1);
  request.options.discrimination.reading = DiscriminationReading::kSelect;
  const Discrimination select = discrimination_of(request, true);
  EXPECT_EQ(elastic_weight(select, select.atom_class, 3), 2);
  const Discrimination drica = discrimination_of(request, false);
  EXPECT_EQ(elastic_weight(drica, drica.atom_class, 3), 0);
  request.options.discrimination.elastic = 7;
  const Discrimination given = discrimination_of(request, true);
  EXPECT_EQ(elastic_weight(given, given.atom_class, 3), 7);
}

}  // namespace
}  // namespace krica
