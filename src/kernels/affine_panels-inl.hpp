// SPDX-License-Identifier: BSD-3-Clause
//
// Affine maps of samples, tile by tile in registers:
//
//   a_iu = v_u·x_i + c_u ‖x_i‖² + d_u      (v K×n; c, d K)
//
// The K rows are packed once into panels a few vector registers wide. The product of a tile of
// samples and a panel stays in registers, where the caller maps, sums or compares it, so nothing of
// size samples × K is ever stored. The values of a sample do not depend on the other samples of its
// tile.
//
// Highway compiles this file once per instruction set: include it between foreach_target.h and the
// code that uses it.
#if defined(KRICA_KERNELS_AFFINE_PANELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KRICA_KERNELS_AFFINE_PANELS_INL
#undef KRICA_KERNELS_AFFINE_PANELS_INL
#else
#define KRICA_KERNELS_AFFINE_PANELS_INL
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <algorithm>
#include <span>

#include "krica/runtime/matrix.hpp"
#include "runtime/aligned_array.hpp"

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows of samples, and their squared norms (null if all c are 0).
template <class Scalar>
struct PanelSamples {
  const Scalar* x;
  Index stride;
  const Scalar* squared_norms;
};

template <class Scalar>
class AffinePanels {
 public:
  using Tag = hn::ScalableTag<Scalar>;
  using Vector = hn::Vec<Tag>;
  // A tile is kTileRows samples times kVectors vectors: 24 accumulators on machines with 32
  // registers, 12 on those with 16.
  static constexpr Index kLanes = HWY_LANES(Scalar);
  static constexpr Index kTileRows = kLanes * sizeof(Scalar) >= 64 ? 8 : 4;
  static constexpr Index kVectors = 3;
  static constexpr Index kWidth = kVectors * kLanes;

  /// The last panel is filled up with rows of v = 0, c = 0, d = padding.
  AffinePanels(ConstMatrixView<Scalar> v, std::span<const Scalar> c, std::span<const Scalar> d,
               Scalar padding)
      : n_(v.cols()),
        K_(v.rows()),
        count_((K_ + kWidth - 1) / kWidth),
        packed_(aligned_array<Scalar>(static_cast<std::size_t>(count_ * kWidth * (n_ + 2)))) {
    for (Index panel = 0; panel < count_; ++panel) pack(panel, v, c, d, padding);
  }

  [[nodiscard]] Index rows() const { return K_; }
  [[nodiscard]] Index count() const { return count_; }

  /// How many vectors of a panel hold rows of v.
  [[nodiscard]] Index vectors_of(Index panel) const {
    return std::min(kVectors, (K_ - panel * kWidth + kLanes - 1) / kLanes);
  }

  /// a of the kTileRows samples that start at `row`, for the first kUsed vectors of a panel. Past
  /// `end`, the last sample is repeated.
  template <Index kUsed>
  HWY_INLINE void affine(const PanelSamples<Scalar>& samples, Index row, Index end, Index panel,
                         Vector (&a)[kTileRows][kUsed]) const {
    const Tag tag;
    const Scalar* packed = packed_.get() + panel * kWidth * (n_ + 2);
    const Scalar* x[kTileRows];
    HWY_UNROLL(8)
    for (Index r = 0; r < kTileRows; ++r) {
      const Index at = std::min(row + r, end - 1);
      x[r] = samples.x + at * samples.stride;
      const auto norm =
          hn::Set(tag, samples.squared_norms != nullptr ? samples.squared_norms[at] : Scalar(0));
      HWY_UNROLL(3)
      for (Index q = 0; q < kUsed; ++q) {
        a[r][q] = hn::MulAdd(norm, hn::Load(tag, packed + q * kLanes),
                             hn::Load(tag, packed + kWidth + q * kLanes));
      }
    }
    const Scalar* v = packed + 2 * kWidth;
    for (Index j = 0; j < n_; ++j, v += kWidth) {
      Vector weights[kUsed];
      HWY_UNROLL(3)
      for (Index q = 0; q < kUsed; ++q) weights[q] = hn::Load(tag, v + q * kLanes);
      HWY_UNROLL(8)
      for (Index r = 0; r < kTileRows; ++r) {
        const auto value = hn::Set(tag, x[r][j]);
        HWY_UNROLL(3)
        for (Index q = 0; q < kUsed; ++q) a[r][q] = hn::MulAdd(value, weights[q], a[r][q]);
      }
    }
  }

 private:
  /// Layout of a panel: c, d, then each dimension of v, kWidth values each.
  void pack(Index panel, ConstMatrixView<Scalar> v, std::span<const Scalar> c,
            std::span<const Scalar> d, Scalar padding) {
    Scalar* out = packed_.get() + panel * kWidth * (n_ + 2);
    for (Index lane = 0; lane < kWidth; ++lane) {
      const Index u = panel * kWidth + lane;
      const auto at = static_cast<std::size_t>(u);
      out[lane] = u < K_ && !c.empty() ? c[at] : Scalar(0);
      out[kWidth + lane] = u < K_ ? d[at] : padding;
      for (Index j = 0; j < n_; ++j) out[(j + 2) * kWidth + lane] = u < K_ ? v(u, j) : Scalar(0);
    }
  }

  Index n_;
  Index K_;
  Index count_;
  hwy::AlignedFreeUniquePtr<Scalar[]> packed_;
};

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
