// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "krica/clustering/kmeans.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::refusal;

template <class Scalar>
double squared_distance(ConstMatrixView<Scalar> X, Index i, const Matrix<Scalar>& centers,
                        Index k) {
  double sum = 0;
  for (Index j = 0; j < X.cols(); ++j) {
    const double off = static_cast<double>(X(i, j)) - static_cast<double>(centers(k, j));
    sum += off * off;
  }
  return sum;
}

/// Every sample at its nearest centre (to rounding), and the inertia what it says.
template <class Scalar>
void expect_sound(ConstMatrixView<Scalar> X, const KmeansResult<Scalar>& result, double rounding) {
  ASSERT_EQ(static_cast<Index>(result.assignment.size()), X.rows());
  double inertia = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    const Index own = result.assignment[static_cast<std::size_t>(i)];
    ASSERT_TRUE(own >= 0 && own < result.centers.rows());
    const double distance = squared_distance(X, i, result.centers, own);
    for (Index k = 0; k < result.centers.rows(); ++k) {
      ASSERT_LE(distance, squared_distance(X, i, result.centers, k) + rounding)
          << "sample " << i << " has centre " << own << ", nearer is " << k;
    }
    inertia += distance;
  }
  EXPECT_NEAR(result.inertia, inertia, 1e-10 * inertia);
}

/// Samples around `clusters` corners that lie far apart; sample i belongs to i mod clusters.
template <class Scalar>
Matrix<Scalar> separated(Index m, Index n, Index clusters, std::uint64_t seed = 1) {
  Matrix<Scalar> X = support::random_matrix<Scalar>(m, n, seed);
  const Matrix<Scalar> corners = support::random_matrix<Scalar>(clusters, n, seed + 1);
  X.view() *= Scalar(0.01);
  for (Index i = 0; i < m; ++i) X.view().row(i) += Scalar(10) * corners.view().row(i % clusters);
  return X;
}

template <class Scalar>
class Kmeans : public testing::Test {
 protected:
  const Context context_{{.threads = 1, .seed = 3}};
  /// Of a squared distance between samples of the order of 1.
  static constexpr double kRounding = sizeof(Scalar) == 4 ? 1e-4 : 1e-12;
};

using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Kmeans, Scalars);

TYPED_TEST(Kmeans, InertiaNeverRises) {
  const auto X = support::random_matrix<TypeParam>(700, 5);
  for (const KmeansStart start : {KmeansStart::kPlusPlus, KmeansStart::kSamples}) {
    double before = HUGE_VAL;
    for (Index iterations = 0; iterations <= 25; ++iterations) {
      const auto result = kmeans<TypeParam>(
          this->context_, X,
          {.n_clusters = 30, .start = start, .max_iterations = iterations, .tolerance = 0});
      EXPECT_LE(result.inertia, before) << iterations;
      EXPECT_LE(result.iterations, iterations);
      if (!result.converged) {
        EXPECT_EQ(result.iterations, iterations);
        EXPECT_LT(result.inertia, before) << "an iteration that goes on improves";
      }
      expect_sound<TypeParam>(X, result, this->kRounding);
      before = result.inertia;
    }
  }
}

TYPED_TEST(Kmeans, WithoutIterationsGivesDifferentSamples) {
  const auto X = support::random_matrix<TypeParam>(90, 4);
  for (const KmeansStart start : {KmeansStart::kPlusPlus, KmeansStart::kSamples}) {
    const auto result = kmeans<TypeParam>(this->context_, X,
                                          {.n_clusters = 20, .start = start, .max_iterations = 0});
    EXPECT_EQ(result.iterations, 0);
    EXPECT_FALSE(result.converged);
    std::set<Index> chosen;
    for (Index k = 0; k < 20; ++k) {
      for (Index i = 0; i < X.rows(); ++i) {
        if (squared_distance<TypeParam>(X, i, result.centers, k) == 0) chosen.insert(i);
      }
    }
    EXPECT_EQ(chosen.size(), 20U);
  }
}

TYPED_TEST(Kmeans, FindsSeparatedClusters) {
  const Index clusters = 7;
  const auto X = separated<TypeParam>(350, 6, clusters);
  const auto result = kmeans<TypeParam>(this->context_, X, {.n_clusters = clusters});
  EXPECT_TRUE(result.converged);
  EXPECT_LT(result.inertia, 350 * 6 * 2e-4);
  std::set<Index> found;
  for (Index i = 0; i < X.rows(); ++i) {
    const auto of = [&](Index s) { return result.assignment[static_cast<std::size_t>(s)]; };
    EXPECT_EQ(of(i), of(i % clusters)) << i;
    found.insert(of(i));
  }
  EXPECT_EQ(found.size(), static_cast<std::size_t>(clusters));
}

