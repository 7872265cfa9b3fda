// SPDX-License-Identifier: BSD-3-Clause
#include "features/fused_pooling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "kernels/distances.hpp"

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per
// instruction set by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/fused_pooling.cpp"  // NOLINT
#include <hwy/foreach_target.h>                          // IWYU pragma: keep
// After foreach_target.h:
#include "kernels/affine_panels-inl.hpp"
#include "kernels/kernel_math.hpp"
#include "runtime/aligned_array.hpp"

#ifndef KRICA_FEATURES_FUSED_POOLING_ONCE
#define KRICA_FEATURES_FUSED_POOLING_ONCE
namespace krica {

enum class CodeMap {
  kExp2,
  kInverseSquareDistance,
  kInverseDistance,
  kPolynomial,
  kIdentity,
  kAbs,
  kSoftThreshold,
  kTriangle,
  kHard
};

/// The v_u, c_u and d_u of all atoms, and the map from a_u to the code.
struct AffineCode {
  CodeMap map = CodeMap::kIdentity;
  Matrix<float> v;                // K×n
  std::vector<float> c;           // K
  std::vector<float> d;           // K
  std::vector<float> thresholds;  // t_u of the soft threshold; padded to the last panel
  float scale = 1;                // b of the inverse distances
  int degree = 1;                 // of the polynomial
};

}  // namespace krica
#endif

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {
using Panels = AffinePanels<float>;
using Tag = Panels::Tag;
using Vector = Panels::Vector;
constexpr Index kLanes = Panels::kLanes;
constexpr Index kTileRows = Panels::kTileRows;
constexpr Index kBufferRows = 16;  // patches whose distances to all atoms are buffered

/// 2^x for -126 <= x < 128, and 2^-126 for smaller x; error at most 4 ULP. A polynomial for the
/// fraction; the integer part is added to the exponent bits.
HWY_INLINE Vector exp2_of(Vector x) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  const auto magic = hn::Set(d, 12582912.0F);  // 1.5·2²³: adding it rounds to an integer
  x = hn::Max(x, hn::Set(d, -126.0F));
  const Vector rounded = hn::Add(x, magic);
  const Vector f = hn::Sub(x, hn::Sub(rounded, magic));
  Vector p = hn::Set(d, 0.0013276472F);
  p = hn::MulAdd(p, f, hn::Set(d, 0.0096755415F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.055507133F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.2402212F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.69314697F));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0000001F));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, rounded))));
}

struct VectorMath {
  using Value = Vector;
  static HWY_INLINE Value constant(double value) {
    return hn::Set(Tag(), static_cast<float>(value));
  }
  static HWY_INLINE Value add(Value a, Value b) { return hn::Add(a, b); }
  static HWY_INLINE Value multiply(Value a, Value b) { return hn::Mul(a, b); }
  static HWY_INLINE Value multiply_add(Value a, Value b, Value c) { return hn::MulAdd(a, b, c); }
  static HWY_INLINE Value divide(Value a, Value b) { return hn::Div(a, b); }
  static HWY_INLINE Value sqrt(Value a) { return hn::Sqrt(a); }
};
using Formula = KernelMath<VectorMath>;

