// SPDX-License-Identifier: BSD-3-Clause
//
// The tolerances of the tests, each with its reason. All are relative.
#pragma once

namespace krica::support {

/// A value in float64 against another order of the same sums.
inline constexpr double kSameValue = 1e-12;
/// A gradient in float64 against central differences (norm-wise).
inline constexpr double kSameGradient = 1e-6;
/// float32 against float64 on the same (float32) data: values, and gradients norm-wise.
inline constexpr double kFloatAgainstDouble = 1e-4;
/// float32 against another order of the same sums.
inline constexpr double kFloatReordered = 1e-5;
/// Properties that hold through a decomposition of the data (Lemma 4.1).
inline constexpr double kThroughWhitening = 1e-10;
/// One kernel value in float64: a sum of a few hundred products and one transcendental function.
inline constexpr double kKernelValue = 1e-13;
/// One kernel value in float32, through ‖w‖² + ‖x‖² - 2 w·x.
inline constexpr double kKernelValueFloat = 2e-5;
/// A matrix product in float64 and in float32 against long double, a few hundred terms.
inline constexpr double kProduct = 1e-13;
inline constexpr double kProductFloat = 1e-5;
/// What vector_math.hpp promises, in units of the last place.
inline constexpr double kExpUlp = 1.0;
inline constexpr double kLog1pUlp = 2.0;

/// By scalar type.
template <class Scalar>
inline constexpr double kReordered = sizeof(Scalar) == 4 ? kFloatReordered : kSameValue;
template <class Scalar>
inline constexpr double kProductOf = sizeof(Scalar) == 4 ? kProductFloat : kProduct;
template <class Scalar>
inline constexpr double kKernelValueOf = sizeof(Scalar) == 4 ? kKernelValueFloat : kKernelValue;

}  // namespace krica::support
