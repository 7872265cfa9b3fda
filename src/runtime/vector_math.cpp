// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/vector_math.hpp"

#include <limits>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per
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

/// Whole vectors first, then single lanes with the same operations, so that the tail has the same
/// bits.
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

/// Highway's Exp requires arguments whose result is finite; beyond them it wraps around.
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

template <class D, class Scalar>
HWY_INLINE void smooth_l1_at(D d, const Scalar* s, Scalar epsilon, Scalar weight, Scalar* roots,
                             Scalar* derivative) {
  const auto value = hn::LoadU(d, s);
  const auto root = hn::Sqrt(hn::MulAdd(value, value, hn::Set(d, epsilon)));
  hn::StoreU(root, d, roots);
  if (derivative == nullptr) return;
  const auto slope = hn::Div(hn::Mul(hn::Set(d, weight), value), root);
  hn::StoreU(hn::Add(hn::LoadU(d, derivative), slope), d, derivative);
}

template <class Scalar>
void smooth_l1_all(const Scalar* s, Scalar epsilon, Scalar weight, Scalar* roots,
                   Scalar* derivative, Index count) {
  const hn::ScalableTag<Scalar> wide;
  const hn::CappedTag<Scalar, 1> single;
  const auto lanes = static_cast<Index>(hn::Lanes(wide));
  const auto from = [derivative](Index i) {
    return derivative == nullptr ? nullptr : derivative + i;
  };
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    smooth_l1_at(wide, s + i, epsilon, weight, roots + i, from(i));
  for (; i < count; ++i) smooth_l1_at(single, s + i, epsilon, weight, roots + i, from(i));
}
void smooth_l1_float(const float* s, float epsilon, float weight, float* roots, float* derivative,
                     Index count) {
  smooth_l1_all(s, epsilon, weight, roots, derivative, count);
}
void smooth_l1_double(const double* s, double epsilon, double weight, double* roots,
                      double* derivative, Index count) {
  smooth_l1_all(s, epsilon, weight, roots, derivative, count);
}

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {

HWY_EXPORT(exp_float);
HWY_EXPORT(exp_double);
HWY_EXPORT(log1p_float);
HWY_EXPORT(log1p_double);
HWY_EXPORT(smooth_l1_float);
HWY_EXPORT(smooth_l1_double);

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
template <>
void smooth_l1(const float* s, float epsilon, float weight, float* roots, float* derivative,
               Index count) {
  HWY_DYNAMIC_DISPATCH(smooth_l1_float)(s, epsilon, weight, roots, derivative, count);
}
template <>
void smooth_l1(const double* s, double epsilon, double weight, double* roots, double* derivative,
               Index count) {
  HWY_DYNAMIC_DISPATCH(smooth_l1_double)(s, epsilon, weight, roots, derivative, count);
}

}  // namespace krica
#endif
