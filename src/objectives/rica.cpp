// SPDX-License-Identifier: BSD-3-Clause
#include "krica/objectives/rica.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "krica/kernels/kernel.hpp"
#include "objectives/basis_condition.hpp"
#include "objectives/contrast.hpp"
#include "objectives/device_twin.hpp"
#include "objectives/discrimination_term.hpp"
#include "objectives/group_sums.hpp"
#include "objectives/row_normalisation.hpp"
#include "objectives/samples.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

using blas::Op;

/// Σ_i ‖VᵀV x_i - x_i‖² = tr(E C E) with E = VᵀV - I and C = XᵀX, in double;
/// its gradient is 2V(EC + CE).
class Reconstruction {
 public:
  template <class Scalar>
  Reconstruction(const Context& context, ConstMatrixView<Scalar> X) : C_(X.cols(), X.cols()) {
    blas::gram_of_columns<Scalar>(context, X, C_);
  }

  /// Overwrites the gradient (K×n) if it is wanted.
  template <class Scalar>
  double value(const Context& context, ConstMatrixView<Scalar> V, Matrix<double>* gradient) const {
    const Index n = V.cols();
    const Matrix<double> V_double = Matrix<double>::copy_of(V.template cast<double>());
    Matrix<double> E(n, n);
    blas::gemm<double>(context, Op::kTransposed, Op::kPlain, 1.0, V_double, V_double, 0.0, E);
    for (Index j = 0; j < n; ++j) E(j, j) -= 1;
    Matrix<double> EC(n, n);
    blas::gemm<double>(context, Op::kPlain, Op::kPlain, 1.0, E, C_, 0.0, EC);
    const double value = ordered_dot(E.data(), EC.data(), E.size());
    if (gradient == nullptr) return value;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) E(i, j) = 2 * (EC(i, j) + EC(j, i));
    }
    blas::gemm<double>(context, Op::kPlain, Op::kPlain, 1.0, V_double, E, 0.0, *gradient);
    return value;
  }

 private:
  Matrix<double> C_;
};

struct Weights {
  double reconstruction;
  double contrast;
  double scale;  // of the sums: 1/m or 1
};

Weights weights_of(const RicaOptions& options, Index m) {
  return {reconstruction_weight(options), contrast_weight(options),
          options.reduce == Reduce::kMean ? 1.0 / static_cast<double>(m) : 1.0};
}

}  // namespace

template <class Scalar>
struct RicaObjective<Scalar>::Implementation {
  RicaOptions options;
  std::vector<int> labels;
  Samples<Scalar> samples;
  ContrastTerm contrast;
  DiscriminationTerm discrimination;
  std::optional<Reconstruction> full_reconstruction;  // computed at the first full evaluation
  Matrix<Scalar> codes;           // of one block; replaced by the weights ∂f/∂s
  AtomProducts<Scalar> products;  // of these with the samples
  DeviceTwin<Scalar> twin;

  Implementation(ConstMatrixView<Scalar> X, RicaOptions opts, std::span<const int> given_labels)
      : options(std::move(opts)),
        labels(given_labels.begin(), given_labels.end()),
        samples{X, labels},
        contrast(options),
        discrimination(options.discrimination, options.n_components, labels, X.rows()),
        twin(device_work(options, X.cols())) {}

  double evaluate(const Context& context, std::optional<std::span<const Index>> rows,
                  ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) {
    require_basis<Scalar>(W, gradient, options.n_components, samples.X.cols(), "rica");
    const auto make = [&](const device::TwinSamples& on_host, device::TwinOptions common) {
      return device::make_rica_twin(on_host, twin_options(options, labels, std::move(common)));
    };
    if (twin.is_in(context, samples, make)) return evaluate_on_twin(context, rows, W, gradient);
    return on_samples(samples, rows, "rica", [&](const Samples<Scalar>& on) {
      return evaluate(context, on, W, gradient);
    });
  }

  /// The twin evaluates f in V.
  double evaluate_on_twin(const Context& context, std::optional<std::span<const Index>> rows,
                          ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) {
    const RowNormalisation<Scalar> normalised(options.row_norm, W);
    const double value = twin.evaluate(context, rows, "rica", normalised.V(), gradient);
    std::vector<double> row(static_cast<std::size_t>(W.cols()));
    for (Index p = 0; gradient != nullptr && p < W.rows(); ++p) {
      Scalar* gradient_row = gradient->data() + p * gradient->outerStride();
      std::copy_n(gradient_row, W.cols(), row.begin());
      normalised.pull_back(p, row.data(), gradient_row);
    }
    return value;
  }

  double evaluate(const Context& context, const Samples<Scalar>& on, ConstMatrixView<Scalar> W,
                  MatrixView<Scalar>* gradient) {
    if (!on.is_all()) return evaluate(context, on, Reconstruction(context, on.X), W, gradient);
    if (!full_reconstruction) full_reconstruction.emplace(context, samples.X);
    return evaluate(context, on, *full_reconstruction, W, gradient);
  }

