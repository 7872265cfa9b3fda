// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/vector_math.hpp"

#include <limits>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for every
// instruction set by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/vector_math.cpp"  // NOLINT
#include <hwy/foreach_target.h>                       // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Whole vectors first, then single lanes with the same operations, so the tail's bits are the
/// same.
template <class Scalar, class Function>
void transform(Scalar* values, Index count, Function function) {
  const hn::ScalableTag<Scalar> wide;
  const hn::CappedTag<Scalar, 1> single;
  const auto lanes = static_cast<Index>(hn::Lanes(wide));
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(function(wide, hn::LoadU(wide, values + i)), wide, values + i);
  for (; i < count; ++i)
    hn::StoreU(function(single, hn::LoadU(single, values + i)), single, values + i);
}

/// Highway's Exp is for arguments whose result is finite; beyond them it wraps around.
template <class D, class V>
V exp_of(D d, V x) {
  using Scalar = hn::TFromD<D>;
  const auto largest =
      hn::Set(d, sizeof(Scalar) == 4 ? Scalar(88.72283) : Scalar(709.782712893384));
  const auto infinity = hn::Set(d, std::numeric_limits<Scalar>::infinity());
  const V value = hn::IfThenElse(hn::Gt(x, largest), infinity, hn::Exp(d, hn::Min(x, largest)));
  return hn::IfThenElse(hn::IsNaN(x), x, value);
}

void exp_float(float* values, Index count) {
  transform(values, count, [](auto d, auto x) { return exp_of(d, x); });
}
void exp_double(double* values, Index count) {
  transform(values, count, [](auto d, auto x) { return exp_of(d, x); });
}
void log1p_float(float* values, Index count) {
  transform(values, count, [](auto d, auto x) { return hn::Log1p(d, x); });
}
void log1p_double(double* values, Index count) {
  transform(values, count, [](auto d, auto x) { return hn::Log1p(d, x); });
}

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {

HWY_EXPORT(exp_float);
HWY_EXPORT(exp_double);
HWY_EXPORT(log1p_float);
HWY_EXPORT(log1p_double);

template <>
void exp_in_place(float* values, Index count) {
  HWY_DYNAMIC_DISPATCH(exp_float)(values, count);
}
template <>
void exp_in_place(double* values, Index count) {
  HWY_DYNAMIC_DISPATCH(exp_double)(values, count);
}
template <>
void log1p_in_place(float* values, Index count) {
  HWY_DYNAMIC_DISPATCH(log1p_float)(values, count);
}
template <>
void log1p_in_place(double* values, Index count) {
  HWY_DYNAMIC_DISPATCH(log1p_double)(values, count);
}

}  // namespace krica
#endif
