// SPDX-License-Identifier: BSD-3-Clause
#include "joint/slope_loops.hpp"

#include <type_traits>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per
// instruction set by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "joint/slope_loops.cpp"  // NOLINT
#include <hwy/foreach_target.h>                     // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Calls body(tag, u) for whole vectors, then for single lanes.
template <class Scalar, class Body>
HWY_INLINE void for_vectors(Index count, Body body) {
  const hn::ScalableTag<Scalar> wide;
  const hn::CappedTag<Scalar, 1> single;
  const auto lanes = static_cast<Index>(hn::Lanes(wide));
  Index u = 0;
  for (; u + lanes <= count; u += lanes) body(wide, u);
  for (; u < count; ++u) body(single, u);
}

template <class Scalar>
void soft_threshold_slopes_of(const Scalar* A, const Scalar* t, Scalar* a, Scalar* sums, Index K) {
  for_vectors<Scalar>(K, [=](auto d, Index u) {
    const auto value = hn::LoadU(d, a + u);
    const auto threshold = hn::LoadU(d, t + u);
    const auto up = hn::IfThenElseZero(hn::Gt(value, threshold), hn::LoadU(d, A + u));
    const auto down =
        hn::IfThenElseZero(hn::Gt(hn::Neg(value), threshold), hn::LoadU(d, A + K + u));
    hn::StoreU(hn::Sub(up, down), d, a + u);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + u), hn::Add(up, down)), d, sums + u);
  });
}

template <class Scalar>
void weigh_slopes_of(const Scalar* A, Scalar norm, Scalar* slopes, Scalar* totals, Scalar* squares,
                     Index K) {
  for_vectors<Scalar>(K, [=](auto d, Index u) {
    const auto M = hn::Mul(hn::LoadU(d, A + u), hn::LoadU(d, slopes + u));
    hn::StoreU(M, d, slopes + u);
    hn::StoreU(hn::Add(hn::LoadU(d, totals + u), M), d, totals + u);
    if (squares == nullptr) return;
    hn::StoreU(hn::MulAdd(hn::Set(d, norm), M, hn::LoadU(d, squares + u)), d, squares + u);
  });
}

void soft_threshold_float(const float* A, const float* t, float* a, float* sums, Index K) {
  soft_threshold_slopes_of(A, t, a, sums, K);
}
void soft_threshold_double(const double* A, const double* t, double* a, double* sums, Index K) {
  soft_threshold_slopes_of(A, t, a, sums, K);
}
void weigh_float(const float* A, float norm, float* slopes, float* totals, float* squares,
                 Index K) {
  weigh_slopes_of(A, norm, slopes, totals, squares, K);
}
void weigh_double(const double* A, double norm, double* slopes, double* totals, double* squares,
                  Index K) {
  weigh_slopes_of(A, norm, slopes, totals, squares, K);
}

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {

HWY_EXPORT(soft_threshold_float);
HWY_EXPORT(soft_threshold_double);
HWY_EXPORT(weigh_float);
HWY_EXPORT(weigh_double);

template <class Scalar>
void soft_threshold_slopes(const Scalar* A, const Scalar* t, Scalar* a, Scalar* sums, Index K) {
  if constexpr (std::is_same_v<Scalar, float>) {
    HWY_DYNAMIC_DISPATCH(soft_threshold_float)(A, t, a, sums, K);
  } else {
    HWY_DYNAMIC_DISPATCH(soft_threshold_double)(A, t, a, sums, K);
  }
}

template <class Scalar>
void weigh_slopes(const Scalar* A, Scalar norm, Scalar* slopes, Scalar* totals, Scalar* squares,
                  Index K) {
  if constexpr (std::is_same_v<Scalar, float>) {
    HWY_DYNAMIC_DISPATCH(weigh_float)(A, norm, slopes, totals, squares, K);
  } else {
    HWY_DYNAMIC_DISPATCH(weigh_double)(A, norm, slopes, totals, squares, K);
  }
}

template void soft_threshold_slopes(const float*, const float*, float*, float*, Index);
template void soft_threshold_slopes(const double*, const double*, double*, double*, Index);
template void weigh_slopes(const float*, float, float*, float*, float*, Index);
template void weigh_slopes(const double*, double, double*, double*, double*, Index);

}  // namespace krica
#endif
