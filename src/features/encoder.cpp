// SPDX-License-Identifier: BSD-3-Clause
#include "krica/features/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/atom_set.hpp"
#include "kernels/distances.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "encoder";
constexpr NameTable<EncoderKind, 5> kKinds = {{
    {EncoderKind::kKernel, "kernel"},
    {EncoderKind::kAbs, "abs"},
    {EncoderKind::kTriangle, "triangle"},
    {EncoderKind::kHard, "hard"},
    {EncoderKind::kSoftThreshold, "soft-threshold"},
}};

/// row holds squared distances; afterwards max(0, mean - distance).
void triangle(float* row, Index K) {
  for (Index u = 0; u < K; ++u) row[u] = std::sqrt(std::max(row[u], 0.0F));
  const auto mean = static_cast<float>(ordered_sum(row, K) / static_cast<double>(K));
  for (Index u = 0; u < K; ++u) row[u] = std::max(0.0F, mean - row[u]);
}

/// row holds squared distances; afterwards 1 at the smallest (the first of equals), else 0.
void hard(float* row, Index K) {
  const Index nearest = std::min_element(row, row + K) - row;
  std::fill(row, row + K, 0.0F);
  row[nearest] = 1.0F;
}

/// row has room for 2K and holds w_u·x in its first half.
void soft_threshold(float* row, Index K, float threshold) {
  for (Index u = 0; u < K; ++u) {
    const float s = row[u];
    row[u] = std::max(0.0F, s - threshold);
    row[K + u] = std::max(0.0F, -s - threshold);
  }
}

}  // namespace

std::string_view name_of(EncoderKind kind) { return find_name(kKinds, kind); }
EncoderKind encoder_kind(std::string_view name) { return find_value(kKinds, name, kName); }

void EncoderOptions::validate() const {
  if (kind == EncoderKind::kKernel) kernel.validate();
  require(std::isfinite(threshold) && threshold >= 0, kName,
          "threshold must be finite and >= 0, got {}", threshold);
}

struct Encoder::Implementation {
  EncoderOptions options;
  Matrix<float> atoms;
  std::vector<float> gammas;
  AtomSet<float> kernel_atoms;
  std::vector<float> norms;  // of triangle and hard

  Implementation(const EncoderOptions& opts, ConstMatrixView<float> W,
                 std::span<const float> atom_gammas)
      : options(opts),
        atoms(Matrix<float>::copy_of(W)),
        gammas(atom_gammas.begin(), atom_gammas.end()),
        kernel_atoms(opts.kernel, atoms, gammas) {
    if (opts.kind == EncoderKind::kTriangle || opts.kind == EncoderKind::kHard) {
      norms = squared_row_norms<float>(atoms);
    }
  }
};

Encoder::Encoder(const EncoderOptions& options, ConstMatrixView<float> atoms,
                 std::span<const float> gammas) {
  options.validate();
  require_not_empty(atoms, kName, "atoms");
  require_finite(atoms, kName, "atoms");
  require(gammas.empty() || static_cast<Index>(gammas.size()) == atoms.rows(), kName,
          "{} widths for {} atoms", gammas.size(), atoms.rows());
  for (const float gamma : gammas)
    require(std::isfinite(gamma) && gamma > 0, kName, "a width must be > 0, got {}", gamma);
  implementation_ = std::make_unique<Implementation>(options, atoms, gammas);
}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

Index Encoder::inputs() const { return implementation_->atoms.cols(); }
const EncoderOptions& Encoder::options() const { return implementation_->options; }
ConstMatrixView<float> Encoder::atoms() const { return implementation_->atoms; }
std::span<const float> Encoder::gammas() const { return implementation_->gammas; }
Index Encoder::channels() const {
  return implementation_->atoms.rows() * (options().kind == EncoderKind::kSoftThreshold ? 2 : 1);
}

void Encoder::encode(ConstMatrixView<float> patches, MatrixView<float> codes) const {
  const Implementation& self = *implementation_;
  const Index K = self.atoms.rows();
  const EncoderKind kind = options().kind;
  if (kind == EncoderKind::kKernel) return self.kernel_atoms.evaluate(patches, codes, nullptr);
  const MatrixView<float> raw(codes.data(), codes.rows(), K, codes.outerStride());
  if (kind == EncoderKind::kTriangle || kind == EncoderKind::kHard) {
    squared_distances<float>(patches, self.atoms, self.norms, raw);
  } else {
    blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F, patches, self.atoms, 0.0F,
                      raw);
  }
  for (Index i = 0; i < codes.rows(); ++i) {
    float* row = codes.data() + i * codes.outerStride();
    if (kind == EncoderKind::kTriangle) triangle(row, K);
    if (kind == EncoderKind::kHard) hard(row, K);
    if (kind == EncoderKind::kSoftThreshold)
      soft_threshold(row, K, static_cast<float>(options().threshold));
    if (kind == EncoderKind::kAbs) {
      for (Index u = 0; u < K; ++u) row[u] = std::abs(row[u]);
    }
  }
}

}  // namespace krica
