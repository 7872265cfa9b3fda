// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/weighted_rows.hpp"

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per
// instruction set by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/weighted_rows.cpp"  // NOLINT
#include <hwy/foreach_target.h>                         // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#ifndef KRICA_WEIGHTED_ROWS_ARGUMENTS
#define KRICA_WEIGHTED_ROWS_ARGUMENTS
namespace krica {

/// The rows' first element, the distance between rows, and which of them to take.
template <class Scalar>
struct ChosenRows {
  const Scalar* first;
  Index stride;
  const std::int32_t* chosen;
  const Scalar* weights;
  Index count;
};

}  // namespace krica
#endif

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Four vectors at a time stay in registers while the rows pass by.
template <class D, class Scalar>
HWY_INLINE void subtract_four(D d, const ChosenRows<Scalar>& rows, const Scalar* from, Scalar* to,
                              Index j) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  auto a = hn::LoadU(d, from + j);
  auto b = hn::LoadU(d, from + j + lanes);
  auto c = hn::LoadU(d, from + j + 2 * lanes);
  auto e = hn::LoadU(d, from + j + 3 * lanes);
  for (Index t = 0; t < rows.count; ++t) {
    const Scalar* row = rows.first + rows.chosen[t] * rows.stride + j;
    const auto weight = hn::Set(d, rows.weights[t]);
    a = hn::NegMulAdd(weight, hn::LoadU(d, row), a);
    b = hn::NegMulAdd(weight, hn::LoadU(d, row + lanes), b);
    c = hn::NegMulAdd(weight, hn::LoadU(d, row + 2 * lanes), c);
    e = hn::NegMulAdd(weight, hn::LoadU(d, row + 3 * lanes), e);
  }
  hn::StoreU(a, d, to + j);
  hn::StoreU(b, d, to + j + lanes);
  hn::StoreU(c, d, to + j + 2 * lanes);
  hn::StoreU(e, d, to + j + 3 * lanes);
}

template <class D, class Scalar>
HWY_INLINE void subtract_one(D d, const ChosenRows<Scalar>& rows, const Scalar* from, Scalar* to,
                             Index j) {
  auto a = hn::LoadU(d, from + j);
  for (Index t = 0; t < rows.count; ++t) {
    const Scalar* row = rows.first + rows.chosen[t] * rows.stride + j;
    a = hn::NegMulAdd(hn::Set(d, rows.weights[t]), hn::LoadU(d, row), a);
  }
  hn::StoreU(a, d, to + j);
}

template <class Scalar>
HWY_INLINE void subtract_all(const ChosenRows<Scalar>& rows, const Scalar* from, Scalar* to,
                             Index columns) {
  const hn::ScalableTag<Scalar> wide;
  const hn::CappedTag<Scalar, 1> single;
  const auto lanes = static_cast<Index>(hn::Lanes(wide));
  Index j = 0;
  for (; j + 4 * lanes <= columns; j += 4 * lanes) subtract_four(wide, rows, from, to, j);
  for (; j + lanes <= columns; j += lanes) subtract_one(wide, rows, from, to, j);
  for (; j < columns; ++j) subtract_one(single, rows, from, to, j);
}

template <class Scalar>
HWY_INLINE Index largest_of(const Scalar* values, Index count) {
  const hn::ScalableTag<Scalar> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  auto most = hn::Zero(d);
  Index j = 0;
  // The maximum of a number and NaN is the second argument on some processors, so NaN comes first.
  for (; j + lanes <= count; j += lanes) most = hn::Max(hn::Abs(hn::LoadU(d, values + j)), most);
  Scalar largest = hn::GetLane(hn::MaxOfLanes(d, most));
  for (; j < count; ++j) {
    const Scalar magnitude = values[j] < 0 ? -values[j] : values[j];
    if (magnitude > largest) largest = magnitude;
  }
  const auto wanted = hn::Set(d, largest);
  Index u = 0;
  for (; u + lanes <= count; u += lanes) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(hn::Abs(hn::LoadU(d, values + u)), wanted));
    if (found >= 0) return u + static_cast<Index>(found);
  }
  for (; u < count; ++u) {
    if (values[u] == largest || values[u] == -largest) return u;
  }
  return 0;
}

void subtract_float(const ChosenRows<float>& rows, const float* from, float* to, Index columns) {
  subtract_all(rows, from, to, columns);
}
void subtract_double(const ChosenRows<double>& rows, const double* from, double* to,
                     Index columns) {
  subtract_all(rows, from, to, columns);
}
Index largest_float(const float* values, Index count) { return largest_of(values, count); }
Index largest_double(const double* values, Index count) { return largest_of(values, count); }

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {

HWY_EXPORT(subtract_float);
HWY_EXPORT(subtract_double);
HWY_EXPORT(largest_float);
HWY_EXPORT(largest_double);

template <>
void subtract_rows(const float* from, ConstMatrixView<float> rows,
                   std::span<const std::int32_t> chosen, const float* weights, float* to) {
  const ChosenRows<float> taken{rows.data(), rows.outerStride(), chosen.data(), weights,
                                std::ssize(chosen)};
  HWY_DYNAMIC_DISPATCH(subtract_float)(taken, from, to, rows.cols());
}
template <>
void subtract_rows(const double* from, ConstMatrixView<double> rows,
                   std::span<const std::int32_t> chosen, const double* weights, double* to) {
  const ChosenRows<double> taken{rows.data(), rows.outerStride(), chosen.data(), weights,
                                 std::ssize(chosen)};
  HWY_DYNAMIC_DISPATCH(subtract_double)(taken, from, to, rows.cols());
}
template <>
Index largest_magnitude(const float* values, Index count) {
  return HWY_DYNAMIC_DISPATCH(largest_float)(values, count);
}
template <>
Index largest_magnitude(const double* values, Index count) {
  return HWY_DYNAMIC_DISPATCH(largest_double)(values, count);
}

}  // namespace krica
#endif
