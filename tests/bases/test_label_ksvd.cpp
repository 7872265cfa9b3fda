// SPDX-License-Identifier: BSD-3-Clause
//
// d-ksvd and lc-ksvd: the short form of the stacked samples, and what the map is good for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "clustering/ksvd.hpp"
#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
#include "solvers/batch_omp.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr Index kClasses = 3;
constexpr Index kAtoms = 12;
constexpr Index kValues = 10;

/// Samples near three directions each class has of its own, on one side of the origin.
struct Classes {
  Matrix<float> samples = support::random_matrix<float>(240, kValues, 4);
  std::vector<int> labels;

  Classes() {
    Matrix<float> centers = support::random_matrix<float>(kClasses, kValues, 5);
    centers.view().rowwise().normalize();
    for (Index i = 0; i < samples.rows(); ++i) {
      labels.push_back(static_cast<int>(i % kClasses));
      samples.view().row(i) = 0.15F * samples.view().row(i) + centers.view().row(i % kClasses);
      samples.view().row(i).normalize();
    }
  }

  [[nodiscard]] BasisRequest request(Index iterations) const {
    BasisRequest request{samples, labels, {}, {}, nullptr};
    request.options.components = kAtoms;
    request.options.nonzeros = 3;
    request.options.iterations = iterations;
    return request;
  }
};

/// K-SVD on (x, √α q, √β h), with the q of the paper, from the same start.
Basis with_long_stacks(const Classes& classes, const Basis& start, const LabelTerms& terms,
                       Index iterations) {
  const auto alpha = static_cast<float>(terms.consistency);
  const auto beta = static_cast<float>(terms.label_weight);
  const Index each = kAtoms / kClasses;
  Matrix<float> X(classes.samples.rows(), kValues + kAtoms + kClasses);
  for (Index i = 0; i < X.rows(); ++i) {
    const int label = classes.labels[static_cast<std::size_t>(i)];
    X.view().row(i).head(kValues) = classes.samples.view().row(i);
    for (Index u = 0; u < kAtoms; ++u) X(i, kValues + u) = u / each == label ? alpha : 0;
    X(i, kValues + kAtoms + label) = beta;
  }
  Matrix<float> first(kAtoms, X.cols());
  for (Index u = 0; u < kAtoms; ++u) {
    first.view().row(u).head(kValues) = start.atoms.view().row(u);
    for (Index v = 0; v < kAtoms; ++v) first(u, kValues + v) = alpha * start.class_map(v / each, u);
    for (Index c = 0; c < kClasses; ++c)
      first(u, kValues + kAtoms + c) = beta * start.class_map(c, u);
  }
  const auto stacked = ksvd<float>(
      Context(), X, first,
      {.n_atoms = kAtoms, .nonzeros = 3, .max_iterations = iterations, .compared = kValues});
  Basis basis{Matrix<float>(kAtoms, kValues)};
  basis.class_map = Matrix<float>(kClasses, kAtoms);
  for (Index u = 0; u < kAtoms; ++u) {
    const float length = stacked.atoms.view().row(u).head(kValues).norm();
    basis.atoms.view().row(u) = stacked.atoms.view().row(u).head(kValues) / length;
    for (Index c = 0; c < kClasses; ++c)
      basis.class_map(c, u) = stacked.atoms(u, kValues + kAtoms + c) / (beta * length);
  }
  return basis;
}

TEST(LabelKsvd, ShortStacksGiveWhatThePapersLongOnesGive) {
  const Classes classes;
  const BasisMethod& method = basis_method("lc-ksvd");
  const Basis start = method.learn(Context(), classes.request(0));
  const Basis learned = method.learn(Context(), classes.request(3));
  const Basis wanted = with_long_stacks(classes, start, classes.request(3).options.label_terms, 3);
  EXPECT_LT((learned.atoms.view() - wanted.atoms.view()).norm(), 1e-2);
  EXPECT_LT((learned.class_map.view() - wanted.class_map.view()).norm(),
            1e-2 * wanted.class_map.view().norm());
}