TYPED_TEST(Kmeans, CentresWithoutSamplesAreSeededAnew) {
  const Index clusters = 6;
  const auto X = separated<TypeParam>(240, 4, clusters);
  Matrix<TypeParam> centers(clusters, 4);
  centers.view().setConstant(TypeParam(1000));  // far away, and all the same: five have no sample
  const auto result =
      kmeans_from<TypeParam>(this->context_, X, centers, {.n_clusters = clusters, .tolerance = 0});
  const std::set<Index> used(result.assignment.begin(), result.assignment.end());
  EXPECT_EQ(used.size(), static_cast<std::size_t>(clusters));
  EXPECT_LT(result.centers.view().cwiseAbs().maxCoeff(), 100);
  expect_sound<TypeParam>(X, result, 100 * this->kRounding);
}

TYPED_TEST(Kmeans, InertiaNeverRisesWhereCentresAreSeededAnew) {
  const auto X = support::random_matrix<TypeParam>(300, 3);
  Matrix<TypeParam> centers(40, 3);
  centers.view().bottomRows(35).setConstant(TypeParam(50));
  double before = HUGE_VAL;
  for (Index iterations = 0; iterations <= 12; ++iterations) {
    const auto result =
        kmeans_from<TypeParam>(this->context_, X, centers,
                               {.n_clusters = 40, .max_iterations = iterations, .tolerance = 0});
    EXPECT_LE(result.inertia, before) << iterations;
    before = result.inertia;
  }
}

TYPED_TEST(Kmeans, AsManyClustersAsSamplesLeaveNoInertia) {
  const auto X = support::random_matrix<TypeParam>(60, 3);
  const auto result = kmeans<TypeParam>(this->context_, X, {.n_clusters = 60});
  EXPECT_EQ(result.inertia, 0);
  const std::set<Index> used(result.assignment.begin(), result.assignment.end());
  EXPECT_EQ(used.size(), 60U);
}

TYPED_TEST(Kmeans, OneClusterIsTheMean) {
  const auto X = support::random_matrix<TypeParam>(5000, 3);
  const auto result = kmeans<TypeParam>(this->context_, X, {.n_clusters = 1});
  const Matrix<double> exact = support::cast_to<double>(X);
  for (Index j = 0; j < 3; ++j)
    EXPECT_NEAR(result.centers(0, j), exact.view().col(j).mean(), this->kRounding);
  EXPECT_TRUE(result.converged);
}

TYPED_TEST(Kmeans, AssignsBeyondOneTileOfSamplesAndCentres) {
  const auto X = support::random_matrix<TypeParam>(1500, 8);
  const auto result =
      kmeans<TypeParam>(this->context_, X, {.n_clusters = 700, .max_iterations = 2});
  expect_sound<TypeParam>(X, result, this->kRounding);
}

TYPED_TEST(Kmeans, EquallyNearCentresGoToTheFirst) {
  Matrix<TypeParam> X(2, 1);
  X(0, 0) = 5;
  Matrix<TypeParam> centers(3, 1);
  centers(0, 0) = -1;
  centers(1, 0) = 1;
  centers(2, 0) = 1;
  Matrix<TypeParam> middle(2, 1);
  const KmeansOptions options{.n_clusters = 2, .max_iterations = 0};
  const ConstMatrixView<TypeParam> two(centers.data(), 2, 1);
  EXPECT_EQ(kmeans_from<TypeParam>(this->context_, middle, two, options).assignment[0], 0);
  const ConstMatrixView<TypeParam> twins(centers.row(1), 2, 1);
  EXPECT_EQ(kmeans_from<TypeParam>(this->context_, X, twins, options).assignment[0], 0);
}

TYPED_TEST(Kmeans, WorksOnEqualSamples) {
  Matrix<TypeParam> X(40, 3);
  X.view().setConstant(TypeParam(1.5));
  for (const Index K : {1, 5, 40}) {
    const auto result = kmeans<TypeParam>(this->context_, X, {.n_clusters = K});
    EXPECT_EQ(result.inertia, 0) << K;
    EXPECT_TRUE(result.converged);
    EXPECT_EQ((result.centers.view().array() - TypeParam(1.5)).abs().maxCoeff(), TypeParam(0));
  }
}

