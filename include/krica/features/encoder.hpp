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
// Each atom may have its own shape parameter: the Gaussian's γ_u, the soft threshold's t_u, or the
// sigmoid's b_u.
// Triangle and hard: Coates, Lee and Ng, AISTATS 2011; soft threshold: Coates and Ng, ICML 2011.
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
  kSignedOmp
};
KRICA_EXPORT std::string_view name_of(EncoderKind kind);
KRICA_EXPORT EncoderKind encoder_kind(std::string_view name);

/// Whether codes solve a lasso, or are found by orthogonal matching pursuit; signed or not.
KRICA_EXPORT bool is_lasso(EncoderKind kind);
KRICA_EXPORT bool is_omp(EncoderKind kind);

/// Number of values in a code by that many atoms: K, or 2K.
KRICA_EXPORT Index channels_of(EncoderKind kind, Index atoms);

struct KRICA_EXPORT EncoderOptions {
  EncoderKind kind = EncoderKind::kKernel;
  Kernel kernel = {};  ///< for the kernel code and the lasso
  /// t of the soft threshold if atoms have no thresholds of their own, >= 0.
  double threshold = 0.25;
  double sparsity = 0.1;  ///< λ of the lasso, > 0
  Index nonzeros = 10;    ///< atoms in a code of the matching pursuit, >= 1

  void validate() const;
};

/// Whether atoms have shape parameters with this encoder.
KRICA_EXPORT bool has_shapes(const EncoderOptions& options);

/// Copies share the atoms, which are immutable.
class KRICA_EXPORT Encoder {
 public:
  /// Copies the atoms (K×n) and their shapes: one per atom, or none to use options.kernel.gamma,
  /// options.threshold or a bias of 0. Throws InvalidArgument for invalid options, no atoms, NaN or
  /// Inf, shapes that are not K numbers (widths: positive ones), and shapes for an encoder without
  /// them.
  Encoder(const EncoderOptions& options, ConstMatrixView<float> atoms,
          std::span<const float> shapes = {});

  [[nodiscard]] Index inputs() const;    ///< n
  [[nodiscard]] Index channels() const;  ///< K, or 2K
  [[nodiscard]] const EncoderOptions& options() const;
  [[nodiscard]] ConstMatrixView<float> atoms() const;
  [[nodiscard]] std::span<const float> shapes() const;  ///< as given

  /// Encodes one tile of patches (rows × n) to codes (rows × channels), single-threaded.
  void encode(ConstMatrixView<float> patches, MatrixView<float> codes) const;

  /// Saves the tensors "atoms" and, if atoms have shapes, "atom_gammas", "atom_thresholds" or
  /// "atom_bias"; the caller saves the options.
  void save(Archive& archive) const;
  static Encoder load(const EncoderOptions& options, const Archive& archive);

 private:
  struct Implementation;
  std::shared_ptr<const Implementation> implementation_;
};

}  // namespace krica
