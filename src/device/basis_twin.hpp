// SPDX-License-Identifier: BSD-3-Clause
//
// The twins of basis objectives (src/objectives) on a GPU. Samples lie on the device; atoms and
// gradient travel with each evaluation.
//
//   kRICA   f(W) = 1/m Σ_i [ ρ (κ(x_i,x_i) + s_i G s_iᵀ - 2 s_i s_iᵀ) + terms(s_i) ]
//   RICA    f(V) = scale Σ_i [ a ‖VᵀV x_i - x_i‖² + terms(V x_i) ],   scale 1/m or 1
//
// S_iu = κ(w_u, x_i), G_uv = κ(w_u, w_v); the terms in code_terms.hpp. Blocks of samples at a time,
// with cuBLAS's products, of m K n or m K² multiplications each: kRICA S = κ(X Wᵀ), T = S G, SᵀS
// and Mᵀ[X 1] with M = ∂f/∂S ∘ slopes, then the part through G, which has 2ρ SᵀS ∘ slopes for M and
// the atoms for samples; RICA S and MᵀX, and the reconstruction from XᵀX. Values are summed in
// double. The same bits in every run on the same kind of device with the same block of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/code_terms.hpp"
#include "device/mercer.hpp"
#include "device/products.hpp"
#include "device/twin_samples.hpp"

namespace krica::device {

class BasisTwin {
 public:
  BasisTwin() = default;
  BasisTwin(const BasisTwin&) = delete;
  BasisTwin& operator=(const BasisTwin&) = delete;
  virtual ~BasisTwin() = default;

  /// f on the samples at `rows`, or on all where there are none. W, and the gradient unless null:
  /// atoms × n, on the host or the device. curvature, unless null: the atoms' D of
  /// solvers/objective.hpp, for kernels of the distance. Throws DeviceError: kOutOfMemory, kFailed.
  virtual double evaluate(const float* W, std::span<const std::int64_t> rows, float* gradient,
                          float* curvature = nullptr) = 0;

  /// What a range of the samples adds to f on all of them, which is the sum over ranges: 1/m keeps
  /// the number m of all samples. Otherwise as evaluate().
  virtual double evaluate_part(const float* W, SampleRange part, float* gradient,
                               float* curvature = nullptr) = 0;
};

/// Of both twins.
struct TwinOptions {
  int atoms = 0;
  ContrastSpec contrast = {};
  ClassSpec classes = {};  ///< needs labels
  Products products = Products::kTf32;
  std::int64_t block_rows = 0;  ///< samples at a time; 0: chosen. Fewer in less memory
  std::size_t memory_bytes = std::size_t{4} << 30;
  int parts = 1;  ///< different ranges that evaluate_part() will get, for which RICA needs memory
};

struct KricaTwinOptions {
  TwinOptions common = {};
  Mercer kernel = {};
  float reconstruction = 1;  ///< ρ
};

struct RicaTwinOptions {
  TwinOptions common = {};
  float reconstruction = 1;  ///< a
  bool mean = true;
};

/// Throw InvalidArgument for sizes below 1, and DeviceError: kNoDevice, kOutOfMemory, also for
/// samples and 256 of their codes that exceed memory_bytes, and kUnsupported for polynomials of
/// even degree, whose slope κ alone does not tell.
std::unique_ptr<BasisTwin> make_krica_twin(const TwinSamples& samples,
                                           const KricaTwinOptions& options);
std::unique_ptr<BasisTwin> make_rica_twin(const TwinSamples& samples,
                                          const RicaTwinOptions& options);

/// What the factories check before they look for a device.
void require_usable(const TwinSamples& samples, const TwinOptions& options);
void require_usable(const TwinSamples& samples, const KricaTwinOptions& options);

}  // namespace krica::device
