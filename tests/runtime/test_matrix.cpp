// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "krica/runtime/matrix.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::random_matrix;
using support::same_bits;

template <class Scalar>
class MatrixOf : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixOf, Scalars);

TYPED_TEST(MatrixOf, StartsAtZeroAndAligned) {
  const Matrix<TypeParam> matrix(7, 5);
  EXPECT_EQ(matrix.rows(), 7);
  EXPECT_EQ(matrix.cols(), 5);
  EXPECT_EQ(matrix.size(), 35);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.data()) % 64, 0U);
  EXPECT_TRUE((matrix.view().array() == TypeParam(0)).all());
}

TYPED_TEST(MatrixOf, IsRowMajor) {
  Matrix<TypeParam> matrix(2, 3);
  matrix(1, 2) = 5;
  EXPECT_EQ(matrix.data()[5], TypeParam(5));
  EXPECT_EQ(matrix.row(1), matrix.data() + 3);
  EXPECT_EQ(matrix.view()(1, 2), TypeParam(5));
}

TYPED_TEST(MatrixOf, CopiesAreTheirOwn) {
  const auto original = random_matrix<TypeParam>(4, 3);
  Matrix<TypeParam> copy = original;
  EXPECT_TRUE(same_bits(copy, original));
  copy(0, 0) += 1;
  EXPECT_NE(copy(0, 0), original(0, 0));
  copy = original;
  EXPECT_TRUE(same_bits(copy, original));
  EXPECT_NE(copy.data(), original.data());
}

TYPED_TEST(MatrixOf, AssignsItself) {
  auto matrix = random_matrix<TypeParam>(4, 3);
  const Matrix<TypeParam> before = matrix;
  const Matrix<TypeParam>& same = matrix;
  matrix = same;
  EXPECT_TRUE(same_bits(matrix, before));
}

TYPED_TEST(MatrixOf, MovesKeepTheMemory) {
  auto source = random_matrix<TypeParam>(4, 3);
  const Matrix<TypeParam> expected = source;
  const TypeParam* memory = source.data();
  Matrix<TypeParam> moved = std::move(source);
  EXPECT_EQ(moved.data(), memory);
  EXPECT_TRUE(same_bits(moved, expected));
  Matrix<TypeParam> assigned(1, 1);
  assigned = std::move(moved);
  EXPECT_EQ(assigned.data(), memory);
  EXPECT_TRUE(same_bits(assigned, expected));
}

TYPED_TEST(MatrixOf, IsEmptyOnceMovedFrom) {
  // A matrix that has no memory must not claim elements: copying it would read through null.
  auto source = random_matrix<TypeParam>(4, 3);
  const Matrix<TypeParam> moved = std::move(source);
  EXPECT_EQ(moved.size(), 12);
  EXPECT_EQ(source.size(), 0);  // NOLINT(bugprone-use-after-move)
}

TYPED_TEST(MatrixOf, MayBeEmpty) {
  const Matrix<TypeParam> nothing;
  const Matrix<TypeParam> copy = nothing;
  EXPECT_EQ(copy.size(), 0);
  const Matrix<TypeParam> no_rows(0, 5);
  const Matrix<TypeParam> no_rows_copy = no_rows;
  EXPECT_EQ(no_rows_copy.rows(), 0);
  EXPECT_EQ(no_rows_copy.cols(), 5);
}

TYPED_TEST(MatrixOf, CopyOfTakesAnyRowMajorObject) {
  RowMajor<TypeParam> eigen(3, 4);
  eigen.setRandom();
  const auto copy = Matrix<TypeParam>::copy_of(eigen.block(1, 1, 2, 3));
  EXPECT_EQ(copy.rows(), 2);
  EXPECT_TRUE(copy.view() == eigen.block(1, 1, 2, 3));
}

TYPED_TEST(MatrixOf, ViewsConvertFromEigenWithoutCopies) {
  RowMajor<TypeParam> eigen(6, 4);
  eigen.setRandom();
  const ConstMatrixView<TypeParam> whole = eigen;
  EXPECT_EQ(whole.data(), eigen.data());
  const ConstMatrixView<TypeParam> part = eigen.block(2, 1, 3, 2);
  EXPECT_EQ(part.data(), &eigen(2, 1));
  EXPECT_EQ(part.outerStride(), 4);
  EXPECT_TRUE(part == eigen.block(2, 1, 3, 2));
}

TYPED_TEST(MatrixOf, RowsBetweenKeepsTheStride) {
  auto matrix = random_matrix<TypeParam>(6, 5);
  const ConstMatrixView<TypeParam> view(matrix.data() + 1, 6, 3, 5);
  const auto rows = view.rows_between(2, 4);
  EXPECT_EQ(rows.rows(), 2);
  EXPECT_EQ(rows(1, 2), matrix(3, 3));
  const MatrixView<TypeParam> writable = matrix;
  writable.rows_between(5, 6).setConstant(9);
  EXPECT_EQ(matrix(5, 4), TypeParam(9));
  EXPECT_NE(matrix(4, 4), TypeParam(9));
}

TYPED_TEST(MatrixOf, AssigningAViewCopiesElements) {
  auto target = random_matrix<TypeParam>(3, 3, 1);
  auto source = random_matrix<TypeParam>(3, 3, 2);
  MatrixView<TypeParam> view = target;
  const MatrixView<TypeParam> other = source;
  view = other;
  EXPECT_TRUE(same_bits(target, source));
  EXPECT_EQ(view.data(), target.data());
}

}  // namespace
}  // namespace krica
