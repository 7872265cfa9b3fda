// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "krica/runtime/error.hpp"
#include "runtime/lapack.hpp"

namespace krica {
namespace {

TEST(SymmetricEigen, SaysWhatToDoWhereItFails) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix<double> A(6, 6);
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) A(i, j) = std::numeric_limits<double>::max();
    }
    A(0, 0) = bad;
    try {
      symmetric_eigen(A);
      FAIL() << "it found eigenvalues of a matrix with " << bad;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(),
                  testing::AllOf(testing::HasSubstr("a 6 x 6 matrix did not converge"),
                                 testing::HasSubstr("scale the data")));
    }
  }
}

}  // namespace
}  // namespace krica
