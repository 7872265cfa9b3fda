// SPDX-License-Identifier: BSD-3-Clause
//
// exp, log1p and the smooth L1 over arrays: as exact as vector_math.hpp says, at any length and
// place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/vector_math.hpp"
#include "support/instruction_sets.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

/// How many representable numbers lie between `got` and the exact result, rounded.
template <class Scalar>
double ulp_error(Scalar got, long double exact) {
  const auto rounded = static_cast<Scalar>(exact);
  if (got == rounded) return 0;
  const Scalar next = std::nextafter(std::abs(rounded), std::numeric_limits<Scalar>::infinity());
  return std::abs(static_cast<double>(got - rounded)) /
         static_cast<double>(next - std::abs(rounded));
}

template <class Scalar>
std::vector<Scalar> spread(double first, double last, int count) {
  std::vector<Scalar> values;
  for (int i = 0; i < count; ++i)
    values.push_back(static_cast<Scalar>(first + (last - first) * i / (count - 1)));
  return values;
}

template <class Scalar>
class VectorMath : public testing::Test {
 protected:
  static double worst_exp_error(std::vector<Scalar> values) {
    const std::vector<Scalar> arguments = values;
    exp_in_place(values.data(), static_cast<Index>(values.size()));
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      worst =
          std::max(worst, ulp_error(values[i], std::exp(static_cast<long double>(arguments[i]))));
    return worst;
  }
  static double worst_log1p_error(std::vector<Scalar> values) {
    const std::vector<Scalar> arguments = values;
    log1p_in_place(values.data(), static_cast<Index>(values.size()));
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      worst =
          std::max(worst, ulp_error(values[i], std::log1p(static_cast<long double>(arguments[i]))));
    return worst;
  }
  static Scalar exp_of(Scalar value) {
    exp_in_place(&value, 1);
    return value;
  }
  static Scalar log1p_of(Scalar value) {
    log1p_in_place(&value, 1);
    return value;
  }
};

using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorMath, Scalars);

TYPED_TEST(VectorMath, ExpIsExactToTheLastPlace) {
  support::with_every_instruction_set([this] {
    // float32 and float64 end in subnormal numbers below -87.3 and -708.4, and in Inf above 88.7
    // and 709.7.
    const double lowest = sizeof(TypeParam) == 4 ? -87 : -708;
    const double highest = sizeof(TypeParam) == 4 ? 88 : 709;
    EXPECT_LE(this->worst_exp_error(spread<TypeParam>(lowest, highest, 20011)), support::kExpUlp);
    EXPECT_LE(this->worst_exp_error(spread<TypeParam>(-1, 1, 20011)), support::kExpUlp);
    EXPECT_LE(this->worst_exp_error(spread<TypeParam>(-1e-6, 1e-6, 1001)), support::kExpUlp);
  });
}

TYPED_TEST(VectorMath, ExpAtTheEnds) {
  support::with_every_instruction_set([this] {
    EXPECT_EQ(this->exp_of(0), TypeParam(1));
    EXPECT_EQ(this->exp_of(TypeParam(-0.0)), TypeParam(1));
    EXPECT_EQ(this->exp_of(-1000), TypeParam(0));
    EXPECT_EQ(this->exp_of(-std::numeric_limits<TypeParam>::max()), TypeParam(0));
    EXPECT_EQ(this->exp_of(-std::numeric_limits<TypeParam>::infinity()), TypeParam(0));
  });
}

TYPED_TEST(VectorMath, ExpOfLargeNumbersIsInfinite) {
  support::with_every_instruction_set([this] {
    // Raw pixels reach 255; a result that wraps around to a small number would go unnoticed.
    using Limits = std::numeric_limits<TypeParam>;
    for (const double large : {710.0, 1000.0, 2000.0, 1e4, 1e10, 1e38})
      EXPECT_EQ(this->exp_of(static_cast<TypeParam>(large)), Limits::infinity()) << large;
    EXPECT_EQ(this->exp_of(Limits::max()), Limits::infinity());
    EXPECT_EQ(this->exp_of(Limits::infinity()), Limits::infinity());
    if constexpr (sizeof(TypeParam) == 4) {
      for (const float large : {89.0F, 128.0F, 180.0F, 200.0F, 255.0F})
        EXPECT_EQ(this->exp_of(large), Limits::infinity()) << large;
    }
  });
}

TYPED_TEST(VectorMath, ExpOfNanIsNan) {
  support::with_every_instruction_set([this] {
    EXPECT_TRUE(std::isnan(this->exp_of(std::numeric_limits<TypeParam>::quiet_NaN())));
  });
}

