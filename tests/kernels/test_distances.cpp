// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/distances.hpp"
#include "runtime/parallel.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::random_matrix;

template <class Scalar>
class Distances : public testing::Test {
 protected:
  /// The largest relative error of all distances between the rows.
  static double worst_error(const Matrix<Scalar>& X, const Matrix<Scalar>& W) {
    Matrix<Scalar> distances(X.rows(), W.rows());
    const auto norms = squared_row_norms<Scalar>(W);
    squared_distances<Scalar>(X, W, norms, distances);
    double worst = 0;
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index u = 0; u < W.rows(); ++u) {
        double exact = 0;
        for (Index j = 0; j < X.cols(); ++j)
          exact += std::pow(static_cast<double>(X(i, j)) - static_cast<double>(W(u, j)), 2);
        worst =
            std::max(worst, support::relative_error(static_cast<double>(distances(i, u)), exact));
      }
    }
    return worst;
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Distances, Scalars);

TYPED_TEST(Distances, AreExactAtEveryNearness) {
  const auto X = random_matrix<TypeParam>(30, 108, 1);
  const auto noise = random_matrix<TypeParam>(30, 108, 2);
  for (const double nearness : {1.0, 0.3, 0.1, 1e-2, 1e-4, 1e-6}) {
    Matrix<TypeParam> W = X;
    W.view() += static_cast<TypeParam>(nearness) * noise.view();
    const double tolerance = sizeof(TypeParam) == 4 ? support::kKernelValueFloat : 1e-12;
    EXPECT_LE(this->worst_error(X, W), tolerance) << "nearness " << nearness;
  }
}

TYPED_TEST(Distances, OfEqualPointsAreZero) {
  auto X = random_matrix<TypeParam>(9, 33);
  X.view().row(0).setZero();
  Matrix<TypeParam> distances(9, 9);
  const auto norms = squared_row_norms<TypeParam>(X);
  squared_distances<TypeParam>(X, X, norms, distances);
  for (Index i = 0; i < 9; ++i) EXPECT_EQ(distances(i, i), TypeParam(0));
}

TYPED_TEST(Distances, SquaredNormsAreSumsOfSquares) {
  const auto W = random_matrix<TypeParam>(7, 19);
  const auto norms = squared_row_norms<TypeParam>(W);
  ASSERT_EQ(norms.size(), 7U);
  for (Index u = 0; u < 7; ++u) {
    const double exact = W.view().row(u).template cast<double>().squaredNorm();
    EXPECT_LE(support::relative_error(static_cast<double>(norms[u]), exact),
              support::kProductOf<TypeParam>);
  }
}

TYPED_TEST(Distances, OfOnePairAreSummedInDouble) {
  const auto a = random_matrix<TypeParam>(2, 50);
  double exact = 0;
  for (Index j = 0; j < 50; ++j)
    exact += std::pow(static_cast<double>(a(0, j)) - static_cast<double>(a(1, j)), 2);
  EXPECT_LE(support::relative_error(ordered_squared_distance(a.row(0), a.row(1), 50), exact),
            support::kKernelValue);
}

}  // namespace
}  // namespace krica