// Maps from a to the code; kOutputs is 2 if atoms have two channels. `atom` is that of the first
// lane. Rounding may make a squared distance negative.
struct Exp2 {
  static constexpr int kOutputs = 1;
  explicit Exp2(const AffineCode&) {}
  HWY_INLINE Vector operator()(Vector a, int, Index) const { return exp2_of(a); }
};
struct InverseSquareDistance {
  static constexpr int kOutputs = 1;
  explicit InverseSquareDistance(const AffineCode& code) : scale(code.scale) {}
  HWY_INLINE Vector operator()(Vector a, int, Index) const {
    return Formula::inverse_square_distance(hn::Max(a, hn::Zero(Tag())), hn::Set(Tag(), scale));
  }
  float scale;
};
struct InverseDistance {
  static constexpr int kOutputs = 1;
  explicit InverseDistance(const AffineCode& code) : scale(code.scale) {}
  HWY_INLINE Vector operator()(Vector a, int, Index) const {
    return Formula::inverse_distance(hn::Max(a, hn::Zero(Tag())), hn::Set(Tag(), scale));
  }
  float scale;
};
struct Polynomial {
  static constexpr int kOutputs = 1;
  explicit Polynomial(const AffineCode& code) : degree(code.degree) {}
  HWY_INLINE Vector operator()(Vector a, int, Index) const {
    return Formula::polynomial(a, degree);
  }
  int degree;
};
struct Identity {
  static constexpr int kOutputs = 1;
  explicit Identity(const AffineCode&) {}
  HWY_INLINE Vector operator()(Vector a, int, Index) const { return a; }
};
struct Abs {
  static constexpr int kOutputs = 1;
  explicit Abs(const AffineCode&) {}
  HWY_INLINE Vector operator()(Vector a, int, Index) const { return hn::Abs(a); }
};
struct SoftThreshold {
  static constexpr int kOutputs = 2;
  explicit SoftThreshold(const AffineCode& code) : thresholds(code.thresholds.data()) {}
  HWY_INLINE Vector operator()(Vector a, int output, Index atom) const {
    const Tag d;
    const Vector s = output == 0 ? a : hn::Neg(a);
    return hn::Max(hn::Zero(d), hn::Sub(s, hn::LoadU(d, thresholds + atom)));
  }
  const float* thresholds;
};

using Patches = PanelSamples<float>;

class Packed final : public FusedPooling {
 public:
  explicit Packed(AffineCode code)
      : code_(std::move(code)), K_(code_.v.rows()), panels_(code_.v, code_.c, code_.d, 0.0F) {
    code_.thresholds.resize(static_cast<std::size_t>(panels_.count() * Panels::kWidth));
    of_distances_ = std::any_of(code_.c.begin(), code_.c.end(), [](float c) { return c != 0; });
  }

  void add(ConstMatrixView<float> patches, std::span<const Range> cells,
           float* sums) const override {
    std::vector<float> norms;
    if (of_distances_) norms = squared_row_norms<float>(patches);
    const Patches rows{patches.data(), patches.outerStride(),
                       of_distances_ ? norms.data() : nullptr};
    switch (code_.map) {
      case CodeMap::kExp2:
        return add_all<Exp2>(rows, cells, sums);
      case CodeMap::kInverseSquareDistance:
        return add_all<InverseSquareDistance>(rows, cells, sums);
      case CodeMap::kInverseDistance:
        return add_all<InverseDistance>(rows, cells, sums);
      case CodeMap::kPolynomial:
        return add_all<Polynomial>(rows, cells, sums);
      case CodeMap::kIdentity:
        return add_all<Identity>(rows, cells, sums);
      case CodeMap::kAbs:
        return add_all<Abs>(rows, cells, sums);
      case CodeMap::kSoftThreshold:
        return add_all<SoftThreshold>(rows, cells, sums);
      default:
        return add_ranked(rows, cells, sums);
    }
  }

 private:
  template <class Map>
  void add_all(const Patches& patches, std::span<const Range> cells, float* sums) const {
    const Map map(code_);
    for (Index panel = 0; panel < panels_.count(); ++panel) {
      const Index vectors = panels_.vectors_of(panel);
      if (vectors == 1) add_panel<1>(map, patches, cells, panel, sums);
      if (vectors == 2) add_panel<2>(map, patches, cells, panel, sums);
      if (vectors == 3) add_panel<3>(map, patches, cells, panel, sums);
    }
  }

