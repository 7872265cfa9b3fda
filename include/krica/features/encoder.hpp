// SPDX-License-Identifier: BSD-3-Clause
//
// Encoders: from a preprocessed patch x and atoms w_u to a code.
//   kernel           s_u = κ(w_u, x)                                             K channels
//   abs              s_u = |w_u·x|                                               K
//   linear           s_u = w_u·x                                                 K
//   triangle         s_u = max(0, mean_v z_v - z_u), z_u = ‖x - w_u‖             K
//   hard             s_u = 1 for the nearest atom, else 0                        K
//   soft-threshold   max(0, w_u·x - t_u) and max(0, -w_u·x - t_u)                2K
//   soft-abs         s_u = sqrt((w_u·x)² + 1e-8), of sparse filtering            K
//   lasso            |s_u| of argmin_s ‖φ(x) - Φᵀs‖² + λ‖s‖₁, to 1e-4 of ‖φ(x)‖²   K
//   signed-lasso     s_u of the same, with its sign                              K
//   omp              |s_u| of x ≈ Σ_u s_u w_u with a few atoms (solvers/batch_omp.hpp)   K
//   signed-omp       s_u of the same, with its sign                              K
//   sigmoid          s_u = 1 / (1 + exp(-w_u·x - b_u))                           K
//   llc              s_u = γ_u of x ≈ Σ γ_u w_u over the nearest atoms           K
//   tangents         σ γ_u; then γ_u U_ut·(x - w_u), t = 1 ... d, for directions U_ut   K + K d
// Each atom may have its own shape parameter: the Gaussian's γ_u, the soft threshold's t_u, or the
// sigmoid's b_u.
// Triangle and hard: Coates, Lee and Ng, AISTATS 2011; soft threshold: Coates and Ng, ICML 2011;
// llc: Wang et al., CVPR 2010; tangents: Yu and Zhang, ICML 2010 (features/local_coding.hpp).
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "krica/kernels/kernel.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

enum class EncoderKind {
  kKernel,
  kAbs,
  kTriangle,
  kHard,
  kSoftThreshold,
  kSoftAbs,
  kSigmoid,
  kLasso,
  kLinear,
  kSignedLasso,
  kOmp,
  kSignedOmp,
  kLlc,
  kTangents
};
KRICA_EXPORT std::string_view name_of(EncoderKind kind);
KRICA_EXPORT EncoderKind encoder_kind(std::string_view name);

/// Whether codes solve a lasso, or are found by orthogonal matching pursuit; signed or not.
KRICA_EXPORT bool is_lasso(EncoderKind kind);
KRICA_EXPORT bool is_omp(EncoderKind kind);

struct KRICA_EXPORT EncoderOptions {
  EncoderKind kind = EncoderKind::kKernel;
  Kernel kernel = {};  ///< for the kernel code and the lasso
  /// t of the soft threshold if atoms have no thresholds of their own, >= 0.
  double threshold = 0.25;
  double sparsity = 0.1;     ///< λ of the lasso, > 0
  Index nonzeros = 10;       ///< atoms in a code of the matching pursuit, >= 1
  Index neighbours = 5;      ///< atoms in a code of llc and tangents, 1 ... kMostNeighbours
  Index tangents = 0;        ///< d of the tangents encoder, 1 ... kMostTangents
  double tangent_scale = 1;  ///< σ of the tangents encoder, > 0

  static constexpr Index kMostNeighbours = 256;
  static constexpr Index kMostTangents = 4096;

  void validate() const;
};

/// Number of values in a code by that many atoms: K, 2K or K (1 + d).
KRICA_EXPORT Index channels_of(const EncoderOptions& options, Index atoms);

/// Whether a code combines the nearest atoms only.
KRICA_EXPORT bool is_local(EncoderKind kind);

/// Whether atoms have shape parameters with this encoder.
KRICA_EXPORT bool has_shapes(const EncoderOptions& options);

/// Copies share the atoms, which are immutable.
class KRICA_EXPORT Encoder {
 public:
  /// Copies the atoms (K×n) and their shapes: one per atom, or none to use options.kernel.gamma,
  /// options.threshold or a bias of 0. Throws InvalidArgument for invalid options, no atoms, NaN or
  /// Inf, shapes that are not K numbers (widths: positive ones), and shapes for an encoder without
  /// them. Tangents, K d × n, atom by atom, are for the tangents encoder only.
  Encoder(const EncoderOptions& options, ConstMatrixView<float> atoms,
          std::span<const float> shapes = {},
          ConstMatrixView<float> tangents = ConstMatrixView<float>(nullptr, 0, 0));

  [[nodiscard]] Index inputs() const;    ///< n
  [[nodiscard]] Index channels() const;  ///< channels_of()
  [[nodiscard]] const EncoderOptions& options() const;
  [[nodiscard]] ConstMatrixView<float> atoms() const;
  [[nodiscard]] std::span<const float> shapes() const;  ///< as given
  [[nodiscard]] ConstMatrixView<float> tangents() const;

  /// Encodes one tile of patches (rows × n) to codes (rows × channels), single-threaded.
  void encode(ConstMatrixView<float> patches, MatrixView<float> codes) const;

  /// Saves the tensors "atoms" and, if atoms have shapes, "atom_gammas", "atom_thresholds" or
  /// "atom_bias", and "atom_tangents"; the caller saves the options.
  void save(Archive& archive) const;
  static Encoder load(const EncoderOptions& options, const Archive& archive);

 private:
  struct Implementation;
  std::shared_ptr<const Implementation> implementation_;
};

}  // namespace krica
