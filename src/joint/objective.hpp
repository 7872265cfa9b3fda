// SPDX-License-Identifier: BSD-3-Clause
//
// Max-margin kRICA: basis and classifier learned together from whole images.
//
//   L(W, θ, T, β) = 1/N Σ_I loss(T ẑ_I + β, y_I) + ρ f(W)
//
// over a batch of N images: codes of every sub-patch, pooled (pooled_codes.hpp), raised to a power
// (pool_power.hpp), standardised by the batch's moments (batch_moments.hpp), scored; ẑ has F =
// cells·channels values. θ are the atoms' shapes: log γ of the Gaussian, thresholds, biases. f is
// kRICA's objective on patches, with the kernel's single γ. Weight decay is done by the optimiser
// and is not a term of L. docs/math.md, section 12.
//
// In contexts that share rows, a batch's images are divided among the ranks (own_images() in
// pooled_codes.hpp: only these need to be read); the features, which are small beside the work,
// then travel to all ranks, and everything else is computed by each. Results are the same on all.
//
// One evaluation holds Z, its derivative and 16 partial gradients of W in addition to its
// arguments; ρ > 0 adds kRICA's K × K matrices.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "features/feature_options.hpp"
#include "joint/batch_moments.hpp"
#include "joint/margin_loss.hpp"
#include "joint/pooled_codes.hpp"

namespace krica {

/// The learned parameters, or their gradient.
template <class Scalar>
struct JointParameters {
  Matrix<Scalar> W;       ///< K × n
  Matrix<Scalar> shapes;  ///< 1 × K; empty: the encoder's value for all atoms, not learned
  Matrix<Scalar> T;       ///< c × F
  Matrix<Scalar> bias;    ///< 1 × c

  /// Zeros of the same shape.
  [[nodiscard]] JointParameters zeros() const;
};

/// Patches of f that are encoded at a time: it limits the memory of a step.
inline constexpr Index kReconstructedAtOnce = 256;

struct JointObjectiveOptions {
  EncoderOptions encoder = {};  ///< must have a derivative (pooled_codes.hpp)
  MarginLoss loss = MarginLoss::kSquaredHinge;
  double reconstruction = 0;  ///< ρ >= 0; 0 unless codes are the kernel's
  double sparsity = 0.01;     ///< λ of f
  double epsilon = 1e-4;      ///< ε of f

  void validate() const;
};

/// Converts the atoms' shapes between the encoder's values and the learned ones: widths are learned
/// as logarithms, so that they stay positive, all others unchanged.
template <class Scalar>
std::vector<Scalar> encoder_shapes(const EncoderOptions& encoder, const Matrix<Scalar>& learned);
template <class Scalar>
Matrix<Scalar> learned_shapes(const EncoderOptions& encoder, std::span<const Scalar> shapes);

/// Throws InvalidArgument for pooling without a derivative: anything but sums and means.
void require_derivative(const PoolingOptions& pooling);

struct JointBatch {
  ConstMatrixView<float> images;              ///< one planar image per row
  std::span<const int> labels;                ///< one per image
  std::span<const Index> reconstructed = {};  ///< rows of f's patches, if ρ > 0
};

template <class Scalar>
class JointObjective {
 public:
  /// `source` extracts the images' patches; `patches` (rows of n values) are the samples of f,
  /// required only if ρ > 0. Both are kept by reference. Throws InvalidArgument for invalid
  /// options.
  JointObjective(const JointObjectiveOptions& options, const PatchSource& source,
                 ConstMatrixView<Scalar> patches = {nullptr, 0, 0});
  ~JointObjective();

  /// L on a batch; overwrites the gradient and the batch's moments. Throws InvalidArgument for
  /// fewer than two images and mismatched shapes, Cancelled when the context is cancelled.
  double value_and_gradient(const Context& context, const JointBatch& batch,
                            const JointParameters<Scalar>& at, JointParameters<Scalar>& gradient,
                            BatchMoments& moments);

  /// L alone.
  double value(const Context& context, const JointBatch& batch, const JointParameters<Scalar>& at);

  /// Pooled codes raised to the power, images × F, not yet standardised; valid until the next call.
  const Matrix<Scalar>& features(const Context& context, ConstMatrixView<float> images,
                                 const JointParameters<Scalar>& at);

  /// Scores, images × classes, with given moments.
  Matrix<Scalar> scores(const Context& context, ConstMatrixView<float> images,
                        const JointParameters<Scalar>& at, const BatchMoments& moments);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace krica
