// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/device_twin.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "objectives/contrast.hpp"

namespace krica {
namespace {

device::SparseMatrix sparse(const AtomGroups& groups, Index K) {
  if (groups.kind == AtomGrouping::kNone) return {};
  const Matrix<double> H = group_matrix(groups, K);
  device::SparseMatrix result = {.offsets = {0}};
  for (Index j = 0; j < K; ++j) {
    for (Index u = 0; u < K; ++u) {
      if (H(j, u) == 0) continue;
      result.columns.push_back(static_cast<int>(u));
      result.values.push_back(static_cast<float>(H(j, u)));
    }
    result.offsets.push_back(static_cast<int>(result.columns.size()));
  }
  return result;
}

/// α d(s) as in krica/objectives/terms.hpp.
device::ClassSpec class_spec(const Discrimination& options, Index K, std::span<const int> labels) {
  if (!(options.weight > 0)) return {};
  const int n_classes = count_classes(labels, std::ssize(labels));
  device::ClassSpec spec = {.atom_class = atom_classes(options, K, n_classes),
                            .homogeneous = options.homogeneous};
  const double elastic = elastic_weight(options, spec.atom_class, n_classes);
  const bool sum = options.reading == DiscriminationReading::kSum;
  const double drawn = !sum && options.homogeneous ? 1 : 0;
  const double pushed = sum ? 0 : 1;
  spec.own = static_cast<float>(options.weight * (elastic - drawn));
  spec.other = static_cast<float>(options.weight * (elastic + pushed));
  spec.sums = sum ? static_cast<float>(options.weight) : 0.0F;
  return spec;
}

device::Mercer mercer(const Kernel& kernel) {
  using device::MercerKind;
  const auto kind = [&] {
    switch (kernel.kind) {
      case KernelKind::kGaussian:
        return MercerKind::kGaussian;
      case KernelKind::kInverseSquareDistance:
        return MercerKind::kInverseSquareDistance;
      case KernelKind::kInverseDistance:
        return MercerKind::kInverseDistance;
      case KernelKind::kLinear:
        return MercerKind::kLinear;
      default:
        return MercerKind::kPolynomial;
    }
  };
  return {kind(), static_cast<float>(kernel.gamma), static_cast<float>(kernel.scale),
          kernel.degree};
}

device::ContrastKind contrast_kind(Contrast contrast) {
  if (contrast == Contrast::kExp) return device::ContrastKind::kExp;
  return contrast == Contrast::kLogCosh || contrast == Contrast::kMatlabLogCosh
             ? device::ContrastKind::kLogCosh
             : device::ContrastKind::kRoot;
}

}  // namespace

bool device_supports(const Kernel& kernel) {
  return kernel.kind != KernelKind::kHistogramIntersection &&
         (kernel.kind != KernelKind::kPolynomial || kernel.degree % 2 == 1);
}

device::KricaTwinOptions twin_options(const KricaOptions& options, std::span<const int> labels,
                                      device::TwinOptions common) {
  const Index K = options.n_components;
  common.atoms = static_cast<int>(K);
  common.block_rows = options.block_rows;
  common.contrast = {.weight = static_cast<float>(options.sparsity),
                     .epsilon = static_cast<float>(options.epsilon)};
  if (options.sparsity > 0) common.contrast.groups = sparse(options.groups, K);
  common.classes = class_spec(options.discrimination, K, labels);
  return {std::move(common), mercer(options.kernel), static_cast<float>(options.reconstruction)};
}

device::RicaTwinOptions twin_options(const RicaOptions& options, std::span<const int> labels,
                                     device::TwinOptions common) {
  const Index K = options.n_components;
  const double weight = contrast_weight(options);
  common.atoms = static_cast<int>(K);
  common.block_rows = options.block_rows;
  common.contrast = {.kind = contrast_kind(options.contrast),
                     .weight = static_cast<float>(weight),
                     .epsilon = static_cast<float>(options.epsilon),
                     .beta = options.contrast == Contrast::kMatlabLogCosh ? 2.0F : 1.0F,
                     .signs = {options.sign.begin(), options.sign.end()}};
  if (options.contrast == Contrast::kL2Pooling && weight > 0)
    common.contrast.groups = sparse(options.groups, K);
  common.classes = class_spec(options.discrimination, K, labels);
  return {std::move(common), static_cast<float>(reconstruction_weight(options)),
          options.reduce == Reduce::kMean};
}

device::DeviceWork device_work(const KricaOptions& options, Index n) {
  const auto K = static_cast<double>(options.n_components);
  const auto values = static_cast<double>(n);
  return {.per_sample = K * (2.5 * K + 3 * values),
          .per_group = 6 * K * K * values + 8 * K * values * device::kPerByteMoved};
}

device::DeviceWork device_work(const RicaOptions& options, Index n) {
  const auto K = static_cast<double>(options.n_components);
  const auto values = static_cast<double>(n);
  return {.per_sample = K * (2 * values + 500),
          .per_group = 15 * K * values * values + 8 * K * values * device::kPerByteMoved};
}

template <class Scalar>
bool DeviceTwin<Scalar>::is_in(const Context& context, const Samples<Scalar>& samples,
                               const Make& make) {
  if constexpr (std::is_same_v<Scalar, float>) {
    const auto* twin = placed_.in(context, [&](device::Products products,
                                               std::size_t memory_bytes) {
      n_samples_ = samples.X.rows();
      return make({samples.X.data(), samples.X.rows(), static_cast<int>(samples.X.cols()),
                   samples.X.outerStride(), samples.labels},
                  {.products = products,
                   .memory_bytes = memory_bytes,
                   .parts = static_cast<int>(device::device_groups(n_samples_, work_).count())});
    });
    return twin != nullptr;
  }
  return false;
}

template <class Scalar>
double DeviceTwin<Scalar>::evaluate(const Context& context,
                                    std::optional<std::span<const Index>> rows,
                                    std::string_view operation, ConstMatrixView<Scalar> W,
                                    MatrixView<Scalar>* gradient, std::span<double> curvature) {
  if (rows) require_rows(*rows, n_samples_, operation);
  context.check_cancelled();
  const auto on = rows.value_or(std::span<const Index>());
  if constexpr (std::is_same_v<Scalar, float>) {
    const Matrix<float> atoms = Matrix<float>::copy_of(W);  // without gaps between the rows
    const Partition groups = device::device_groups(n_samples_, work_);
    if (!rows && groups.count() > 1) {
      return evaluate_in_groups(context, groups, sums_, gradient, curvature,
                                [&](Range part, float* to, float* curved) {
                                  return placed_.get()->evaluate_part(
                                      atoms.data(), {part.begin, part.size()}, to, curved);
                                });
    }
    if (gradient == nullptr) return placed_.get()->evaluate(atoms.data(), on, nullptr);
    Matrix<float> result(W.rows(), W.cols());
    std::vector<float> curved(curvature.size());
    const double value = placed_.get()->evaluate(atoms.data(), on, result.data(),
                                                 curved.empty() ? nullptr : curved.data());
    *gradient = result.view();
    std::copy(curved.begin(), curved.end(), curvature.begin());
    return value;
  }
  return 0;
}

template class DeviceTwin<float>;
template class DeviceTwin<double>;

}  // namespace krica