  template <Index kVectors, class Map>
  void add_panel(const Map& map, const Patches& patches, std::span<const Range> cells, Index panel,
                 float* sums) const {
    const Tag d;
    const Index first = panel * Panels::kWidth;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      Vector totals[Map::kOutputs][kVectors];
      for (auto& output : totals) {
        for (Vector& total : output) total = hn::Zero(d);
      }
      for (Index row = cells[c].begin; row < cells[c].end; row += kTileRows)
        add_tile<kVectors>(map, patches, row, cells[c].end, panel, totals);
      float* cell = sums + static_cast<Index>(c) * K_ * Map::kOutputs;
      for (int output = 0; output < Map::kOutputs; ++output)
        add_lanes<kVectors>(totals[output], cell + output * K_ + first, K_ - first);
    }
  }

  template <Index kVectors, class Map>
  HWY_INLINE void add_tile(const Map& map, const Patches& patches, Index row, Index end,
                           Index panel, Vector (&totals)[Map::kOutputs][kVectors]) const {
    Vector a[kTileRows][kVectors];
    panels_.affine<kVectors>(patches, row, end, panel, a);
    HWY_UNROLL(8)
    for (Index r = 0; r < kTileRows; ++r) {
      if (row + r >= end) continue;
      HWY_UNROLL(3)
      for (Index q = 0; q < kVectors; ++q) {
        for (int output = 0; output < Map::kOutputs; ++output) {
          totals[output][q] =
              hn::Add(totals[output][q], map(a[r][q], output, panel * Panels::kWidth + q * kLanes));
        }
      }
    }
  }

  /// out[i] += the i-th lane, for at most `room` lanes.
  template <Index kVectors>
  static void add_lanes(const Vector (&values)[kVectors], float* out, Index room) {
    const Tag d;
    HWY_ALIGN float lanes[kVectors * kLanes];
    for (Index q = 0; q < kVectors; ++q) hn::Store(values[q], d, lanes + q * kLanes);
    for (Index i = 0; i < std::min(room, kVectors * kLanes); ++i) out[i] += lanes[i];
  }

  /// Triangle and hard codes: the squared distances of a few patches to all atoms, then row by row.
  void add_ranked(const Patches& patches, std::span<const Range> cells, float* sums) const {
    const Index width = panels_.count() * Panels::kWidth;
    auto buffer = aligned_array<float>(static_cast<std::size_t>(kBufferRows * width));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      float* cell = sums + static_cast<Index>(c) * K_;
      for (Index row = cells[c].begin; row < cells[c].end; row += kBufferRows) {
        const Index end = std::min(row + kBufferRows, cells[c].end);
        for (Index panel = 0; panel < panels_.count(); ++panel)
          store_distances(patches, row, end, panel, buffer.get(), width);
        for (Index r = 0; r < end - row; ++r) {
          float* distances = buffer.get() + r * width;
          if (code_.map == CodeMap::kTriangle) add_triangle(distances, cell);
          if (code_.map == CodeMap::kHard) cell[nearest(distances)] += 1.0F;
        }
      }
    }
  }

  void store_distances(const Patches& patches, Index first, Index end, Index panel, float* buffer,
                       Index width) const {
    const Tag d;
    for (Index row = first; row < end; row += kTileRows) {
      Vector a[kTileRows][Panels::kVectors];
      panels_.affine<Panels::kVectors>(patches, row, end, panel, a);
      HWY_UNROLL(8)
      for (Index r = 0; r < kTileRows; ++r) {
        if (row + r >= end) continue;
        float* out = buffer + (row + r - first) * width + panel * Panels::kWidth;
        HWY_UNROLL(3)
        for (Index q = 0; q < Panels::kVectors; ++q) hn::Store(a[r][q], d, out + q * kLanes);
      }
    }
  }

  /// Skips the padding at the end of the buffer, which belongs to no atom.
  void add_triangle(float* distances, float* cell) const {
    const Tag d;
    const Index whole = K_ / kLanes * kLanes;
    Vector total = hn::Zero(d);
    for (Index u = 0; u < whole; u += kLanes) {
      const Vector z = hn::Sqrt(hn::Max(hn::Load(d, distances + u), hn::Zero(d)));
      hn::Store(z, d, distances + u);
      total = hn::Add(total, z);
    }
    float sum = hn::GetLane(hn::SumOfLanes(d, total));
    for (Index u = whole; u < K_; ++u) {
      distances[u] = std::sqrt(std::max(distances[u], 0.0F));
      sum += distances[u];
    }
    const float mean = sum / static_cast<float>(K_);
    for (Index u = 0; u < K_; ++u) cell[u] += std::max(0.0F, mean - distances[u]);
  }

  /// The first one on ties.
  [[nodiscard]] Index nearest(const float* distances) const {
    return std::min_element(distances, distances + K_) - distances;
  }

  AffineCode code_;
  Index K_;
  Panels panels_;
  bool of_distances_ = false;  // whether any c is not 0
};

