// SPDX-License-Identifier: BSD-3-Clause
//
// The matrix products against plain loops: every combination of transpositions, strides and
// factors, and called from several threads at once.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/blas.hpp"
#include "runtime/parallel.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using blas::Op;
using support::random_matrix;

/// alpha op(A) op(B) + beta C in long double.
template <class Scalar>
Matrix<double> naive_product(Op op_a, Op op_b, double alpha, ConstMatrixView<Scalar> a,
                             ConstMatrixView<Scalar> b, double beta, ConstMatrixView<Scalar> c) {
  Matrix<double> product(c.rows(), c.cols());
  const Index depth = op_a == Op::kPlain ? a.cols() : a.rows();
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j < c.cols(); ++j) {
      long double sum = 0;
      for (Index d = 0; d < depth; ++d) {
        const Scalar left = op_a == Op::kPlain ? a(i, d) : a(d, i);
        const Scalar right = op_b == Op::kPlain ? b(d, j) : b(j, d);
        sum += static_cast<long double>(left) * static_cast<long double>(right);
      }
      product(i, j) = static_cast<double>(alpha * sum + beta * static_cast<long double>(c(i, j)));
    }
  }
  return product;
}

struct Shape {
  Index rows, cols, depth;
};

template <class Scalar>
void expect_products(Op op_a, Op op_b, Shape shape, double beta, bool on_context) {
  const Index padding = 3;  // the views are parts of wider matrices
  const auto [rows, cols, depth] = shape;
  const bool plain_a = op_a == Op::kPlain;
  const bool plain_b = op_b == Op::kPlain;
  const auto a_memory =
      random_matrix<Scalar>(plain_a ? rows : depth, (plain_a ? depth : rows) + padding, 1);
  const auto b_memory =
      random_matrix<Scalar>(plain_b ? depth : cols, (plain_b ? cols : depth) + padding, 2);
  auto c_memory = random_matrix<Scalar>(rows, cols + padding, 3);
  const ConstMatrixView<Scalar> a(a_memory.data() + 1, a_memory.rows(), a_memory.cols() - padding,
                                  a_memory.cols());
  const ConstMatrixView<Scalar> b(b_memory.data() + 2, b_memory.rows(), b_memory.cols() - padding,
                                  b_memory.cols());
  const MatrixView<Scalar> c(c_memory.data() + 1, rows, cols, c_memory.cols());
  const Matrix<Scalar> before = c_memory;
  const Matrix<double> expected =
      naive_product<Scalar>(op_a, op_b, 0.5, a, b, beta, {c.data(), rows, cols, c_memory.cols()});
  if (on_context) {
    blas::gemm<Scalar>(Context({.threads = 2}), op_a, op_b, Scalar(0.5), a, b, Scalar(beta), c);
  } else {
    blas::gemm<Scalar>(op_a, op_b, Scalar(0.5), a, b, Scalar(beta), c);
  }
  EXPECT_LE(support::relative_error(Matrix<Scalar>::copy_of(c), expected),
            support::kProductOf<Scalar>);
  for (Index i = 0; i < rows; ++i) {
    EXPECT_EQ(c_memory(i, 0), before(i, 0));
    EXPECT_EQ(c_memory(i, cols + 1), before(i, cols + 1));
  }
}

class Gemm : public testing::TestWithParam<std::tuple<Op, Op, Shape>> {};

TEST_P(Gemm, EqualsTheNaiveProduct) {
  const auto [op_a, op_b, shape] = GetParam();
  for (const double beta : {0.0, 1.0, -2.0}) {
    for (const bool on_context : {false, true}) {
      expect_products<float>(op_a, op_b, shape, beta, on_context);
      expect_products<double>(op_a, op_b, shape, beta, on_context);
    }
  }
}

std::string name_of(Op op) { return op == Op::kPlain ? "Plain" : "Transposed"; }

std::string gemm_name(const testing::TestParamInfo<Gemm::ParamType>& test) {
  const auto& [op_a, op_b, shape] = test.param;
  return name_of(op_a) + name_of(op_b) + std::to_string(shape.rows) + "x" +
         std::to_string(shape.cols) + "x" + std::to_string(shape.depth);
}

INSTANTIATE_TEST_SUITE_P(Blas, Gemm,
                         testing::Combine(testing::Values(Op::kPlain, Op::kTransposed),
                                          testing::Values(Op::kPlain, Op::kTransposed),
                                          testing::Values(Shape{1, 1, 1}, Shape{1, 9, 33},
                                                          Shape{7, 1, 3}, Shape{9, 31, 1},
                                                          Shape{65, 33, 129}, Shape{257, 8, 7})),
                         gemm_name);

template <class Scalar>
class Blas : public testing::Test {
 protected:
  const Context context_{{.threads = 2}};
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Blas, Scalars);

TYPED_TEST(Blas, BetaZeroOverwritesNan) {
  const auto a = random_matrix<TypeParam>(5, 5);
  Matrix<TypeParam> c(5, 5);
  c.view().setConstant(std::numeric_limits<TypeParam>::quiet_NaN());
  blas::gemm<TypeParam>(Op::kPlain, Op::kPlain, TypeParam(1), a, a, TypeParam(0), c);
  EXPECT_TRUE(c.view().allFinite());
}

