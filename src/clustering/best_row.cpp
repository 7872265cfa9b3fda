// SPDX-License-Identifier: BSD-3-Clause
#include "clustering/best_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per
// instruction set by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clustering/best_row.cpp"  // NOLINT
#include <hwy/foreach_target.h>                       // IWYU pragma: keep
// After foreach_target.h:
#include "kernels/affine_panels-inl.hpp"
#include "runtime/aligned_array.hpp"

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {

template <class Scalar, bool kMagnitudes>
class PackedBestRow final : public BestRow<Scalar> {
  using Panels = AffinePanels<Scalar>;
  using Tag = typename Panels::Tag;
  using Vector = typename Panels::Vector;
  using Place = hn::RebindToSigned<Tag>;  // index of a vector, as wide as the scores
  using PlaceLane = hn::TFromD<Place>;
  static constexpr Index kLanes = Panels::kLanes;
  // Never larger than any score: padding rows must not be found.
  static constexpr Scalar kPadding = kMagnitudes ? std::numeric_limits<Scalar>::quiet_NaN()
                                                 : -std::numeric_limits<Scalar>::infinity();
  static constexpr Scalar kBelowAll = kMagnitudes ? Scalar(-1) : kPadding;

 public:
  PackedBestRow(ConstMatrixView<Scalar> W, std::span<const Scalar> offsets)
      : panels_(W, {}, offsets, kPadding) {}

  void find(ConstMatrixView<Scalar> X, Index* rows) const override {
    // The best score of each lane so far, and the vector of rows that contained it.
    const auto size = static_cast<std::size_t>(X.rows() * kLanes);
    auto scores = aligned_array<Scalar>(size);
    auto places = aligned_array<PlaceLane>(size);
    std::fill_n(scores.get(), size, kBelowAll);
    std::fill_n(places.get(), size, PlaceLane(0));
    const PanelSamples<Scalar> samples{X.data(), X.outerStride(), nullptr};
    for (Index panel = 0; panel < panels_.count(); ++panel) {
      for (Index row = 0; row < X.rows(); row += Panels::kTileRows)
        compare_tile(samples, row, X.rows(), panel, scores.get(), places.get());
    }
    for (Index i = 0; i < X.rows(); ++i)
      rows[i] = best_lane(scores.get() + i * kLanes, places.get() + i * kLanes);
  }

 private:
  // Not inlined: the compiler would keep the indices in registers across the row loop and spill
  // those of the panel (a quarter of the speed).
  HWY_NOINLINE void compare_tile(const PanelSamples<Scalar>& samples, Index row, Index end,
                                 Index panel, Scalar* scores, PlaceLane* places) const {
    const Tag tag;
    const Place place_tag;
    Vector a[Panels::kTileRows][Panels::kVectors];
    panels_.template affine<Panels::kVectors>(samples, row, end, panel, a);
    HWY_UNROLL(8)
    for (Index r = 0; r < Panels::kTileRows; ++r) {
      if (row + r >= end) continue;
      Scalar* score = scores + (row + r) * kLanes;
      PlaceLane* place = places + (row + r) * kLanes;
      auto best = hn::Load(tag, score);
      auto at = hn::Load(place_tag, place);
      HWY_UNROLL(3)
      for (Index q = 0; q < Panels::kVectors; ++q) {
        const Vector value = kMagnitudes ? hn::Abs(a[r][q]) : a[r][q];
        const auto here = hn::Set(place_tag, static_cast<PlaceLane>(panel * Panels::kVectors + q));
        const auto better = hn::Gt(value, best);
        best = hn::IfThenElse(better, value, best);
        at = hn::IfThenElse(hn::RebindMask(place_tag, better), here, at);
      }
      hn::Store(best, tag, score);
      hn::Store(at, place_tag, place);
    }
  }

  static Index best_lane(const Scalar* scores, const PlaceLane* places) {
    const auto row_of = [&](Index lane) {
      return static_cast<Index>(places[lane]) * kLanes + lane;
    };
    Index best = 0;
    for (Index lane = 1; lane < kLanes; ++lane) {
      if (scores[lane] > scores[best] ||
          (scores[lane] == scores[best] && row_of(lane) < row_of(best)))
        best = lane;
    }
    return row_of(best);
  }

  Panels panels_;
};

template <class Scalar>
using Made = std::unique_ptr<const BestRow<Scalar>>;

Made<float> scores_float(ConstMatrixView<float> W, std::span<const float> offsets) {
  return std::make_unique<const PackedBestRow<float, false>>(W, offsets);
}
Made<double> scores_double(ConstMatrixView<double> W, std::span<const double> offsets) {
  return std::make_unique<const PackedBestRow<double, false>>(W, offsets);
}
Made<float> magnitudes_float(ConstMatrixView<float> W, std::span<const float> offsets) {
  return std::make_unique<const PackedBestRow<float, true>>(W, offsets);
}
Made<double> magnitudes_double(ConstMatrixView<double> W, std::span<const double> offsets) {
  return std::make_unique<const PackedBestRow<double, true>>(W, offsets);
}

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {

HWY_EXPORT(scores_float);
HWY_EXPORT(scores_double);
HWY_EXPORT(magnitudes_float);
HWY_EXPORT(magnitudes_double);

template <>
std::unique_ptr<const BestRow<float>> BestRow<float>::of_scores(ConstMatrixView<float> W,
                                                                std::span<const float> offsets) {
  return HWY_DYNAMIC_DISPATCH(scores_float)(W, offsets);
}
template <>
std::unique_ptr<const BestRow<double>> BestRow<double>::of_scores(ConstMatrixView<double> W,
                                                                  std::span<const double> offsets) {
  return HWY_DYNAMIC_DISPATCH(scores_double)(W, offsets);
}
template <>
std::unique_ptr<const BestRow<float>> BestRow<float>::of_magnitudes(ConstMatrixView<float> W) {
  return HWY_DYNAMIC_DISPATCH(magnitudes_float)(
      W, std::vector<float>(static_cast<std::size_t>(W.rows())));
}
template <>
std::unique_ptr<const BestRow<double>> BestRow<double>::of_magnitudes(ConstMatrixView<double> W) {
  return HWY_DYNAMIC_DISPATCH(magnitudes_double)(
      W, std::vector<double>(static_cast<std::size_t>(W.rows())));
}

}  // namespace krica
#endif