std::unique_ptr<const FusedPooling> make_packed(AffineCode& code) {
  return std::make_unique<const Packed>(std::move(code));
}

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {
namespace {

HWY_EXPORT(make_packed);

using NumberFormula = HWY_NAMESPACE::KernelMath<HWY_NAMESPACE::NumberMath<double>>;

/// a = w·x.
AffineCode product_code(CodeMap map, ConstMatrixView<float> W) {
  AffineCode code;
  code.map = map;
  code.v = Matrix<float>::copy_of(W);
  code.c.assign(static_cast<std::size_t>(W.rows()), 0.0F);
  code.d.assign(static_cast<std::size_t>(W.rows()), 0.0F);
  return code;
}

double one(std::size_t) { return 1; }

/// a_u = scale(u)·‖w_u - x‖².
template <class ScaleOfAtom>
AffineCode distance_code(CodeMap map, ConstMatrixView<float> W, ScaleOfAtom scale_of) {
  AffineCode code = product_code(map, W);
  for (Index u = 0; u < W.rows(); ++u) {
    const auto at = static_cast<std::size_t>(u);
    const double scale = scale_of(at);
    const float* w = W.data() + u * W.outerStride();
    for (Index j = 0; j < W.cols(); ++j)
      code.v(u, j) = static_cast<float>(-2 * scale * static_cast<double>(w[j]));
    code.c[at] = static_cast<float>(scale);
    code.d[at] = static_cast<float>(scale * ordered_dot(w, w, W.cols()));
  }
  return code;
}

std::optional<AffineCode> kernel_code(const Encoder& encoder) {
  const Kernel& kernel = encoder.options().kernel;
  const ConstMatrixView<float> W = encoder.atoms();
  const std::span<const float> gammas = encoder.shapes();
  switch (kernel.kind) {
    case KernelKind::kGaussian:
      return distance_code(CodeMap::kExp2, W, [&](std::size_t u) {
        const double gamma = gammas.empty() ? kernel.gamma : static_cast<double>(gammas[u]);
        return std::numbers::log2e * NumberFormula::gaussian_exponent(1, gamma);
      });
    case KernelKind::kInverseSquareDistance:
      return distance_code(CodeMap::kInverseSquareDistance, W, one);
    case KernelKind::kInverseDistance:
      return distance_code(CodeMap::kInverseDistance, W, one);
    case KernelKind::kLinear:
      return product_code(CodeMap::kIdentity, W);
    case KernelKind::kPolynomial:
      return product_code(CodeMap::kPolynomial, W);
    default:
      return std::nullopt;  // the histogram intersection is not a function of products
  }
}

std::optional<AffineCode> code_of(const Encoder& encoder) {
  switch (encoder.options().kind) {
    case EncoderKind::kKernel:
      return kernel_code(encoder);
    case EncoderKind::kLinear:
      return product_code(CodeMap::kIdentity, encoder.atoms());
    case EncoderKind::kAbs:
      return product_code(CodeMap::kAbs, encoder.atoms());
    case EncoderKind::kSoftThreshold:
      return product_code(CodeMap::kSoftThreshold, encoder.atoms());
    case EncoderKind::kTriangle:
      return distance_code(CodeMap::kTriangle, encoder.atoms(), one);
    case EncoderKind::kHard:
      return distance_code(CodeMap::kHard, encoder.atoms(), one);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::unique_ptr<const FusedPooling> FusedPooling::of(const Encoder& encoder) {
  std::optional<AffineCode> code = code_of(encoder);
  if (!code) return nullptr;
  code->thresholds.assign(encoder.shapes().begin(), encoder.shapes().end());
  if (encoder.shapes().empty()) {
    code->thresholds.assign(static_cast<std::size_t>(encoder.atoms().rows()),
                            static_cast<float>(encoder.options().threshold));
  }
  code->scale = static_cast<float>(encoder.options().kernel.scale);
  code->degree = encoder.options().kernel.degree;
  return HWY_DYNAMIC_DISPATCH(make_packed)(*code);
}

}  // namespace krica
#endif
