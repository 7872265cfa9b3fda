// SPDX-License-Identifier: BSD-3-Clause
//
// kernel_matrix against single kernel values, over sizes that straddle tiles (128) and vector
// widths, in both precisions; and what float32 makes of points that nearly coincide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "krica/kernels/kernel.hpp"
#include "support/comparison.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/reference.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::cast_to;
using support::kAllKernels;
using support::kernel_of;
using support::random_matrix;
using testing::HasSubstr;

/// Unit-norm rows, as patches have them: no kernel explodes.
template <class Scalar>
Matrix<Scalar> unit_rows(Index rows, Index cols, std::uint64_t seed) {
  Matrix<Scalar> matrix = random_matrix<Scalar>(rows, cols, seed);
  for (Index i = 0; i < rows; ++i) matrix.view().row(i).normalize();
  return matrix;
}

/// The largest error of gram(i, u), relative to the largest entry: sums that cancel lose digits.
template <class Scalar>
double worst_error(const Kernel& kernel, const Matrix<Scalar>& samples, const Matrix<Scalar>& atoms,
                   const Matrix<Scalar>& gram) {
  const Matrix<double> exact_samples = cast_to<double>(samples);
  const Matrix<double> exact_atoms = cast_to<double>(atoms);
  double worst = 0;
  double largest = 0;
  for (Index i = 0; i < samples.rows(); ++i) {
    for (Index u = 0; u < atoms.rows(); ++u) {
      const double expected =
          reference::kernel(kernel, exact_atoms.row(u), exact_samples.row(i), atoms.cols());
      worst = std::max(worst, std::abs(static_cast<double>(gram(i, u)) - expected));
      largest = std::max(largest, std::abs(expected));
    }
  }
  return worst / largest;
}

template <class Scalar>
void expect_right_matrices(const Kernel& kernel, Index m, Index K, Index n) {
  const Context context({.threads = 2});
  const Matrix<Scalar> samples = unit_rows<Scalar>(m, n, 1);
  const Matrix<Scalar> atoms = unit_rows<Scalar>(K, n, 2);
  Matrix<Scalar> gram(m, K);
  kernel_matrix<Scalar>(context, kernel, samples, atoms, gram);
  EXPECT_LE(worst_error(kernel, samples, atoms, gram), support::kKernelValueOf<Scalar>);
  Matrix<Scalar> self(K, K);
  kernel_matrix<Scalar>(context, kernel, atoms, self);
  EXPECT_LE(worst_error(kernel, atoms, atoms, self), support::kKernelValueOf<Scalar>);
  EXPECT_TRUE(self.view() == self.view().transpose()) << "not exactly symmetric";
}

class KernelMatrixSizes : public testing::TestWithParam<std::tuple<KernelKind, Index>> {};

TEST_P(KernelMatrixSizes, EqualsSingleValues) {
  const auto [kind, size] = GetParam();
  for (const auto& [m, K, n] : {std::tuple<Index, Index, Index>{size, 9, 7},
                                {33, size, 8},
                                {9, 7, size},
                                {size, size, 3}}) {
    SCOPED_TRACE(testing::Message() << "m " << m << ", K " << K << ", n " << n);
    expect_right_matrices<float>(kernel_of(kind), m, K, n);
    expect_right_matrices<double>(kernel_of(kind), m, K, n);
  }
}

INSTANTIATE_TEST_SUITE_P(KernelMatrix, KernelMatrixSizes,
                         testing::Combine(testing::ValuesIn(kAllKernels),
                                          testing::Values<Index>(1, 2, 3, 7, 8, 9, 31, 33, 65, 129,
                                                                 257)),
                         [](const auto& test) {
                           return support::test_name(std::get<0>(test.param)) +
                                  std::to_string(std::get<1>(test.param));
                         });

template <class Scalar>
class KernelMatrix : public testing::Test {
 protected:
  const Context context_{{.threads = 2}};
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelMatrix, Scalars);

TYPED_TEST(KernelMatrix, HasTheExactDiagonal) {
  const auto atoms = random_matrix<TypeParam>(150, 108);  // norms of about 10
  Matrix<TypeParam> gram(150, 150);
  const auto expect_diagonal = [&](const Kernel& kernel, double expected) {
    kernel_matrix<TypeParam>(this->context_, kernel, atoms, gram);
    for (Index u = 0; u < 150; ++u) EXPECT_EQ(gram(u, u), static_cast<TypeParam>(expected));
  };
  expect_diagonal({.kind = KernelKind::kGaussian, .gamma = 1e4}, 1.0);
  expect_diagonal({.kind = KernelKind::kInverseSquareDistance, .scale = 1e4}, 1.0);
  expect_diagonal({.kind = KernelKind::kInverseDistance, .scale = 7}, 1 / (1 + 1e-4 * 7));
}