TYPED_TEST(Kmeans, WorksOnOneSampleAndOnStridedRows) {
  const auto wide = support::random_matrix<TypeParam>(200, 9);
  const ConstMatrixView<TypeParam> X(wide.data() + 2, 200, 4, 9);
  const Matrix<TypeParam> copy = Matrix<TypeParam>::copy_of(X);
  const KmeansOptions options{.n_clusters = 9};
  const auto strided = kmeans<TypeParam>(this->context_, X, options);
  const auto dense = kmeans<TypeParam>(this->context_, copy, options);
  EXPECT_TRUE(support::same_bits(strided.centers, dense.centers));
  EXPECT_EQ(strided.assignment, dense.assignment);
  const auto one = kmeans<TypeParam>(this->context_, X.rows_between(0, 1), {.n_clusters = 1});
  EXPECT_EQ(one.inertia, 0);
}

TYPED_TEST(Kmeans, ACentreOfMostSamplesIsTheirMean) {
  // Its samples are summed in several runs, on any number of threads.
  auto X = support::random_matrix<TypeParam>(5000, 7);
  for (Index i = 0; i < X.rows(); i += 25) X(i, 0) += 100;
  const KmeansOptions options{.n_clusters = 2, .max_iterations = 5};
  const auto one = kmeans<TypeParam>(this->context_, X, options);
  const auto many = kmeans<TypeParam>(Context({.threads = 17, .seed = 3}), X, options);
  EXPECT_TRUE(support::same_bits(many.centers, one.centers));
  const Index rare = one.assignment[0];
  EXPECT_EQ(std::count(one.assignment.begin(), one.assignment.end(), rare), 200);
  for (Index j = 0; j < X.cols(); ++j) {
    double mean = 0;
    for (Index i = 0; i < X.rows(); ++i)
      mean += i % 25 != 0 ? static_cast<double>(X(i, j)) / 4800 : 0;
    EXPECT_NEAR(one.centers(1 - rare, j), mean, 1e-6);
  }
}

TYPED_TEST(Kmeans, ThreadsDoNotChangeTheBits) {
  const auto X = support::random_matrix<TypeParam>(5000, 9);
  const auto run = [&](int threads) {
    return kmeans<TypeParam>(Context({.threads = threads, .seed = 8}), X,
                             {.n_clusters = 50, .max_iterations = 8});
  };
  const auto one = run(1);
  for (const int threads : {2, 3, 4, 17}) {
    const auto many = run(threads);
    EXPECT_TRUE(support::same_bits(many.centers, one.centers)) << threads;
    EXPECT_TRUE(support::same_bits(many.inertia, one.inertia)) << threads;
    EXPECT_EQ(many.assignment, one.assignment) << threads;
    EXPECT_EQ(many.iterations, one.iterations) << threads;
  }
}

TYPED_TEST(Kmeans, FollowsFromTheSeed) {
  const auto X = support::random_matrix<TypeParam>(300, 4);
  const auto centers = [&](std::uint64_t seed) {
    return kmeans<TypeParam>(Context({.threads = 1, .seed = seed}), X, {.n_clusters = 10}).centers;
  };
  EXPECT_TRUE(support::same_bits(centers(1), centers(1)));
  EXPECT_FALSE(support::same_bits(centers(1), centers(2)));
}

TYPED_TEST(Kmeans, StopsAtItsTolerance) {
  const auto X = support::random_matrix<TypeParam>(500, 4);
  const auto loose = kmeans<TypeParam>(this->context_, X, {.n_clusters = 20, .tolerance = 0.05});
  const auto tight = kmeans<TypeParam>(this->context_, X, {.n_clusters = 20, .tolerance = 0});
  EXPECT_TRUE(loose.converged);
  EXPECT_LT(loose.iterations, tight.iterations);
  EXPECT_GT(loose.inertia, tight.inertia);
}

