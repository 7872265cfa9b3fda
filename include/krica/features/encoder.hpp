// SPDX-License-Identifier: BSD-3-Clause
//
// Encoders: from a preprocessed patch x and atoms w_u to a code.
//   kernel           s_u = κ(w_u, x)                                             K channels
//   abs              s_u = |w_u·x|                                               K
//   triangle         s_u = max(0, mean_v z_v - z_u), z_u = ‖x - w_u‖             K
//   hard             s_u = 1 for the nearest atom, else 0                        K
//   soft-threshold   max(0, w_u·x - t) and max(0, -w_u·x - t)                    2K
// Triangle and hard: Coates, Lee and Ng, AISTATS 2011; soft threshold: Coates and Ng, ICML 2011.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "krica/kernels/kernel.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

enum class EncoderKind { kKernel, kAbs, kTriangle, kHard, kSoftThreshold };
std::string_view name_of(EncoderKind kind);
EncoderKind encoder_kind(std::string_view name);

struct EncoderOptions {
  EncoderKind kind = EncoderKind::kKernel;
  Kernel kernel = {};       ///< of the kernel code
  double threshold = 0.25;  ///< t of the soft threshold, >= 0

  void validate() const;
};

class Encoder {
 public:
  /// Keeps a copy of the atoms (K×n) and of `gammas`: one width an atom for the Gaussian kernel
  /// code, or none for options.kernel.gamma. Throws InvalidArgument for bad options, no atoms, NaN
  /// or Inf, and widths that are not K positive numbers.
  Encoder(const EncoderOptions& options, ConstMatrixView<float> atoms,
          std::span<const float> gammas = {});
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  [[nodiscard]] Index inputs() const;    ///< n
  [[nodiscard]] Index channels() const;  ///< K, or 2K
  [[nodiscard]] const EncoderOptions& options() const;
  [[nodiscard]] ConstMatrixView<float> atoms() const;
  [[nodiscard]] std::span<const float> gammas() const;  ///< as given

  /// One tile of patches (rows × n), one thread: codes (rows × channels).
  void encode(ConstMatrixView<float> patches, MatrixView<float> codes) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace krica
