// SPDX-License-Identifier: BSD-3-Clause
//
// The terms of kRICA and RICA in a sample's code s alone, with its label y:
//
//   root       λ Σ_j σ_j sqrt(ε + Σ_u H_ju s_u²)        log cosh   λ Σ_j σ_j log cosh(β s_j)/β
//   exp       -λ Σ_j σ_j exp(-s_j²/2)
//   classes    Σ_{u∈y} a s_u² + Σ_{u∉y} b s_u² + c ((Σ_{u∉y} s_u)² - h (Σ_{u∈y} s_u)²)
//
// u∈y are the atoms of class y.
#pragma once

#include <vector>

namespace krica::device {

/// Without its zeros: row j has the entries offsets[j] ... offsets[j + 1].
struct SparseMatrix {
  std::vector<int> offsets = {};
  std::vector<int> columns = {};
  std::vector<float> values = {};
};
/// Of a square matrix.
SparseMatrix transposed(const SparseMatrix& matrix);

enum class ContrastKind { kRoot, kLogCosh, kExp };

struct ContrastSpec {
  ContrastKind kind = ContrastKind::kRoot;
  float weight = 0.01F;           ///< λ
  float epsilon = 1e-4F;          ///< ε
  float beta = 1;                 ///< β
  std::vector<float> signs = {};  ///< σ, ±1; none: all 1
  SparseMatrix groups = {};       ///< H; none: the identity. Needs λ > 0

  [[nodiscard]] bool pooled() const { return !groups.offsets.empty(); }
};

struct ClassSpec {
  std::vector<int> atom_class = {};  ///< one per atom; none: no such term
  float own = 0;                     ///< a
  float other = 0;                   ///< b
  float sums = 0;                    ///< c
  bool homogeneous = true;           ///< h

  [[nodiscard]] bool active() const { return !atom_class.empty(); }
};

}  // namespace krica::device
