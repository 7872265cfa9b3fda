// SPDX-License-Identifier: BSD-3-Clause
#include "joint/objective.hpp"

#include <cmath>
#include <vector>

#include "features/patch_source.hpp"
#include "features/pool_power.hpp"
#include "krica/objectives/krica.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/ranks.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";

bool learned_as_logarithms(const EncoderOptions& encoder) {
  return encoder.kind == EncoderKind::kKernel;
}

KricaOptions krica_options(const JointObjectiveOptions& options, Index K) {
  KricaOptions krica;
  krica.n_components = K;
  krica.kernel = options.encoder.kernel;
  krica.sparsity = options.sparsity;
  krica.epsilon = options.epsilon;
  krica.block_rows = kReconstructedAtOnce;
  return krica;
}

/// bias_c = Σ_I E_Ic, in double.
template <class Scalar>
void sum_rows(const Matrix<Scalar>& E, Matrix<Scalar>& sums) {
  for (Index c = 0; c < E.cols(); ++c) {
    std::vector<double> column(static_cast<std::size_t>(E.rows()));
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] = static_cast<double>(E(static_cast<Index>(i), c));
    sums(0, c) = static_cast<Scalar>(tree_sum(std::move(column)));
  }
}

}  // namespace

template <class Scalar>
JointParameters<Scalar> JointParameters<Scalar>::zeros() const {
  const auto same = [](const Matrix<Scalar>& m) { return Matrix<Scalar>(m.rows(), m.cols()); };
  return {same(W), same(shapes), same(T), same(bias)};
}

template <class Scalar>
std::vector<Scalar> encoder_shapes(const EncoderOptions& encoder, const Matrix<Scalar>& learned) {
  std::vector<Scalar> shapes(learned.data(), learned.data() + learned.size());
  if (!learned_as_logarithms(encoder)) return shapes;
  for (Scalar& shape : shapes) shape = static_cast<Scalar>(std::exp(static_cast<double>(shape)));
  return shapes;
}

template <class Scalar>
Matrix<Scalar> learned_shapes(const EncoderOptions& encoder, std::span<const Scalar> shapes) {
  Matrix<Scalar> learned(1, static_cast<Index>(shapes.size()));
  for (std::size_t u = 0; u < shapes.size(); ++u) {
    const auto shape = static_cast<double>(shapes[u]);
    learned(0, static_cast<Index>(u)) =
        static_cast<Scalar>(learned_as_logarithms(encoder) ? std::log(shape) : shape);
  }
  return learned;
}

void JointObjectiveOptions::validate() const {
  encoder.validate();
  require(has_derivative(encoder.kind), kName,
          "{} codes have no derivative and cannot be learned; use kernel, soft-threshold, "
          "triangle, abs, linear, soft-abs or sigmoid",
          name_of(encoder.kind));
  require(std::isfinite(reconstruction) && reconstruction >= 0, kName,
          "reconstruction must be finite and >= 0, got {}", reconstruction);
  require(reconstruction == 0 || encoder.kind == EncoderKind::kKernel, kName,
          "reconstruction requires kernel codes; it must be 0 with the {} encoder, got {}",
          name_of(encoder.kind), reconstruction);
}

void require_derivative(const PoolingOptions& pooling) {
  require(pooling.function != PoolFunction::kMax, kName,
          "max-margin training does not support max pooling; use pool-function sum or mean, or "
          "another method such as omp-1");
}

template <class Scalar>
struct JointObjective<Scalar>::Implementation {
  JointObjectiveOptions options;
  const PatchSource& source;
  ConstMatrixView<Scalar> patches;
  Matrix<Scalar> Z;             // pooled codes; later standardised
  Matrix<Scalar> Q;             // ∂L/∂Z
  Matrix<Scalar> power_slopes;  // φ'
  Matrix<Scalar> E;             // scores; later ∂L/∂scores
  std::unique_ptr<KricaObjective<Scalar>> krica_on_device;

  [[nodiscard]] bool raised() const { return source.power() != 1; }

