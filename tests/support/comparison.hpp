// SPDX-License-Identifier: BSD-3-Clause
//
// How tests compare numbers, matrices and refusals.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "krica/runtime/error.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica::support {

/// |a - b| against the larger of the two; 0 where both are 0.
inline double relative_error(double a, double b) {
  const double size = std::max(std::abs(a), std::abs(b));
  return a == b ? 0.0 : std::abs(a - b) / size;
}

/// ‖a - b‖ / ‖b‖ (Frobenius); NaN where a holds one. ‖a‖ where b is 0.
template <class A, class B>
double relative_error(const Matrix<A>& a, const Matrix<B>& b) {
  double difference = 0;
  double size = 0;
  for (Index e = 0; e < b.size(); ++e) {
    const auto a_e = static_cast<double>(a.data()[e]);
    const auto b_e = static_cast<double>(b.data()[e]);
    difference += (a_e - b_e) * (a_e - b_e);
    size += b_e * b_e;
  }
  return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class Scalar>
bool same_bits(const Matrix<Scalar>& a, const Matrix<Scalar>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       sizeof(Scalar) * static_cast<std::size_t>(a.size())) == 0);
}

/// The message with which `call` is refused; empty where it is not.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

}  // namespace krica::support
