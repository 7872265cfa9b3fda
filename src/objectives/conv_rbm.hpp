// SPDX-License-Identifier: BSD-3-Clause
//
// Convolutional restricted Boltzmann machine with probabilistic max pooling (conv_layer.hpp): a map
// v with one bias c per channel, hidden units h of which at most one per block is on, and
//
//   I_k(p) = b_k + w_k·(v - μ)[p]                         μ: the mean of each channel of the data
//
//   Gaussian v   E(v, h) = ‖v - c‖²/2τ² - Σ_k Σ_p h_k(p) I_k(p)
//                p(v | h) = N(c + τ² Σ_k h_k * w_k, τ²I)
//                F(v) = ‖v - c‖²/2τ² - Σ_k Σ_α log(1 + Σ_{p in α} exp I_k(p))
//   binary v     E(v, h) = -c·v - Σ_k Σ_p h_k(p) I_k(p)
//                p(v = 1 | h) = σ(c + Σ_k h_k * w_k)
//                F(v) = -c·v - Σ_k Σ_α log(1 + Σ_{p in α} exp I_k(p))
//
// where h_k * w_k adds w_k to the window of every unit that is on. Subtracting μ does not change
// the family of models, only its parameters (b_k absorbs w_k·μ), but without it a step that moves
// all weights of a filter together would turn its units on or off everywhere (G. Montavon, K.-R.
// Müller, "Deep Boltzmann Machines and the Centering Trick", 2012).
//
// Learned by contrastive divergence with one step, in which h is drawn from p(h | v_i) and v'_i is
// the mean of p(v | h), in the direction
//
//   1/(m N) Σ_i ∂[F(v_i) - F(v'_i)]  (v' held fixed),   N = 4 B hidden units per group,
//   and β (q_k - ρ) on b_k,  q_k = 1/(m N) Σ_i Σ_p p(h_k(p) = 1 | v_i)
//
// with ρ the sparsity target; on the visible biases N is the number of pixels. This is not the
// gradient of any function, so it requires Adam; the value reported is what it should decrease,
//   1/(2 m |v| τ²) Σ ‖v'_i - v_i‖² + β/K Σ_k KL(ρ ‖ q_k).
// τ² is the mean squared deviation from μ; both are taken from at most 1,000 of the images. Lee,
// Grosse, Ranganath and Ng, ICML 2009 (conv_layer.hpp); differences: Adam instead of momentum, μ,
// and v' and the second hidden layer are means, not drawn. The draws for image i depend only on the
// seed and i, so that an evaluation can be repeated and resumed.
//
// The parameters are one matrix, as in packed_layer.hpp: rows [w_k | b_k], and a last row with c.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/conv_twin.hpp"
#include "objectives/conv_layer.hpp"
#include "objectives/evaluated_objective.hpp"
#include "objectives/placed_twin.hpp"

namespace krica {

enum class VisibleUnits { kGaussian, kBinary };

struct ConvRbmOptions {
  ConvShape shape;
  VisibleUnits visible = VisibleUnits::kGaussian;
  double sparsity = 1;            ///< β >= 0
  double sparsity_target = 0.05;  ///< ρ in (0, 1)

  void validate() const;
};

/// Sums over maps, the derivatives of -F among them.
template <class Scalar>
struct ConvRbmSums {
  Matrix<Scalar> products;       // K × C f²: Σ_p p(h_k(p)) (v - μ)[p]
  std::vector<double> activity;  // K: Σ_p p(h_k(p))
  std::vector<double> visible;   // C: Σ v; times 1/τ² for Gaussian units

  explicit ConvRbmSums(const ConvShape& shape)
      : products(shape.groups, shape.window()),
        activity(static_cast<std::size_t>(shape.groups), 0.0),
        visible(static_cast<std::size_t>(shape.input.channels), 0.0) {}
  static auto members(auto& sums) { return std::tie(sums.products, sums.activity, sums.visible); }
};

/// Of the maps to learn from.
struct MapMoments {
  std::vector<double> mean;  ///< μ, one per channel
  double variance = 1;       ///< τ²
};

/// The machine with given parameters. Single-threaded.
template <class Scalar>
class ConvRbm {
 public:
  /// packed: (K + 1) × (C f² + 1), kept by reference. The variance is for Gaussian units only.
  ConvRbm(const ConvShape& shape, VisibleUnits visible, MapMoments moments,
          ConstMatrixView<Scalar> packed);

  /// F(v).
  [[nodiscard]] double free_energy(const Scalar* v) const;
  /// Adds weight times the statistics of v. If `random` is not null, draws h and adds Σ h_k * w_k
  /// to `drawn`, a map of zeros.
  void add(const Scalar* v, Scalar weight, ConvRbmSums<Scalar>& sums, Random* random = nullptr,
           Scalar* drawn = nullptr) const;
  /// In: Σ h_k * w_k; out: the mean of p(v | h).
  void reconstruct(Scalar* map) const;

 private:
  /// v - μ.
  [[nodiscard]] std::vector<Scalar> centred(const Scalar* v) const;
  void probabilities(const Scalar* centred, Range blocks, MatrixView<Scalar> windows,
                     MatrixView<Scalar> units, double* log_sums = nullptr) const;

  ConvShape shape_;
  VisibleUnits visible_;
  MapMoments moments_;
  ConstMatrixView<Scalar> weights_;
  std::vector<Scalar> bias_;
  const Scalar* visible_bias_;
};

template <class Scalar>
class ConvRbmObjective final : public EvaluatedObjective<Scalar> {
 public:
  /// Learns from the maps above `below` of the images X, one planar image per row: recomputed
  /// whenever they are needed, because all of them would take more memory than the images. Keeps
  /// the views. The context is used only to compute the moments.
  ConvRbmObjective(const Context& context, ConstMatrixView<Scalar> X,
                   std::span<const ConvLayer<Scalar>> below, const ConvRbmOptions& options);

  [[nodiscard]] const MapMoments& moments() const { return moments_; }

  /// The value, and the gradient unless it is null, from the sums over that many maps.
  [[nodiscard]] double finish(double squared_error, const ConvRbmSums<Scalar>& data,
                              const ConvRbmSums<Scalar>& model, Index maps,
                              MatrixView<Scalar>* gradient) const;

 private:
  double evaluate_on(const Context& context, const Samples<Scalar>& batch,
                     ConstMatrixView<Scalar> packed, MatrixView<Scalar>* gradient) override;
  /// On the context's GPU, in float and if the images fit its memory.
  std::optional<double> evaluate_on_device(const Context& context, std::span<const Index> rows,
                                           ConstMatrixView<Scalar> packed,
                                           MatrixView<Scalar>* gradient) override;

  std::span<const ConvLayer<Scalar>> below_;
  ConvRbmOptions options_;
  MapMoments moments_;
  PlacedTwin<device::ConvTwin> twin_;
};

}  // namespace krica
