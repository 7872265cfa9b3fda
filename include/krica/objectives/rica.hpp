// SPDX-License-Identifier: BSD-3-Clause
//
// Reconstruction ICA in the conventions of its implementations, with the class-aware forms DRICA
// and d-RICA:
//
//   f(W) = a Σ_i ‖VᵀV x_i - x_i‖² + b Σ_i Σ_j σ_j g_j(V x_i) + α' Σ_i d(V x_i)
//
// V is W with its rows normalised (or W itself); a, b, α' carry the weight λ and 1/m:
//   weight on sparsity:        a = 1, b = λ        reduce mean: all times 1/m
//   weight on reconstruction:  a = λ, b = 1        reduce sum:  as they are
// Contrasts g of s = Vx:
//   smooth-l1        sqrt(s_j² + ε)               logcosh          log cosh s_j
//   matlab-logcosh   ½ log cosh(2 s_j)            exp              -exp(-s_j²/2)
//   l2-pooling       sqrt(ε + Σ_u H_ju s_u²)
// σ_j = ±1 says whether atom j seeks a super-Gaussian (+1, sparse) or sub-Gaussian (-1) source.
//
// Q. V. Le et al., "ICA with Reconstruction Cost for Efficient Overcomplete Feature Learning", NIPS
// 2011. The reconstruction needs X only through XᵀX, so one evaluation costs 4mKn operations.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "krica/objectives/terms.hpp"
#include "krica/runtime/library.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

enum class Contrast { kSmoothL1, kLogCosh, kMatlabLogCosh, kExp, kL2Pooling };
enum class WeightOn { kSparsity, kReconstruction };
enum class Reduce { kMean, kSum };
enum class RowNorm {
  kNone,   ///< V = W
  kSoft,   ///< v = w / sqrt(‖w‖² + 1e-5), as in Le's code
  kExact,  ///< v = w / ‖w‖, as in MATLAB's rica
};

KRICA_EXPORT std::string_view name_of(Contrast contrast);
KRICA_EXPORT std::string_view name_of(WeightOn weight_on);
KRICA_EXPORT std::string_view name_of(Reduce reduce);
KRICA_EXPORT std::string_view name_of(RowNorm row_norm);
KRICA_EXPORT Contrast contrast(std::string_view name);
KRICA_EXPORT WeightOn weight_on(std::string_view name);
KRICA_EXPORT Reduce reduce(std::string_view name);
KRICA_EXPORT RowNorm row_norm(std::string_view name);

struct KRICA_EXPORT RicaOptions {
  Index n_components = 0;  ///< K > 0
  Contrast contrast = Contrast::kSmoothL1;
  double weight = 0.01;  ///< λ >= 0
  WeightOn weight_on = WeightOn::kSparsity;
  Reduce reduce = Reduce::kMean;
  RowNorm row_norm = RowNorm::kNone;
  double epsilon = 1e-4;       ///< ε > 0, of smooth-l1 and l2-pooling
  AtomGroups groups = {};      ///< H, of l2-pooling
  std::vector<int> sign = {};  ///< σ, K values of ±1; empty: all +1
  Discrimination discrimination = {};
  Index block_rows = 0;  ///< samples encoded at a time; 0: chosen for K. Affects rounding only

  void validate() const;
};

/// The named conventions. Each sets contrast, weight_on, reduce and row_norm and leaves the rest.
///   paper    l2-pooling (H none: smooth-l1), weight on sparsity, mean, row norm none
///   le       smooth-l1, weight on sparsity, mean, row norm soft
///   matlab   matlab-logcosh, weight on reconstruction, mean, row norm exact
enum class RicaConvention { kPaper, kLe, kMatlab };
KRICA_EXPORT std::string_view name_of(RicaConvention convention);
KRICA_EXPORT void apply_convention(RicaOptions& options, RicaConvention convention);

/// The contrasts by their names in the pipeline's options: smooth-l1, and MATLAB's
///   logcosh   ½ log cosh(2 s)        exp   -exp(-s²/2)        sqrt   sqrt(s² + 1e-8)
/// Sets contrast and, for sqrt, epsilon.
enum class RicaContrast { kSmoothL1, kLogcosh, kExp, kSqrt };
KRICA_EXPORT std::string_view name_of(RicaContrast contrast);
KRICA_EXPORT void apply_contrast(RicaOptions& options, RicaContrast contrast);

template <class Scalar>
class KRICA_EXPORT RicaObjective final : public SampledObjective<Scalar>,
                                         public BasisObjective<Scalar> {
 public:
  /// As KricaObjective's constructor.
  RicaObjective(ConstMatrixView<Scalar> X, RicaOptions options, std::span<const int> labels = {});
  ~RicaObjective() override;

  [[nodiscard]] Index rows() const override;
  [[nodiscard]] Index cols() const override;
  [[nodiscard]] Index n_samples() const override;
  [[nodiscard]] const RicaOptions& options() const;

  [[nodiscard]] BasisCondition condition(const Context& context,
                                         ConstMatrixView<Scalar> W) override;

 private:
  double evaluate(const Context& context, std::optional<std::span<const Index>> samples,
                  ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) override;

  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace krica
