// SPDX-License-Identifier: BSD-3-Clause
//
// ordered_sum and ordered_dot: right, and with the same bits wherever the memory lies.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "krica/runtime/context.hpp"
#include "runtime/parallel.hpp"
#include "support/comparison.hpp"

namespace krica {
namespace {

constexpr int kLongest = 70;

template <class Scalar>
class Reductions : public testing::Test {
 protected:
  Reductions() {
    Random random(1, "reductions");
    for (int i = 0; i < 2000; ++i) {
      a_.push_back(static_cast<Scalar>(random.normal()));
      b_.push_back(static_cast<Scalar>(random.normal()));
    }
  }

  std::vector<Scalar> a_;
  std::vector<Scalar> b_;
};

using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Reductions, Scalars);

TYPED_TEST(Reductions, AgreeWithLongDouble) {
  for (const Index count : {0, 1, 2, 7, 8, 9, 15, 16, 17, 1000, 2000}) {
    long double sum = 0;
    long double dot = 0;
    long double size = 0;
    for (Index i = 0; i < count; ++i) {
      sum += static_cast<long double>(this->a_[i]);
      dot += static_cast<long double>(this->a_[i]) * static_cast<long double>(this->b_[i]);
      size += std::abs(static_cast<long double>(this->a_[i]));
    }
    const double tolerance = 1e-15 * static_cast<double>(size);
    EXPECT_NEAR(ordered_sum(this->a_.data(), count), static_cast<double>(sum), tolerance);
    EXPECT_NEAR(ordered_dot(this->a_.data(), this->b_.data(), count), static_cast<double>(dot),
                3 * tolerance);
  }
}

TYPED_TEST(Reductions, HaveTheSameBitsAtAnyAlignment) {
  for (Index count = 0; count <= kLongest; ++count) {
    const double sum = ordered_sum(this->a_.data(), count);
    const double dot = ordered_dot(this->a_.data(), this->b_.data(), count);
    for (Index offset = 1; offset < 17; ++offset) {
      std::vector<TypeParam> a(static_cast<std::size_t>(offset + kLongest));
      std::vector<TypeParam> b(static_cast<std::size_t>(2 * offset + kLongest));
      std::copy_n(this->a_.begin(), count, a.begin() + offset);
      std::copy_n(this->b_.begin(), count, b.begin() + 2 * offset);
      ASSERT_TRUE(support::same_bits(ordered_sum(a.data() + offset, count), sum));
      ASSERT_TRUE(
          support::same_bits(ordered_dot(a.data() + offset, b.data() + 2 * offset, count), dot));
    }
  }
}

TEST(Reductions, SumFloatsInDouble) {
  const std::vector<float> values(100, 16777216.0F);  // 2^24: float32 cannot add 1 to it
  std::vector<float> with_ones = values;
  with_ones.insert(with_ones.end(), 100, 1.0F);
  EXPECT_EQ(ordered_sum(with_ones.data(), 200), 100 * 16777216.0 + 100);
  EXPECT_EQ(ordered_dot(values.data(), values.data(), 1), 281474976710656.0);
}

}  // namespace
}  // namespace krica