  double evaluate(const Context& context, const Samples<Scalar>& on,
                  const Reconstruction& reconstruction, ConstMatrixView<Scalar> W,
                  MatrixView<Scalar>* gradient) {
    const Weights weights = weights_of(options, on.X.rows());
    const RowNormalisation<Scalar> rows(options.row_norm, W);
    Matrix<double> reconstruction_gradient(gradient != nullptr ? W.rows() : 0, W.cols());
    Matrix<Scalar> code_gradient(gradient != nullptr ? W.rows() : 0, W.cols());
    const double reconstruction_value = reconstruction.value<Scalar>(
        context, rows.V(), gradient != nullptr ? &reconstruction_gradient : nullptr);
    const double code_value = add_code_terms(context, on, weights.contrast, rows.V(),
                                             gradient != nullptr ? &code_gradient : nullptr);
    if (gradient != nullptr) {
      const Partition tiles(W.rows(), 64);
      parallel_for(context, tiles.count(), work_of(W.size(), 3 * kPerValue), [&](Index t) {
        for (Index p = tiles[t].begin; p < tiles[t].end; ++p) {
          for (Index j = 0; j < W.cols(); ++j) {
            reconstruction_gradient(p, j) =
                weights.scale * (weights.reconstruction * reconstruction_gradient(p, j) +
                                 static_cast<double>(code_gradient(p, j)));
          }
          rows.pull_back(p, reconstruction_gradient.row(p),
                         gradient->data() + p * gradient->outerStride());
        }
      });
    }
    return weights.scale * (weights.reconstruction * reconstruction_value + code_value);
  }

  /// weight·contrast + discrimination, summed over the samples; their gradient in V on request.
  double add_code_terms(const Context& context, const Samples<Scalar>& on, double weight,
                        ConstMatrixView<Scalar> V, Matrix<Scalar>* gradient) {
    const Context divided = sharing(context);
    const Partition blocks(on.X.rows(), block_rows_for<Scalar>(options.block_rows, V.rows()));
    if (codes.rows() < blocks.largest()) codes = Matrix<Scalar>(blocks.largest(), V.rows());
    const SampleGroups groups(on.X.rows(), blocks.largest(), V.rows());
    if (gradient != nullptr) products.start(divided, V.rows(), V.cols(), groups);
    GroupValues values(groups);
    agree(divided, [&] {
      for (Index b = 0; b < blocks.count(); ++b) {
        encode_block(divided, on, blocks[b], weight, V, gradient != nullptr, values);
        if (gradient == nullptr) continue;
        const ConstMatrixView<Scalar> A =
            ConstMatrixView<Scalar>(codes).rows_between(0, blocks[b].size());
        products.add(divided, A, on.X.rows_between(blocks[b].begin, blocks[b].end));
      }
    });
    if (gradient != nullptr) gradient->view() = products.total(divided);
    return values.total(divided);
  }

  void encode_block(const Context& context, const Samples<Scalar>& on, Range block, double weight,
                    ConstMatrixView<Scalar> V, bool with_gradient, GroupValues& values) {
    const Work work = work_of(block.size(), V.rows(), V.cols() + kPerExp + kPerValue);
    values.add_block(context, block.size(), work, [&](Range tile) {
      const MatrixView<Scalar> S = MatrixView<Scalar>(codes).rows_between(tile.begin, tile.end);
      blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1),
                         on.X.rows_between(block.begin + tile.begin, block.begin + tile.end), V,
                         Scalar(0), S);
      const auto K = static_cast<std::size_t>(V.rows());
      std::vector<Scalar> scratch(K);
      std::vector<Scalar> derivative(K);
      double value = 0;
      for (Index i = tile.begin; i < tile.end; ++i) {
        Scalar* s = codes.row(i);
        std::fill(derivative.begin(), derivative.end(), Scalar(0));
        Scalar* wanted = with_gradient ? derivative.data() : nullptr;
        if (weight > 0) value += weight * contrast.add<Scalar>(s, weight, scratch, wanted);
        if (discrimination.active())
          value += discrimination.add(s, on.label(block.begin + i), wanted);
        if (with_gradient) std::copy(derivative.begin(), derivative.end(), s);
      }
      return value;
    });
  }
};

namespace {

/// Checks made before any member is constructed, so that the first error is the one reported.
template <class Scalar>
ConstMatrixView<Scalar> checked(ConstMatrixView<Scalar> X, const RicaOptions& options) {
  require_samples(X, "rica");
  options.validate();
  return X;
}

}  // namespace

template <class Scalar>
RicaObjective<Scalar>::RicaObjective(ConstMatrixView<Scalar> X, RicaOptions options,
                                     std::span<const int> labels)
    : implementation_(
          std::make_unique<Implementation>(checked(X, options), std::move(options), labels)) {}

template <class Scalar>
RicaObjective<Scalar>::~RicaObjective() = default;

template <class Scalar>
Index RicaObjective<Scalar>::rows() const {
  return implementation_->options.n_components;
}
template <class Scalar>
Index RicaObjective<Scalar>::cols() const {
  return implementation_->samples.X.cols();
}
template <class Scalar>
Index RicaObjective<Scalar>::n_samples() const {
  return implementation_->samples.X.rows();
}
template <class Scalar>
const RicaOptions& RicaObjective<Scalar>::options() const {
  return implementation_->options;
}

template <class Scalar>
double RicaObjective<Scalar>::evaluate(const Context& context,
                                       std::optional<std::span<const Index>> samples,
                                       ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) {
  return implementation_->evaluate(context, samples, W, gradient);
}

template <class Scalar>
BasisCondition RicaObjective<Scalar>::condition(const Context& context, ConstMatrixView<Scalar> W) {
  require_basis_shape(W, rows(), cols(), "rica");
  const RowNormalisation<Scalar> rows(implementation_->options.row_norm, W);
  return basis_condition(context, {.kind = KernelKind::kLinear}, implementation_->samples.X,
                         rows.V());
}

template class RicaObjective<float>;
template class RicaObjective<double>;

}  // namespace krica