TYPED_TEST(Kmeans, RefusesBadInput) {
  const auto X = support::random_matrix<TypeParam>(30, 4);
  const auto message = [&](const Matrix<TypeParam>& samples, const KmeansOptions& options) {
    return refusal([&] { kmeans<TypeParam>(this->context_, samples, options); });
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message(X, {.n_clusters = 0}),
         "n_clusters must be 1 to the number of samples (30), got 0");
  expect(message(X, {.n_clusters = -2}), "got -2");
  expect(message(X, {.n_clusters = 31}), "got 31");
  expect(message(X, {.n_clusters = 3, .max_iterations = -1}),
         "max_iterations must be >= 0, got -1");
  expect(message(X, {.n_clusters = 3, .tolerance = -0.5}), "tolerance must be >= 0, got -0.5");
  expect(message(X, {.n_clusters = 3, .tolerance = std::nan("")}), "tolerance");
  expect(message(Matrix<TypeParam>(), {.n_clusters = 1}), "empty");
  expect(message(Matrix<TypeParam>(5, 0), {.n_clusters = 1}), "empty");
  for (const double value : {std::nan(""), HUGE_VAL}) {
    Matrix<TypeParam> spoilt = X;
    spoilt(7, 2) = static_cast<TypeParam>(value);
    expect(message(spoilt, {.n_clusters = 3}), "row 7, column 2");
  }
}

TYPED_TEST(Kmeans, RefusesValuesWhoseSquaresOverflow) {
  const auto small = support::random_matrix<TypeParam>(30, 4);
  auto large = small;
  large(3, 3) = std::sqrt(std::numeric_limits<TypeParam>::max());
  const KmeansOptions options{.n_clusters = 30};
  const auto& context = this->context_;
  EXPECT_NE(refusal([&] { kmeans<TypeParam>(context, large, options); }).find("overflows"),
            std::string::npos);
  EXPECT_NE(
      refusal([&] { kmeans_from<TypeParam>(context, small, large, options); }).find("centres"),
      std::string::npos);
  large(3, 3) /= 100;
  EXPECT_NO_THROW(kmeans<TypeParam>(context, large, options));
}

TYPED_TEST(Kmeans, RefusesCentresThatDoNotFit) {
  const auto X = support::random_matrix<TypeParam>(30, 4);
  const auto message = [&](const Matrix<TypeParam>& centers) {
    return refusal([&] { kmeans_from<TypeParam>(this->context_, X, centers, {.n_clusters = 3}); });
  };
  EXPECT_NE(message(Matrix<TypeParam>(2, 4)).find("2 x 4"), std::string::npos);
  EXPECT_NE(message(Matrix<TypeParam>(3, 5)).find("3 x 5"), std::string::npos);
  Matrix<TypeParam> spoilt(3, 4);
  spoilt(1, 1) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_NE(message(spoilt).find("row 1, column 1"), std::string::npos);
}

TYPED_TEST(Kmeans, StopsOnRequestAndReports) {
  const auto X = support::random_matrix<TypeParam>(500, 4);
  std::vector<double> reported;
  const Context* running = nullptr;
  const Context context({.threads = 1, .progress = [&](const Progress& progress) {
                           EXPECT_EQ(progress.stage, "kmeans");
                           reported.push_back(progress.value);
                           if (reported.size() == 3) running->cancel();
                         }});
  running = &context;
  EXPECT_THROW(kmeans<TypeParam>(context, X, {.n_clusters = 20, .tolerance = 0}), Cancelled);
  EXPECT_EQ(reported.size(), 3U);
}

TEST(KmeansPrecision, FloatIsCloseToDouble) {
  const auto X = support::random_matrix<float>(800, 6);
  const Context context({.threads = 1});
  const KmeansOptions options{.n_clusters = 15, .max_iterations = 5};
  const auto single = kmeans<float>(context, X, options);
  const auto exact = kmeans<double>(context, support::cast_to<double>(X), options);
  EXPECT_NEAR(single.inertia, exact.inertia, 1e-5 * exact.inertia);
  EXPECT_LT(support::relative_error(single.centers, exact.centers), 1e-4);
}

/// ‖x‖² is large against the distances: x·c - ‖c‖²/2 keeps few of their digits.
TEST(KmeansPrecision, SamplesFarFromTheOriginAreClusteredInFloat) {
  const Index clusters = 5;
  auto X = separated<float>(200, 6, clusters);
  X.view().array() += 2000.0F;
  const Context context({.threads = 1});
  const auto result = kmeans<float>(context, X, {.n_clusters = clusters});
  for (Index i = 0; i < X.rows(); ++i) {
    EXPECT_EQ(result.assignment[static_cast<std::size_t>(i)],
              result.assignment[static_cast<std::size_t>(i % clusters)]);
  }
}

}  // namespace
}  // namespace krica