TYPED_TEST(Blas, MayBeCalledFromSeveralThreadsAtOnce) {
  // The tiles of every parallel loop do so. A BLAS without locks hands two threads one buffer.
  const auto a = random_matrix<TypeParam>(65, 7, 1);
  const auto b = random_matrix<TypeParam>(129, 7, 2);
  Matrix<TypeParam> expected(65, 129);
  blas::gemm<TypeParam>(Op::kPlain, Op::kTransposed, TypeParam(1), a, b, TypeParam(0), expected);
  std::vector<Matrix<TypeParam>> products(8, Matrix<TypeParam>(65, 129));
  int wrong = 0;
  for (int loop = 0; loop < 600; ++loop) {  // threads meet where a loop begins
    parallel_for(this->context_, 8, [&](Index t) {
      blas::gemm<TypeParam>(Op::kPlain, Op::kTransposed, TypeParam(1), a, b, TypeParam(0),
                            products[static_cast<std::size_t>(t)]);
    });
    for (auto& product : products) {
      wrong += support::same_bits(product, expected) ? 0 : 1;
      product.set_zero();
    }
  }
  EXPECT_EQ(wrong, 0) << "of 4800 products";
}

TYPED_TEST(Blas, SyrkWritesTheLowerTriangleOnly) {
  const auto a = random_matrix<TypeParam>(50, 17, 1);
  auto c = random_matrix<TypeParam>(17, 17, 2);
  const Matrix<TypeParam> before = c;
  const Matrix<double> expected = naive_product<TypeParam>(Op::kTransposed, Op::kPlain, 0.5, a, a,
                                                           2.0, ConstMatrixView<TypeParam>(before));
  blas::syrk_lower<TypeParam>(TypeParam(0.5), a, TypeParam(2), c);
  for (Index i = 0; i < 17; ++i) {
    for (Index j = 0; j < 17; ++j) {
      if (j > i) {
        EXPECT_EQ(c(i, j), before(i, j));
      } else {
        EXPECT_NEAR(c(i, j), expected(i, j), 100 * support::kProductOf<TypeParam>);
      }
    }
  }
}

TYPED_TEST(Blas, MirrorLowerMakesSymmetric) {
  for (const Index size : {1, 2, 129, 300}) {
    const auto before = random_matrix<TypeParam>(size, size);
    Matrix<TypeParam> matrix = before;
    blas::mirror_lower<TypeParam>(this->context_, matrix);
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j)
        ASSERT_EQ(matrix(i, j), j <= i ? before(i, j) : before(j, i));
    }
  }
}

TYPED_TEST(Blas, GramOfColumnsIsTheSymmetricProduct) {
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{1, 1}, {2, 3}, {300, 7}, {50, 129}, {5000, 9}}) {
    const auto a = random_matrix<TypeParam>(rows, cols);
    Matrix<double> gram(cols, cols);
    gram.view().setConstant(99);
    blas::gram_of_columns<TypeParam>(this->context_, a, gram);
    const Matrix<TypeParam> zero(cols, cols);
    const Matrix<double> expected =
        naive_product<TypeParam>(Op::kTransposed, Op::kPlain, 1.0, a, a, 0.0, zero);
    EXPECT_LE(support::relative_error(gram, expected), support::kProductOf<TypeParam>);
    EXPECT_TRUE(gram.view() == gram.view().transpose());
  }
}

TYPED_TEST(Blas, GramOfRowsIsTheSymmetricProductWithTheSameBitsForAnyNumberOfThreads) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {3, 2}, {129, 50}, {400, 300}}) {
    const auto a = random_matrix<TypeParam>(rows, cols);
    Matrix<TypeParam> gram(rows, rows);
    gram.view().setConstant(99);
    blas::gram_of_rows<TypeParam>(Context({.threads = 3}), a, gram);
    const Matrix<TypeParam> zero(rows, rows);
    const Matrix<double> expected =
        naive_product<TypeParam>(Op::kPlain, Op::kTransposed, 1.0, a, a, 0.0, zero);
    EXPECT_LE(support::relative_error(gram, expected), support::kProductOf<TypeParam>);
    EXPECT_TRUE(gram.view() == gram.view().transpose());
    Matrix<TypeParam> alone(rows, rows);
    blas::gram_of_rows<TypeParam>(Context({.threads = 1}), a, alone);
    EXPECT_TRUE(support::same_bits(gram, alone));
  }
}

TYPED_TEST(Blas, GramOfColumnsHasTheSameBitsForAnyNumberOfThreads) {
  const auto a = random_matrix<TypeParam>(3000, 140);
  Matrix<double> alone(140, 140);
  Matrix<double> gram(140, 140);
  blas::gram_of_columns<TypeParam>(Context({.threads = 1}), a, alone);
  for (const int threads : {2, 3, 4}) {
    blas::gram_of_columns<TypeParam>(Context({.threads = threads}), a, gram);
    EXPECT_TRUE(support::same_bits(gram, alone)) << threads << " threads";
  }
}

}  // namespace
}  // namespace krica
