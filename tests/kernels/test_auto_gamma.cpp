// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "krica/kernels/kernel.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::random_matrix;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// 6 / the median over all pairs.
template <class Scalar>
double exact_gamma(const Matrix<Scalar>& samples) {
  std::vector<double> distances;
  for (Index i = 0; i < samples.rows(); ++i) {
    for (Index k = 0; k < i; ++k) {
      double squared = 0;
      for (Index j = 0; j < samples.cols(); ++j) {
        const double difference =
            static_cast<double>(samples(i, j)) - static_cast<double>(samples(k, j));
        squared += difference * difference;
      }
      distances.push_back(squared);
    }
  }
  std::sort(distances.begin(), distances.end());
  return 6 / distances[distances.size() / 2];
}

template <class Scalar>
class AutoGamma : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(AutoGamma, Scalars);

TYPED_TEST(AutoGamma, IsSixOverTheMedianSquaredDistance) {
  for (const Index n : {1, 3, 30}) {
    const auto samples = random_matrix<TypeParam>(500, n);
    // The median of 10,000 pairs; in one dimension it spreads most.
    EXPECT_NEAR(auto_gamma<TypeParam>(Context(), samples) / exact_gamma(samples), 1.0, 0.05);
  }
}

TYPED_TEST(AutoGamma, IsExactWhereAllDistancesAreEqual) {
  Matrix<TypeParam> corners(4, 4);  // 2·identity: every pair is at squared distance 8
  for (Index i = 0; i < 4; ++i) corners(i, i) = 2;
  EXPECT_DOUBLE_EQ(auto_gamma<TypeParam>(Context(), corners), 0.75);
}

TYPED_TEST(AutoGamma, NeverComparesASampleWithItself) {
  Matrix<TypeParam> pair(2, 1);  // a sample with itself in half the draws would halve the median
  pair(1, 0) = 2;
  EXPECT_DOUBLE_EQ(auto_gamma<TypeParam>(Context(), pair), 1.5);
}

TYPED_TEST(AutoGamma, FollowsFromTheSeedAlone) {
  const auto samples = random_matrix<TypeParam>(300, 6);
  const double gamma = auto_gamma<TypeParam>(Context({.threads = 1, .seed = 5}), samples);
  EXPECT_EQ(auto_gamma<TypeParam>(Context({.threads = 1, .seed = 5}), samples), gamma);
  EXPECT_EQ(auto_gamma<TypeParam>(Context({.threads = 3, .seed = 5}), samples), gamma);
  EXPECT_NE(auto_gamma<TypeParam>(Context({.threads = 1, .seed = 6}), samples), gamma);
}

TYPED_TEST(AutoGamma, TakesViewsWithAnOuterStride) {
  const auto wide = random_matrix<TypeParam>(100, 9);
  const ConstMatrixView<TypeParam> view(wide.data() + 3, 100, 4, 9);
  const auto tight = Matrix<TypeParam>::copy_of(view);
  EXPECT_EQ(auto_gamma<TypeParam>(Context(), view), auto_gamma<TypeParam>(Context(), tight));
}

TYPED_TEST(AutoGamma, LooksAtTheOthersWhereMostSamplesAreEqual) {
  Matrix<TypeParam> drawn(1000, 4);  // blank but for 100 rows at the distance 2 from blank
  for (Index i = 0; i < 100; ++i) drawn(10 * i, i % 4) = 2;
  const double gamma = auto_gamma<TypeParam>(Context(), drawn);
  EXPECT_DOUBLE_EQ(gamma, 6.0 / 4);
}

TYPED_TEST(AutoGamma, RefusesDataWithoutAMedian) {
  const auto message = [](const Matrix<TypeParam>& samples) {
    return support::refusal([&] { (void)auto_gamma<TypeParam>(Context(), samples); });
  };
  EXPECT_THAT(message(Matrix<TypeParam>(10, 3)),
              AllOf(StartsWith("[auto_gamma]"), HasSubstr("all samples are equal"),
                    HasSubstr("set gamma")));
  EXPECT_THAT(message(Matrix<TypeParam>(1, 3)),
              AllOf(StartsWith("[auto_gamma]"), HasSubstr("at least 2 samples"), HasSubstr("1")));
  EXPECT_THAT(message(Matrix<TypeParam>(0, 3)), HasSubstr("got 0"));
  auto holed = random_matrix<TypeParam>(10, 3);
  holed(4, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_THAT(message(holed), AllOf(HasSubstr("1 NaN"), HasSubstr("row 4, column 2")));
}

}  // namespace
}  // namespace krica
