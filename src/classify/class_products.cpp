// SPDX-License-Identifier: BSD-3-Clause
#include "classify/class_products.hpp"

#include <algorithm>
#include <vector>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per
// instruction set by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/class_products.cpp"  // NOLINT
#include <hwy/foreach_target.h>                           // IWYU pragma: keep
// After foreach_target.h:
#include "kernels/affine_panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {

using Panels = AffinePanels<float>;
using Tag = Panels::Tag;
using Vector = Panels::Vector;

class PackedClassScores final : public ClassScores {
 public:
  explicit PackedClassScores(ConstMatrixView<float> W)
      : panels_(W, {}, std::vector<float>(static_cast<std::size_t>(W.rows())), 0.0F) {}

  void compute(ConstMatrixView<float> Z, MatrixView<float> scores) const override {
    const PanelSamples<float> samples{Z.data(), Z.outerStride(), nullptr};
    for (Index row = 0; row < Z.rows(); row += Panels::kTileRows) {
      for (Index panel = 0; panel < panels_.count(); ++panel) {
        const Index vectors = panels_.vectors_of(panel);
        if (vectors == 1) compute_tile<1>(samples, row, panel, scores);
        if (vectors == 2) compute_tile<2>(samples, row, panel, scores);
        if (vectors == 3) compute_tile<3>(samples, row, panel, scores);
      }
    }
  }

 private:
  template <Index kVectors>
  HWY_NOINLINE void compute_tile(const PanelSamples<float>& samples, Index row, Index panel,
                                 MatrixView<float>& scores) const {
    const Tag tag;
    Vector a[Panels::kTileRows][kVectors];
    panels_.affine<kVectors>(samples, row, scores.rows(), panel, a);
    const Index first = panel * Panels::kWidth;
    const Index count = std::min(panels_.rows() - first, kVectors * Panels::kLanes);
    HWY_ALIGN float lanes[kVectors * Panels::kLanes];
    for (Index r = 0; r < std::min(Panels::kTileRows, scores.rows() - row); ++r) {
      for (Index q = 0; q < kVectors; ++q) hn::Store(a[r][q], tag, lanes + q * Panels::kLanes);
      std::copy(lanes, lanes + count, scores.data() + (row + r) * scores.outerStride() + first);
    }
  }

  Panels panels_;
};

std::unique_ptr<const ClassScores> make_class_scores(ConstMatrixView<float> W) {
  return std::make_unique<const PackedClassScores>(W);
}

constexpr Index kClassesAtATime = 8;
constexpr Index kVectorsAtATime = 2;  // times the classes: 16 accumulators
constexpr Index kStep = kVectorsAtATime * Panels::kLanes;

/// G(c, j ... j + kStep) += Σ_i E(i, c) Z(i, j ...) for kClasses classes from `first` on.
template <Index kClasses>
HWY_NOINLINE void add_columns(ConstMatrixView<float> E, ConstMatrixView<float> Z, Index first,
                              Index j, MatrixView<float> G) {
  const Tag tag;
  Vector sums[kClasses][kVectorsAtATime];
  HWY_UNROLL(8)
  for (Index c = 0; c < kClasses; ++c) {
    HWY_UNROLL(2)
    for (Index q = 0; q < kVectorsAtATime; ++q) {
      sums[c][q] =
          hn::LoadU(tag, G.data() + (first + c) * G.outerStride() + j + q * Panels::kLanes);
    }
  }
  for (Index i = 0; i < Z.rows(); ++i) {
    const float* z = Z.data() + i * Z.outerStride() + j;
    const float* e = E.data() + i * E.outerStride() + first;
    const Vector z0 = hn::LoadU(tag, z);
    const Vector z1 = hn::LoadU(tag, z + Panels::kLanes);
    HWY_UNROLL(8)
    for (Index c = 0; c < kClasses; ++c) {
      const Vector weight = hn::Set(tag, e[c]);
      sums[c][0] = hn::MulAdd(weight, z0, sums[c][0]);
      sums[c][1] = hn::MulAdd(weight, z1, sums[c][1]);
    }
  }
  HWY_UNROLL(8)
  for (Index c = 0; c < kClasses; ++c) {
    HWY_UNROLL(2)
    for (Index q = 0; q < kVectorsAtATime; ++q) {
      hn::StoreU(sums[c][q], tag,
                 G.data() + (first + c) * G.outerStride() + j + q * Panels::kLanes);
    }
  }
}

void add_products(ConstMatrixView<float> E, ConstMatrixView<float> Z, MatrixView<float> G) {
  const Index whole = Z.cols() / kStep * kStep;
  const Index paired = G.rows() / kClassesAtATime * kClassesAtATime;
  for (Index j = 0; j < whole; j += kStep) {
    for (Index c = 0; c < paired; c += kClassesAtATime) add_columns<kClassesAtATime>(E, Z, c, j, G);
    if (G.rows() - paired >= 4) add_columns<4>(E, Z, paired, j, G);
    for (Index c = paired + (G.rows() - paired) / 4 * 4; c < G.rows(); ++c)
      add_columns<1>(E, Z, c, j, G);
  }
  for (Index c = 0; c < G.rows(); ++c) {
    for (Index j = whole; j < Z.cols(); ++j) {
      float sum = G(c, j);
      for (Index i = 0; i < Z.rows(); ++i) sum += E(i, c) * Z(i, j);
      G(c, j) = sum;
    }
  }
}

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {

HWY_EXPORT(make_class_scores);
HWY_EXPORT(add_products);

std::unique_ptr<const ClassScores> ClassScores::of(ConstMatrixView<float> W) {
  return HWY_DYNAMIC_DISPATCH(make_class_scores)(W);
}

void add_class_products(ConstMatrixView<float> E, ConstMatrixView<float> Z, MatrixView<float> G) {
  HWY_DYNAMIC_DISPATCH(add_products)(E, Z, G);
}

}  // namespace krica
#endif
