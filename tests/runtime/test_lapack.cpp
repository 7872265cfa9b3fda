// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "krica/runtime/error.hpp"
#include "runtime/lapack.hpp"

namespace krica {
namespace {

TEST(SymmetricEigen, SaysWhatToDoWhereItFails) {
  Matrix<double> A(6, 6);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) A(i, j) = std::numeric_limits<double>::max();
  }
  A(0, 0) = std::numeric_limits<double>::quiet_NaN();
  try {
    symmetric_eigen(A);
    FAIL() << "it found eigenvalues";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("scale the data"));
  }
}

}  // namespace
}  // namespace krica