  void check(const JointParameters<Scalar>& at) const {
    const Index K = at.W.rows();
    const Index channels = channels_of(options.encoder, K);
    const Index cells = source.grid().cells();
    require(at.T.cols() == cells * channels && at.T.rows() >= 2 && at.bias.cols() == at.T.rows(),
            kName, "a classifier of {} x {} and {} biases for {} cells of {} channels", at.T.rows(),
            at.T.cols(), at.bias.cols(), cells, channels);
    require(at.shapes.size() == 0 || (has_shapes(options.encoder) && at.shapes.cols() == K), kName,
            "{} shapes for {} atoms of the {} encoder", at.shapes.cols(), K,
            name_of(options.encoder.kind));
  }

  static void fit(Matrix<Scalar>& matrix, Index rows, Index cols) {
    if (matrix.rows() != rows || matrix.cols() != cols) matrix = Matrix<Scalar>(rows, cols);
  }

  /// Z: pooled codes, raised to the power, of all images; φ' of the rank's own as well on request.
  void pool(const Context& context, ConstMatrixView<float> images, const CodedAtoms<Scalar>& atoms,
            bool with_slopes) {
    const Index F = source.grid().cells() * atoms.channels();
    fit(Z, images.rows(), F);
    pool_codes<Scalar>(context, source, images, atoms, Z);
    if (raised()) {
      if (with_slopes) fit(power_slopes, images.rows(), F);
      for_own_images(context, Z.rows(), [&](Index i) {
        raise_to_power<Scalar>(source.power(), Z.row(i),
                               with_slopes ? power_slopes.row(i) : nullptr, F);
      });
    }
    gather_part_rows<Scalar>(context, Z, image_parts(Z.rows()));
  }

  template <class Body>
  static void for_own_images(const Context& context, Index images, Body body) {
    const Range own = own_images(context, images);
    parallel_for(context, own.size(), [&](Index place) { body(own.begin + place); });
  }

  /// E = Z Tᵀ + bias.
  void score(const Context& context, const JointParameters<Scalar>& at) {
    fit(E, Z.rows(), at.T.rows());
    blas::gemm<Scalar>(context, blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), Z, at.T,
                       Scalar(0), E);
    for (Index i = 0; i < E.rows(); ++i) {
      for (Index c = 0; c < E.cols(); ++c) E(i, c) += at.bias(0, c);
    }
  }

  double forward(const Context& context, const JointBatch& batch, const JointParameters<Scalar>& at,
                 const CodedAtoms<Scalar>& atoms, bool with_slopes, BatchMoments& moments) {
    check(at);
    pool(context, batch.images, atoms, with_slopes);
    const Context everywhere = context.with_all_rows();
    moments = standardise_batch<Scalar>(everywhere, Z);
    score(everywhere, at);
    return loss_and_derivative<Scalar>(options.loss, batch.labels, E);
  }

  /// From E = ∂L/∂scores, using everything that forward() computed.
  void backward(const Context& context, const JointBatch& batch, const JointParameters<Scalar>& at,
                const CodedAtoms<Scalar>& atoms, const BatchMoments& moments,
                JointParameters<Scalar>& gradient) {
    const Context everywhere = context.with_all_rows();
    blas::gemm<Scalar>(everywhere, blas::Op::kTransposed, blas::Op::kPlain, Scalar(1), E, Z,
                       Scalar(0), gradient.T);
    sum_rows(E, gradient.bias);
    fit(Q, Z.rows(), Z.cols());
    blas::gemm<Scalar>(everywhere, blas::Op::kPlain, blas::Op::kPlain, Scalar(1), E, at.T,
                       Scalar(0), Q);
    standardise_batch_backward<Scalar>(everywhere, moments, Z, Q);
    if (raised()) {
      for_own_images(context, Q.rows(), [&](Index i) {
        Scalar* row = Q.row(i);
        const Scalar* slopes = power_slopes.row(i);
        for (Index j = 0; j < Q.cols(); ++j) row[j] *= slopes[j];
      });
    }
    pool_codes_backward<Scalar>(
        context, source, batch.images, atoms, Q, gradient.W,
        {gradient.shapes.data(), static_cast<std::size_t>(gradient.shapes.size())});
  }

  /// ρ f(W); adds its gradient on request.
  double reconstruction(const Context& context, const JointBatch& batch,
                        const JointParameters<Scalar>& at, Matrix<Scalar>* gradient) {
    if (options.reconstruction == 0) return 0;
    const Context everywhere = context.with_all_rows();
    // Allocated for every step, in place of the features: holding both would take too much memory.
    // One on a device stays, as its samples do.
    Z = Q = power_slopes = Matrix<Scalar>();
    std::unique_ptr<KricaObjective<Scalar>> of_this_step;
    auto& krica = context.cuda_device() ? krica_on_device : of_this_step;
    if (!krica) {
      krica =
          std::make_unique<KricaObjective<Scalar>>(patches, krica_options(options, at.W.rows()));
    }
    if (gradient == nullptr)
      return options.reconstruction * krica->value_on(everywhere, batch.reconstructed, at.W);
    Matrix<Scalar> own(at.W.rows(), at.W.cols());
    const double value = krica->value_and_gradient_on(everywhere, batch.reconstructed, at.W, own);
    const auto rho = static_cast<Scalar>(options.reconstruction);
    for (Index e = 0; e < own.size(); ++e) gradient->data()[e] += rho * own.data()[e];
    return options.reconstruction * value;
  }
};

