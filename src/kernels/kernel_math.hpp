// SPDX-License-Identifier: BSD-3-Clause
//
// The formulas of krica/kernels/kernel.hpp, each written once: κ and its slope (atom_set.hpp) as
// functions of ‖w-x‖² or w·x. `Math` supplies the arithmetic: NumberMath for numbers, on the host
// and in CUDA code; code with Highway vectors defines its own.
//
// Highway compiles this file once per instruction set: to use it there, include it between
// foreach_target.h and the code that uses it.
#if defined(KRICA_KERNELS_KERNEL_MATH) == defined(HWY_TARGET_TOGGLE)
#ifdef KRICA_KERNELS_KERNEL_MATH
#undef KRICA_KERNELS_KERNEL_MATH
#else
#define KRICA_KERNELS_KERNEL_MATH
#endif

#include <cmath>

#ifndef KRICA_HOST_DEVICE
#ifdef __CUDACC__
#define KRICA_HOST_DEVICE __host__ __device__
#else
#define KRICA_HOST_DEVICE
#endif
#endif

#ifdef HWY_BEFORE_NAMESPACE
HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {
#else
namespace krica {
#endif

/// Added to ‖w-x‖² in the inverse distance kernel, which is singular at w = x.
inline constexpr double kSquaredDistanceFloor = 1e-8;

template <class Scalar>
struct NumberMath {
  using Value = Scalar;
  KRICA_HOST_DEVICE static Value constant(double value) { return static_cast<Scalar>(value); }
  KRICA_HOST_DEVICE static Value add(Value a, Value b) { return a + b; }
  KRICA_HOST_DEVICE static Value multiply(Value a, Value b) { return a * b; }
  KRICA_HOST_DEVICE static Value multiply_add(Value a, Value b, Value c) { return a * b + c; }
  KRICA_HOST_DEVICE static Value divide(Value a, Value b) { return a / b; }
  KRICA_HOST_DEVICE static Value sqrt(Value a) { return std::sqrt(a); }
};

/// The slopes take the value of κ, which callers have already computed.
template <class Math>
struct KernelMath {
  using Value = typename Math::Value;

  /// log κ: callers compute many exponentials at a time.
  KRICA_HOST_DEVICE static inline Value gaussian_exponent(Value squared, Value gamma) {
    return Math::multiply(Math::multiply(squared, gamma), Math::constant(-1));
  }
  KRICA_HOST_DEVICE static inline Value gaussian_slope(Value value, Value gamma) {
    return Math::multiply(Math::multiply(Math::constant(-2), gamma), value);
  }

  KRICA_HOST_DEVICE static inline Value smoothed_distance(Value squared) {
    return Math::sqrt(Math::add(squared, Math::constant(kSquaredDistanceFloor)));
  }
  KRICA_HOST_DEVICE static inline Value inverse_distance(Value squared, Value scale) {
    return inverse(smoothed_distance(squared), scale);
  }
  KRICA_HOST_DEVICE static inline Value inverse_distance_slope(Value squared, Value value,
                                                               Value scale) {
    const Value product = Math::multiply(Math::multiply(scale, value), value);
    return Math::divide(Math::multiply(Math::constant(-1), product), smoothed_distance(squared));
  }

  KRICA_HOST_DEVICE static inline Value inverse_square_distance(Value squared, Value scale) {
    return inverse(squared, scale);
  }
  KRICA_HOST_DEVICE static inline Value inverse_square_distance_slope(Value value, Value scale) {
    return Math::multiply(Math::multiply(Math::multiply(Math::constant(-2), scale), value), value);
  }

  KRICA_HOST_DEVICE static inline Value polynomial(Value dot, int degree) {
    return power(Math::add(Math::constant(1), dot), degree);
  }
  KRICA_HOST_DEVICE static inline Value polynomial_slope(Value dot, int degree) {
    return Math::multiply(Math::constant(degree),
                          power(Math::add(Math::constant(1), dot), degree - 1));
  }

 private:
  KRICA_HOST_DEVICE static inline Value inverse(Value distance, Value scale) {
    return Math::divide(Math::constant(1), Math::multiply_add(scale, distance, Math::constant(1)));
  }
  KRICA_HOST_DEVICE static inline Value power(Value base, int exponent) {
    Value result = Math::constant(1);
    for (int i = 0; i < exponent; ++i) result = Math::multiply(result, base);
    return result;
  }
};

/// The histogram intersection sums exp(scale min(w, x)) over the values of w and x. Its derivative
/// with respect to w is this factor ...
template <class Scalar>
KRICA_HOST_DEVICE inline double intersection_slope(Scalar w, double scale) {
  return scale * std::exp(scale * static_cast<double>(w));
}
/// ... times [w < x] + ½ [w = x]. This is the latter times `weight`, as the mean of two
/// comparisons.
template <class Scalar>
KRICA_HOST_DEVICE inline Scalar share_below(Scalar w, Scalar x, Scalar weight) {
  const Scalar half = weight * Scalar(0.5);
  return (w < x ? half : Scalar(0)) + (w <= x ? half : Scalar(0));
}

#ifdef HWY_BEFORE_NAMESPACE
}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else
}  // namespace krica
#endif

#endif
