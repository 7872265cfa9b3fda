// SPDX-License-Identifier: BSD-3-Clause
#include "krica/objectives/krica.hpp"

#include <cmath>
#include <utility>

#include "kernels/atom_set.hpp"
#include "objectives/basis_condition.hpp"
#include "objectives/device_twin.hpp"
#include "objectives/discrimination_term.hpp"
#include "objectives/group_weights.hpp"
#include "objectives/kernel_gradient.hpp"
#include "objectives/samples.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/sharing.hpp"

namespace krica {

void KricaOptions::validate() const {
  require(n_components > 0, "krica", "n_components must be > 0, got {}", n_components);
  require(std::isfinite(sparsity) && sparsity >= 0, "krica",
          "sparsity must be finite and >= 0, got {}", sparsity);
  require(std::isfinite(epsilon) && epsilon > 0, "krica", "epsilon must be finite and > 0, got {}",
          epsilon);
  require(std::isfinite(reconstruction) && reconstruction >= 0, "krica",
          "reconstruction must be finite and >= 0, got {}", reconstruction);
  require(block_rows >= 0, "krica", "block_rows must be >= 0, got {}", block_rows);
  kernel.validate();
  groups.validate(n_components);
  discrimination.validate();
}

namespace {

/// Memory of an evaluation, reused by the next: blocks of codes and K×K matrices.
template <class Scalar>
struct Workspace {
  Matrix<Scalar> G;         // κ(w_u, w_v)
  Matrix<Scalar> G_slopes;  // and its slopes
  Matrix<Scalar> S;         // codes of one block
  Matrix<Scalar> M;         // S G, then ∂f/∂S ∘ slopes
  Matrix<Scalar> slopes;
  KernelGradient<Scalar> gradient;

  void fit(Index K, Index rows, bool with_gradient) {
    fit_one(G, K, K);
    if (S.rows() < rows || S.cols() != K) {
      S = Matrix<Scalar>(rows, K);
      M = Matrix<Scalar>(rows, K);
      slopes = Matrix<Scalar>();
    }
    if (!with_gradient) return;
    if (slopes.size() == 0) slopes = Matrix<Scalar>(S.rows(), K);
    fit_one(G_slopes, K, K);
  }

 private:
  static void fit_one(Matrix<Scalar>& matrix, Index rows, Index cols) {
    if (matrix.rows() != rows || matrix.cols() != cols) matrix = Matrix<Scalar>(rows, cols);
  }
};

/// One evaluation of f, with its gradient on request. Sums over samples are unscaled until finish.
template <class Scalar>
class Evaluation {
 public:
  Evaluation(const Context& context, const KricaOptions& options, const GroupWeights& groups,
             const DiscriminationTerm& discrimination, ConstMatrixView<Scalar> W,
             Workspace<Scalar>& workspace)
      : context_(sharing(context)),
        options_(options),
        groups_(groups),
        discrimination_(discrimination),
        W_(W),
        atoms_(options.kernel, W),
        work_(workspace) {}

  double run(const Samples<Scalar>& samples, MatrixView<Scalar>* gradient,
             std::span<double> curvature) {
    with_gradient_ = gradient != nullptr;
    const Partition blocks(samples.X.rows(),
                           block_rows_for<Scalar>(options_.block_rows, W_.rows()));
    work_.fit(W_.rows(), blocks.largest(), with_gradient_);
    const SampleGroups sample_groups(samples.X.rows(), blocks.largest(), W_.rows());
    if (with_gradient_) work_.gradient.start(context_, W_.rows(), W_.cols(), sample_groups);
    GroupValues values(sample_groups);
    agree(context_, [&] {
      evaluate_atoms();
      for (Index b = 0; b < blocks.count(); ++b) add_block(part(samples, blocks[b]), values);
    });
    const double scale = 1.0 / static_cast<double>(samples.X.rows());
    if (with_gradient_) {
      work_.gradient.finish(context_, atoms_, W_, work_.G_slopes, options_.reconstruction, scale,
                            *gradient, curvature);
    }
    return values.total(context_) * scale;
  }