template <class Scalar>
JointObjective<Scalar>::JointObjective(const JointObjectiveOptions& options,
                                       const PatchSource& source, ConstMatrixView<Scalar> patches) {
  options.validate();
  require_derivative({.function = source.grid().function()});
  require(options.reconstruction == 0 || patches.rows() >= 2, kName,
          "a reconstruction term needs patches, got {}", patches.rows());
  implementation_ = std::unique_ptr<Implementation>(
      new Implementation{options, source, patches, {}, {}, {}, {}, {}});
}

template <class Scalar>
JointObjective<Scalar>::~JointObjective() = default;

template <class Scalar>
double JointObjective<Scalar>::value_and_gradient(const Context& context, const JointBatch& batch,
                                                  const JointParameters<Scalar>& at,
                                                  JointParameters<Scalar>& gradient,
                                                  BatchMoments& moments) {
  Implementation& self = *implementation_;
  const std::vector<Scalar> shapes = encoder_shapes(self.options.encoder, at.shapes);
  const CodedAtoms<Scalar> atoms{self.options.encoder, at.W, shapes};
  double value = self.forward(context, batch, at, atoms, true, moments);
  self.backward(context, batch, at, atoms, moments, gradient);
  value += self.reconstruction(context, batch, at, &gradient.W);
  return value;
}

template <class Scalar>
double JointObjective<Scalar>::value(const Context& context, const JointBatch& batch,
                                     const JointParameters<Scalar>& at) {
  Implementation& self = *implementation_;
  const std::vector<Scalar> shapes = encoder_shapes(self.options.encoder, at.shapes);
  BatchMoments moments;
  const double loss =
      self.forward(context, batch, at, {self.options.encoder, at.W, shapes}, false, moments);
  return loss + self.reconstruction(context, batch, at, nullptr);
}

template <class Scalar>
const Matrix<Scalar>& JointObjective<Scalar>::features(const Context& context,
                                                       ConstMatrixView<float> images,
                                                       const JointParameters<Scalar>& at) {
  Implementation& self = *implementation_;
  self.check(at);
  const std::vector<Scalar> shapes = encoder_shapes(self.options.encoder, at.shapes);
  self.pool(context, images, {self.options.encoder, at.W, shapes}, false);
  return self.Z;
}

template <class Scalar>
Matrix<Scalar> JointObjective<Scalar>::scores(const Context& context, ConstMatrixView<float> images,
                                              const JointParameters<Scalar>& at,
                                              const BatchMoments& moments) {
  Implementation& self = *implementation_;
  features(context, images, at);
  const Context everywhere = context.with_all_rows();
  standardise_with<Scalar>(everywhere, moments, self.Z);
  self.score(everywhere, at);
  return self.E;
}

template std::vector<float> encoder_shapes(const EncoderOptions&, const Matrix<float>&);
template std::vector<double> encoder_shapes(const EncoderOptions&, const Matrix<double>&);
template Matrix<float> learned_shapes(const EncoderOptions&, std::span<const float>);
template Matrix<double> learned_shapes(const EncoderOptions&, std::span<const double>);
template struct JointParameters<float>;
template struct JointParameters<double>;
template class JointObjective<float>;
template class JointObjective<double>;

}  // namespace krica