TYPED_TEST(VectorMath, ExpOfSmallResultsIsSmall) {
  support::with_every_instruction_set([this] {
    // Where the result is subnormal it may be flushed, but never be larger than the smallest
    // normal.
    for (TypeParam argument = -88; argument > -110; argument -= TypeParam(0.25)) {
      const TypeParam value = this->exp_of(argument);
      EXPECT_GE(value, TypeParam(0));
      EXPECT_NEAR(value, std::exp(argument), 2.0 * std::numeric_limits<float>::denorm_min());
    }
  });
}

TYPED_TEST(VectorMath, Log1pIsExactToTwoPlaces) {
  support::with_every_instruction_set([this] {
    EXPECT_LE(this->worst_log1p_error(spread<TypeParam>(0, 1, 20011)), support::kLog1pUlp);
    EXPECT_LE(this->worst_log1p_error(spread<TypeParam>(-0.999, 0, 20011)), support::kLog1pUlp);
    EXPECT_LE(this->worst_log1p_error(spread<TypeParam>(1, 1e6, 20011)), support::kLog1pUlp);
    EXPECT_LE(this->worst_log1p_error(spread<TypeParam>(-1e-6, 1e-6, 1001)), support::kLog1pUlp);
  });
}

TYPED_TEST(VectorMath, Log1pOfTinyNumbersIsTheNumber) {
  support::with_every_instruction_set([this] {
    EXPECT_EQ(this->log1p_of(0), TypeParam(0));
    for (const double tiny : {1e-10, 1e-20, 1e-30, -1e-30}) {
      const auto value = static_cast<TypeParam>(tiny);
      if (sizeof(TypeParam) == 4 || std::abs(tiny) < 1e-18) {
        EXPECT_EQ(this->log1p_of(value), value);
      }
    }
  });
}

/// Applies `function` to `values` at each length up to 40 and each offset in memory, and compares
/// with its result on single elements.
template <class Scalar, class Function>
void expect_elementwise(const std::vector<Scalar>& values, Function function) {
  std::vector<Scalar> single = values;
  for (Scalar& value : single) function(&value, 1);
  for (Index count = 0; count <= 40; ++count) {
    for (Index offset = 0; offset < 5; ++offset) {
      std::vector<Scalar> memory(60, Scalar(-7));
      std::copy_n(values.begin(), count, memory.begin() + offset);
      function(memory.data() + offset, count);
      for (Index i = 0; i < 60; ++i) {
        const bool inside = i >= offset && i < offset + count;
        ASSERT_EQ(memory[i], inside ? single[i - offset] : Scalar(-7))
            << "count " << count << ", offset " << offset << ", element " << i;
      }
    }
  }
}

TYPED_TEST(VectorMath, ResultsDependOnTheirOwnArgumentOnly) {
  support::with_every_instruction_set([] {
    std::vector<TypeParam> arguments = spread<TypeParam>(-30, 5, 36);
    arguments.insert(arguments.end(), {-1000, -88, 0, TypeParam(1e-30)});
    expect_elementwise(arguments, [](TypeParam* v, Index n) { exp_in_place(v, n); });
    std::vector<TypeParam> positive = spread<TypeParam>(0, 3, 38);
    positive.insert(positive.end(), {TypeParam(1e-30), TypeParam(-0.5)});
    expect_elementwise(positive, [](TypeParam* v, Index n) { log1p_in_place(v, n); });
  });
}

TYPED_TEST(VectorMath, SmoothL1IsTheRootAndAddsItsDerivative) {
  support::with_every_instruction_set([] {
    const std::vector<TypeParam> s = spread<TypeParam>(-3, 3, 1013);
    std::vector<TypeParam> roots(s.size());
    std::vector<TypeParam> derivative(s.size(), TypeParam(5));
    const auto count = static_cast<Index>(s.size());
    smooth_l1(s.data(), TypeParam(1e-4), TypeParam(0.5), roots.data(), derivative.data(), count);
    for (std::size_t i = 0; i < s.size(); ++i) {
      const auto value = static_cast<long double>(s[i]);
      const long double root = std::sqrt(static_cast<long double>(TypeParam(1e-4)) + value * value);
      const long double tolerance = 4 * std::numeric_limits<TypeParam>::epsilon();
      ASSERT_LE(std::abs(static_cast<long double>(roots[i]) - root), tolerance * root);
      ASSERT_LE(std::abs(static_cast<long double>(derivative[i]) - 5 - value / (2 * root)),
                6 * tolerance);
    }
    std::vector<TypeParam> alone(s.size());
    smooth_l1<TypeParam>(s.data(), TypeParam(1e-4), TypeParam(0.5), alone.data(), nullptr, count);
    EXPECT_EQ(alone, roots);
  });
}

}  // namespace
}  // namespace krica