 private:
  static Samples<Scalar> part(const Samples<Scalar>& samples, Range range) {
    return {samples.X.rows_between(range.begin, range.end),
            samples.labels.empty()
                ? samples.labels
                : samples.labels.subspan(static_cast<std::size_t>(range.begin),
                                         static_cast<std::size_t>(range.size()))};
  }

  void add_block(const Samples<Scalar>& block, GroupValues& values) {
    encode_block(block, values);
    if (!with_gradient_) return;
    const Index rows = block.X.rows();
    work_.gradient.add_code_products(context_,
                                     ConstMatrixView<Scalar>(work_.S).rows_between(0, rows));
    work_.gradient.add(context_, atoms_, ConstMatrixView<Scalar>(work_.M).rows_between(0, rows),
                       block.X);
  }

  void evaluate_atoms() {
    MatrixView<Scalar> slopes(work_.G_slopes);
    atoms_.evaluate_self(context_, work_.G, with_gradient_ ? &slopes : nullptr);
  }

  /// Codes S, then M = ∂f/∂S ∘ slopes (times m) of one block, and the sum of f.
  void encode_block(const Samples<Scalar>& block, GroupValues& values) {
    const Work work =
        work_of(block.X.rows(), W_.rows(), W_.rows() + W_.cols() + kPerExp + 2 * kPerValue);
    values.add_block(context_, block.X.rows(), work, [&](Range tile) {
      const MatrixView<Scalar> S = MatrixView<Scalar>(work_.S).rows_between(tile.begin, tile.end);
      const MatrixView<Scalar> M = MatrixView<Scalar>(work_.M).rows_between(tile.begin, tile.end);
      MatrixView<Scalar> slopes =
          MatrixView<Scalar>(work_.slopes).rows_between(tile.begin, tile.end);
      atoms_.evaluate(block.X.rows_between(tile.begin, tile.end), S,
                      with_gradient_ ? &slopes : nullptr);
      blas::gemm<Scalar>(blas::Op::kPlain, blas::Op::kPlain, Scalar(1), S, work_.G, Scalar(0), M);
      std::vector<Scalar> scratch(static_cast<std::size_t>(W_.rows()));
      double value = 0;
      for (Index i = tile.begin; i < tile.end; ++i) value += encode_row(block, i, scratch);
      return value;
    });
  }

  /// f of one sample. On entry row i of M holds s G; on return ∂f/∂s ∘ slopes.
  double encode_row(const Samples<Scalar>& block, Index i, std::span<Scalar> scratch) {
    const Index K = W_.rows();
    const Scalar* s = work_.S.row(i);
    Scalar* A = work_.M.row(i);
    const Scalar* x = block.X.data() + i * block.X.outerStride();
    const auto rho = static_cast<Scalar>(options_.reconstruction);
    const double self = self_kernel(options_.kernel, x, W_.cols());
    double value =
        options_.reconstruction *
        (self + ordered_dot(s, static_cast<const Scalar*>(A), K) - 2 * ordered_dot(s, s, K));
    for (Index u = 0; u < K; ++u) A[u] = rho * (Scalar(2) * A[u] - Scalar(4) * s[u]);
    Scalar* derivative = with_gradient_ ? A : nullptr;
    if (options_.sparsity > 0) {
      value += options_.sparsity *
               groups_.add(s, options_.epsilon, options_.sparsity, {}, scratch, derivative);
    }
    if (discrimination_.active()) value += discrimination_.add(s, block.label(i), derivative);
    if (with_gradient_) {
      const Scalar* slopes = work_.slopes.row(i);
      for (Index u = 0; u < K; ++u) A[u] *= slopes[u];
    }
    return value;
  }