TYPED_TEST(KernelMatrix, NearDuplicatesKeepTheirDistances) {
  // w = x + 1e-4 noise at norm 1: ‖w‖² + ‖x‖² - 2 w·x would be off by more than ‖w - x‖² in
  // float32.
  constexpr Index kCount = 40;
  constexpr Index kLength = 108;
  const Matrix<TypeParam> samples = unit_rows<TypeParam>(kCount, kLength, 1);
  const Matrix<TypeParam> noise = random_matrix<TypeParam>(kCount, kLength, 2);
  Matrix<TypeParam> atoms = samples;
  atoms.view() += TypeParam(1e-4) * noise.view();
  Matrix<TypeParam> gram(kCount, kCount);
  for (const KernelKind kind :
       {KernelKind::kGaussian, KernelKind::kInverseDistance, KernelKind::kInverseSquareDistance}) {
    const Kernel kernel = {.kind = kind, .gamma = 5e5, .scale = 1e4};
    kernel_matrix<TypeParam>(this->context_, kernel, samples, atoms, gram);
    for (Index i = 0; i < kCount; ++i) {
      const double expected = kernel_value(kernel, atoms.row(i), samples.row(i), kLength);
      ASSERT_GT(expected, 1e-3);
      EXPECT_LE(support::relative_error(static_cast<double>(gram(i, i)), expected),
                support::kKernelValueFloat);
    }
  }
}

TYPED_TEST(KernelMatrix, EqualPointsAreAtDistanceZero) {
  Matrix<TypeParam> samples = random_matrix<TypeParam>(5, 30);
  for (Index j = 0; j < 30; ++j) samples(0, j) = 0;  // the origin too
  Matrix<TypeParam> gram(5, 5);
  kernel_matrix<TypeParam>(this->context_, {.kind = KernelKind::kGaussian, .gamma = 1e6}, samples,
                           samples, gram);
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(gram(i, i), TypeParam(1));
}

TYPED_TEST(KernelMatrix, TakesViewsWithAnOuterStride) {
  constexpr Index kStride = 19;
  const Matrix<TypeParam> wide = unit_rows<TypeParam>(140, kStride, 3);
  const ConstMatrixView<TypeParam> samples(wide.data() + 2, 60, 11, kStride);
  const ConstMatrixView<TypeParam> atoms(wide.row(60) + 2, 80, 11, kStride);
  const Matrix<TypeParam> tight_samples = Matrix<TypeParam>::copy_of(samples);
  const Matrix<TypeParam> tight_atoms = Matrix<TypeParam>::copy_of(atoms);
  for (const KernelKind kind : kAllKernels) {
    SCOPED_TRACE(name_of(kind));
    Matrix<TypeParam> buffer(60, 100);
    buffer.view().setConstant(TypeParam(-7));
    kernel_matrix<TypeParam>(this->context_, kernel_of(kind), samples, atoms,
                             MatrixView<TypeParam>(buffer.data() + 5, 60, 80, 100));
    const Matrix<TypeParam> gram = Matrix<TypeParam>::copy_of(buffer.view().middleCols(5, 80));
    EXPECT_LE(worst_error(kernel_of(kind), tight_samples, tight_atoms, gram),
              support::kKernelValueOf<TypeParam>);
    EXPECT_TRUE((buffer.view().leftCols(5).array() == TypeParam(-7)).all());
    EXPECT_TRUE((buffer.view().rightCols(15).array() == TypeParam(-7)).all());
  }
}

TYPED_TEST(KernelMatrix, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<TypeParam> samples = unit_rows<TypeParam>(300, 20, 1);
  for (const KernelKind kind : kAllKernels) {
    Matrix<TypeParam> alone(300, 300);
    Matrix<TypeParam> gram(300, 300);
    kernel_matrix<TypeParam>(Context({.threads = 1}), kernel_of(kind), samples, alone);
    for (const int threads : {2, 3, 4}) {
      kernel_matrix<TypeParam>(Context({.threads = threads}), kernel_of(kind), samples, gram);
      EXPECT_TRUE(support::same_bits(gram, alone)) << name_of(kind) << ", threads " << threads;
    }
  }
}

TYPED_TEST(KernelMatrix, RefusesShapesThatDoNotFit) {
  const Matrix<TypeParam> samples(4, 3);
  const Matrix<TypeParam> atoms(5, 3);
  const Matrix<TypeParam> narrow(5, 2);
  Matrix<TypeParam> gram(4, 5);
  Matrix<TypeParam> wrong(5, 4);
  const auto message = [&](const Matrix<TypeParam>& with, Matrix<TypeParam>& into) {
    return support::refusal(
        [&] { kernel_matrix<TypeParam>(this->context_, Kernel{}, samples, with, into); });
  };
  EXPECT_THAT(message(narrow, gram), testing::AllOf(testing::StartsWith("[kernel_matrix]"),
                                                    HasSubstr("3 columns, atoms 2")));
  EXPECT_THAT(message(atoms, wrong), HasSubstr("the result is 5 x 4, it must be 4 x 5"));
  EXPECT_THAT(
      support::refusal([&] { kernel_matrix<TypeParam>(this->context_, Kernel{}, atoms, gram); }),
      HasSubstr("the result is 4 x 5, it must be 5 x 5"));
  EXPECT_THAT(support::refusal([&] {
                kernel_matrix<TypeParam>(this->context_, {.gamma = -1}, samples, atoms, gram);
              }),
              HasSubstr("gamma must be finite and > 0, got -1"));
}

}  // namespace
}  // namespace krica
