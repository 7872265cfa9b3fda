// SPDX-License-Identifier: BSD-3-Clause
//
// Kernel reconstruction ICA and its class-aware form d-kRICA:
//
//   f(W) = 1/m Σ_i [ κ(x_i,x_i) + s_i G s_iᵀ - 2 s_i s_iᵀ
//                    + λ Σ_j sqrt(ε + Σ_u H_ju s_iu²) + α d(s_i) ]
//
// X m×n samples, W K×n basis, s_iu = κ(w_u, x_i), G_uv = κ(w_u, w_v); H and d in terms.hpp. With
// the linear kernel it is RICA. Y. Xiao, Z. Zhu, Y. Zhao, "Kernel Reconstruction ICA for Sparse
// Representation", section 4; the paper prints 1 for κ(x,x) and an incorrect derivative
// (docs/math.md, errata).
//
// One evaluation costs 3mK² + 4mKn operations and needs O(block·K + K²) memory in addition to the
// data. Values are accumulated in double. The bits do not depend on the number of threads.
//
//   krica::Context context;
//   krica::KricaObjective<float> objective(X, {.n_components = 400, .kernel = {.gamma = 3.0}});
//   auto result = krica::Lbfgs<float>().minimize(context, objective, start);
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "krica/kernels/kernel.hpp"
#include "krica/objectives/terms.hpp"
#include "krica/runtime/library.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

struct KRICA_EXPORT KricaOptions {
  Index n_components = 0;  ///< K > 0
  Kernel kernel = {};
  double sparsity = 0.01;       ///< λ >= 0
  double epsilon = 1e-4;        ///< ε > 0
  double reconstruction = 1.0;  ///< weight of the first three terms, >= 0; 0 isolates the others
  AtomGroups groups = {};       ///< H
  Discrimination discrimination = {};
  Index block_rows = 0;  ///< samples encoded at a time; 0: chosen for K. Affects rounding only

  void validate() const;
};

template <class Scalar>
class KRICA_EXPORT KricaObjective final : public SampledObjective<Scalar>,
                                          public BasisObjective<Scalar>,
                                          public CurvedObjective<Scalar> {
 public:
  /// Keeps the view of X and copies the labels. Labels (0 ... c-1, one per sample) are required if
  /// discrimination.weight > 0. Throws InvalidArgument for invalid options, fewer than two samples,
  /// NaN or Inf, and labels that do not fit.
  KricaObjective(ConstMatrixView<Scalar> X, KricaOptions options, std::span<const int> labels = {});
  ~KricaObjective() override;

  [[nodiscard]] Index rows() const override;
  [[nodiscard]] Index cols() const override;
  [[nodiscard]] Index n_samples() const override;
  [[nodiscard]] const KricaOptions& options() const;

  /// Throws InvalidArgument for kernels that are not functions of the distance.
  double value_gradient_and_curvature(const Context& context, ConstMatrixView<Scalar> W,
                                      MatrixView<Scalar> gradient,
                                      std::span<double> curvature) override;
  [[nodiscard]] BasisCondition condition(const Context& context,
                                         ConstMatrixView<Scalar> W) override;

 private:
  double evaluate(const Context& context, std::optional<std::span<const Index>> samples,
                  ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) override;

  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace krica
