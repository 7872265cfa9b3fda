// SPDX-License-Identifier: BSD-3-Clause
//
// The tiled triangular operations against sums in double, at sizes around the blocks of 128.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/triangular.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

constexpr float kBelow = 77;  // what the caller keeps below the diagonal

/// A well conditioned U with kBelow beneath it.
Matrix<float> random_upper(Index n) {
  Matrix<float> U = support::random_matrix<float>(n, n, 5);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j)
      U(i, j) = j < i ? kBelow : U(i, j) / static_cast<float>(n) + (i == j ? 1.0F : 0.0F);
  }
  return U;
}

void expect_below_untouched(const Matrix<float>& U) {
  for (Index i = 0; i < U.rows(); ++i) {
    for (Index j = 0; j < i; ++j) ASSERT_EQ(U(i, j), kBelow);
  }
}

/// Row i of x times op(U), from the upper triangle alone.
Matrix<double> product(const Matrix<float>& x, const Matrix<float>& U, bool transposed) {
  Matrix<double> result(x.rows(), x.cols());
  for (Index r = 0; r < x.rows(); ++r) {
    for (Index i = 0; i < U.rows(); ++i) {
      for (Index j = i; j < U.cols(); ++j) {
        const Index from = transposed ? j : i;
        const Index to = transposed ? i : j;
        result(r, to) += static_cast<double>(x(r, from)) * static_cast<double>(U(i, j));
      }
    }
  }
  return result;
}

class Triangular : public testing::TestWithParam<Index> {
 protected:
  const Context one_{{.threads = 1}};
  const Context four_{{.threads = 4}};
};

TEST_P(Triangular, MultipliesAndSolves) {
  const Matrix<float> U = random_upper(GetParam());
  const Matrix<float> x = support::random_matrix<float>(10, GetParam(), 6);
  for (const bool transposed : {false, true}) {
    Matrix<float> y = x;
    multiply_upper(four_, transposed ? blas::Op::kTransposed : blas::Op::kPlain, U, y);
    EXPECT_LT(support::relative_error(y, product(x, U, transposed)), 1e-5);
    if (!transposed) continue;
    solve_upper_transposed(U, y);
    EXPECT_LT(support::relative_error(y, x), 1e-5);
  }
}

TEST_P(Triangular, Inverts) {
  const Matrix<float> U = random_upper(GetParam());
  Matrix<float> inverse = U;
  invert_upper(four_, inverse);
  expect_below_untouched(inverse);
  const Matrix<float> x = support::random_matrix<float>(3, GetParam(), 7);
  Matrix<float> y = x;
  multiply_upper(one_, blas::Op::kPlain, U, y);
  multiply_upper(one_, blas::Op::kPlain, inverse, y);
  EXPECT_LT(support::relative_error(y, x), 1e-5);
}

TEST_P(Triangular, RanksInvertTogether) {
  const Matrix<float> U = random_upper(GetParam());
  Matrix<float> expected = U;
  invert_upper(one_, expected);
  for (const int ranks : {2, 3, 4}) {
    on_ranks(ranks, {.threads = 2}, [&](const Context& context) {
      Matrix<float> inverse = U;
      invert_upper(context, inverse);
      EXPECT_TRUE(inverse.view() == expected.view()) << ranks;
    });
  }
}

TEST_P(Triangular, RanksFactorTogether) {
  Matrix<float> A = random_upper(GetParam());
  for (Index i = 0; i < A.rows(); ++i) A(i, i) += 10;
  Matrix<float> expected = A;
  ASSERT_TRUE(cholesky_upper<float>(one_, expected));
  Matrix<float> broken = A;
  broken(GetParam() - 1, GetParam() - 1) = -1;
  for (const int ranks : {2, 3, 4}) {
    on_ranks(ranks, {.threads = 2}, [&](const Context& context) {
      Matrix<float> U = A;
      EXPECT_TRUE(cholesky_upper<float>(context, U));
      EXPECT_TRUE(support::same_bits(U, expected)) << ranks;
      Matrix<float> none = broken;
      EXPECT_FALSE(cholesky_upper<float>(context, none));
    });
  }
}

TEST_P(Triangular, RanksMultiplyTogether) {
  const Index n = GetParam();
  const Matrix<float> U = random_upper(n);
  std::vector<Index> sizes{10};
  if (n >= 100) sizes.push_back(kDividedProduct / (n * n) + 1);  // worth a message
  for (const Index rows : sizes) {
    const Matrix<float> x = support::random_matrix<float>(rows, n, 6);
    for (const auto op : {blas::Op::kPlain, blas::Op::kTransposed}) {
      Matrix<float> expected = x;
      multiply_upper(one_, op, U, expected);
      for (const int ranks : {2, 3}) {
        on_ranks(ranks, {.threads = 1}, [&](const Context& context) {
          Matrix<float> y = x;
          multiply_upper(context, op, U, y);
          EXPECT_TRUE(support::same_bits(y, expected)) << ranks;
        });
      }
    }
  }
}

TEST_P(Triangular, FactorsWhatItMultiplied) {
  const Index n = GetParam();
  const Matrix<float> U = random_upper(n);
  Matrix<double> A(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = i; j < n; ++j) {
      for (Index k = 0; k <= i; ++k)
        A(i, j) += static_cast<double>(U(k, i)) * static_cast<double>(U(k, j));
    }
    for (Index j = 0; j < i; ++j) A(i, j) = static_cast<double>(kBelow);
  }
  Matrix<float> narrow(n, n);
  for (Index e = 0; e < A.size(); ++e) narrow.data()[e] = static_cast<float>(A.data()[e]);
  ASSERT_TRUE(cholesky_upper<double>(four_, A));
  ASSERT_TRUE(cholesky_upper<float>(four_, narrow));
  EXPECT_LT(support::relative_error(A, U), 1e-6);
  EXPECT_LT(support::relative_error(narrow, U), 1e-4);
  expect_below_untouched(narrow);
}

TEST_P(Triangular, HasTheSameBitsForAnyThreads) {
  Matrix<float> a = random_upper(GetParam());
  for (Index i = 0; i < a.rows(); ++i) a(i, i) += 10;
  Matrix<float> b = a;
  ASSERT_TRUE(cholesky_upper<float>(one_, a) && cholesky_upper<float>(four_, b));
  EXPECT_TRUE(support::same_bits(a, b));
  invert_upper(one_, a);
  invert_upper(four_, b);
  EXPECT_TRUE(support::same_bits(a, b));
}

TEST_P(Triangular, SaysWhereAMatrixIsNotPositiveDefinite) {
  Matrix<double> A(GetParam(), GetParam());
  for (Index i = 0; i < A.rows(); ++i) A(i, i) = i + 1 < A.rows() ? 1 : -1;
  EXPECT_FALSE(cholesky_upper<double>(four_, A));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Triangular, testing::Values(1, 2, 127, 128, 129, 300, 700),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace krica