double accuracy_on(const Classes& classes, const Basis& basis) {
  const BatchOmp<float> omp(Context(), basis.atoms, {.nonzeros = 3});
  SparseCodes<float> codes(classes.samples.rows(), omp.capacity());
  omp.encode(Context(), classes.samples, codes);
  double right = 0;
  for (Index i = 0; i < codes.samples(); ++i) {
    std::vector<float> scores(kClasses, 0.0F);
    for (std::size_t t = 0; t < codes.atoms(i).size(); ++t) {
      for (Index c = 0; c < kClasses; ++c)
        scores[static_cast<std::size_t>(c)] +=
            basis.class_map(c, codes.atoms(i)[t]) * codes.values(i)[t];
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    right += best == classes.labels[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return right / static_cast<double>(codes.samples());
}

TEST(LabelKsvd, TheMapTellsClassesApart) {
  const Classes classes;
  BasisRequest request = classes.request(20);
  EXPECT_GT(accuracy_on(classes, basis_method("d-ksvd").learn(Context(), request)), 0.9);
  for (const int version : {1, 2}) {
    request.options.label_terms.version = version;
    const Basis basis = basis_method("lc-ksvd").learn(Context(), request);
    EXPECT_GT(accuracy_on(classes, basis), 0.9) << version;
    EXPECT_EQ(basis.class_map.rows(), kClasses);
    EXPECT_EQ(basis.atom_class.size(), static_cast<std::size_t>(kAtoms));
    for (Index u = 0; u < kAtoms; ++u) EXPECT_NEAR(basis.atoms.view().row(u).norm(), 1, 1e-5);
  }
}

// With labels, all stacked atoms of a class are nearly parallel; they are still different atoms.
TEST(LabelKsvd, HeavyLabelsDoNotTurnAtomsIntoSamples) {
  const Classes classes;
  for (const char* method : {"d-ksvd", "lc-ksvd"}) {
    BasisRequest request = classes.request(5);
    request.options.label_terms.label_weight = 30;
    const Basis basis = basis_method(method).learn(Context(), request);
    for (Index u = 0; u < kAtoms; ++u) {
      const float nearest =
          (classes.samples.view() * basis.atoms.view().row(u).transpose()).maxCoeff();
      EXPECT_LT(nearest, 0.9999F) << method << ", atom " << u;
    }
  }
}

TEST(LabelKsvd, SaysWhatIsWrong) {
  const Classes classes;
  const auto refused = [&](auto change) {
    BasisRequest request = classes.request(2);
    change(request);
    return support::refusal([&] { basis_method("lc-ksvd").learn(Context(), request); });
  };
  EXPECT_THAT(refused([](BasisRequest& r) { r.options.label_terms.version = 3; }),
              testing::HasSubstr("lc-version must be 1 or 2, got 3"));
  EXPECT_THAT(refused([](BasisRequest& r) { r.options.label_terms.consistency = 0; }),
              testing::HasSubstr("consistency must be > 0, got 0"));
  EXPECT_THAT(refused([](BasisRequest& r) { r.options.components = 10; }),
              testing::HasSubstr("multiple of the 3 classes"));
  EXPECT_THAT(refused([](BasisRequest& r) { r.labels = {}; }), testing::HasSubstr("needs labels"));
  EXPECT_THAT(refused([](BasisRequest& r) { r.options.components = 300; }),
              testing::HasSubstr("100 atoms per class cannot start from the 80 samples of class 0; "
                                 "use at most 240 components"));
}

TEST(LabelKsvd, RefusesSamplesThatAreAllEqual) {
  Classes classes;
  for (Index i = 1; i < classes.samples.rows(); ++i)
    classes.samples.view().row(i) = classes.samples.view().row(0);
  for (const char* method : {"d-ksvd", "lc-ksvd"}) {
    const std::string what =
        support::refusal([&] { basis_method(method).learn(Context(), classes.request(1)); });
    EXPECT_THAT(what, testing::HasSubstr("all 240 samples are equal")) << method;
  }
}

}  // namespace
}  // namespace krica