  Context context_;
  const KricaOptions& options_;
  const GroupWeights& groups_;
  const DiscriminationTerm& discrimination_;
  ConstMatrixView<Scalar> W_;
  AtomSet<Scalar> atoms_;
  Workspace<Scalar>& work_;
  bool with_gradient_ = false;
};

}  // namespace

template <class Scalar>
struct KricaObjective<Scalar>::Implementation {
  KricaOptions options;
  std::vector<int> labels;
  Samples<Scalar> samples;
  GroupWeights groups;
  DiscriminationTerm discrimination;
  Workspace<Scalar> workspace;
  DeviceTwin<Scalar> twin;

  Implementation(ConstMatrixView<Scalar> X, KricaOptions opts, std::span<const int> given_labels)
      : options(std::move(opts)),
        labels(given_labels.begin(), given_labels.end()),
        samples{X, labels},
        groups(options.groups, options.n_components),
        discrimination(options.discrimination, options.n_components, labels, X.rows()),
        twin(device_work(options, X.cols())) {}

  double evaluate(const Context& context, std::optional<std::span<const Index>> rows,
                  ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient,
                  std::span<double> curvature = {}) {
    require_basis<Scalar>(W, gradient, options.n_components, samples.X.cols(), "krica");
    const auto make = [&](const device::TwinSamples& on_host, device::TwinOptions common) {
      return device::make_krica_twin(on_host, twin_options(options, labels, std::move(common)));
    };
    if (device_supports(options.kernel) && twin.is_in(context, samples, make))
      return twin.evaluate(context, rows, "krica", W, gradient, curvature);
    return on_samples(samples, rows, "krica", [&](const Samples<Scalar>& on) {
      return Evaluation<Scalar>(context, options, groups, discrimination, W, workspace)
          .run(on, gradient, curvature);
    });
  }
};

namespace {

/// Checks made before any member is constructed, so that the first error is the one reported.
template <class Scalar>
ConstMatrixView<Scalar> checked(ConstMatrixView<Scalar> X, const KricaOptions& options) {
  require_samples(X, "krica");
  options.validate();
  return X;
}

}  // namespace

template <class Scalar>
KricaObjective<Scalar>::KricaObjective(ConstMatrixView<Scalar> X, KricaOptions options,
                                       std::span<const int> labels)
    : implementation_(
          std::make_unique<Implementation>(checked(X, options), std::move(options), labels)) {}

template <class Scalar>
KricaObjective<Scalar>::~KricaObjective() = default;

template <class Scalar>
Index KricaObjective<Scalar>::rows() const {
  return implementation_->options.n_components;
}
template <class Scalar>
Index KricaObjective<Scalar>::cols() const {
  return implementation_->samples.X.cols();
}
template <class Scalar>
Index KricaObjective<Scalar>::n_samples() const {
  return implementation_->samples.X.rows();
}
template <class Scalar>
const KricaOptions& KricaObjective<Scalar>::options() const {
  return implementation_->options;
}

template <class Scalar>
double KricaObjective<Scalar>::evaluate(const Context& context,
                                        std::optional<std::span<const Index>> samples,
                                        ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) {
  return implementation_->evaluate(context, samples, W, gradient);
}
template <class Scalar>
double KricaObjective<Scalar>::value_gradient_and_curvature(const Context& context,
                                                            ConstMatrixView<Scalar> W,
                                                            MatrixView<Scalar> gradient,
                                                            std::span<double> curvature) {
  const Kernel& kernel = implementation_->options.kernel;
  require(family_of(kernel.kind) == KernelFamily::kDistance, "fixed_point",
          "the {} kernel has no fixed-point form; use a distance kernel or another solver",
          name_of(kernel.kind));
  require(static_cast<Index>(curvature.size()) == rows(), "fixed_point",
          "{} curvatures for {} rows", curvature.size(), rows());
  return implementation_->evaluate(context, std::nullopt, W, &gradient, curvature);
}

template <class Scalar>
BasisCondition KricaObjective<Scalar>::condition(const Context& context,
                                                 ConstMatrixView<Scalar> W) {
  require_basis_shape(W, rows(), cols(), "krica");
  return basis_condition(context, implementation_->options.kernel, implementation_->samples.X, W);
}

template class KricaObjective<float>;
template class KricaObjective<double>;

}  // namespace krica
