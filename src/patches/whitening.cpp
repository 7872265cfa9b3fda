// SPDX-License-Identifier: BSD-3-Clause
#include "krica/patches/whitening.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/column_moments.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/lapack.hpp"
#include "runtime/names.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "whitening";
constexpr double kNoVariance = 1e-7;  // fraction of the largest eigenvalue
// Features may have different units, so only rounding error counts as no variance.
constexpr double kNoFeatureVariance = 1e-14;
constexpr Index kTileRows = 256;

constexpr NameTable<WhiteningKind, 4> kKinds = {{{WhiteningKind::kNone, "none"},
                                                 {WhiteningKind::kZca, "zca"},
                                                 {WhiteningKind::kPca, "pca"},
                                                 {WhiteningKind::kStandardise, "standardise"}}};

Matrix<double> covariance(const Context& context, ConstMatrixView<float> X,
                          const std::vector<double>& mean) {
  const Index n = X.cols();
  const auto m = static_cast<double>(X.rows());
  Matrix<double> C(n, n);
  blas::gram_of_columns<float>(context, X, C);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double product = mean[static_cast<std::size_t>(i)] * mean[static_cast<std::size_t>(j)];
      C(i, j) = (C(i, j) - m * product) / (m - 1);
    }
  }
  return C;
}

double mean_variance(const Matrix<double>& covariance) {
  double trace = 0;
  for (Index j = 0; j < covariance.rows(); ++j) trace += covariance(j, j);
  return trace / static_cast<double>(covariance.rows());
}

/// Over the features that vary. Features may have different units, so the largest must not
/// dominate.
double median_variance(const Matrix<double>& covariance) {
  std::vector<double> variances;
  for (Index j = 0; j < covariance.rows(); ++j) {
    if (covariance(j, j) > 0) variances.push_back(covariance(j, j));
  }
  if (variances.empty()) return 0;
  const auto middle = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 2);
  std::nth_element(variances.begin(), middle, variances.end());
  return *middle;
}

/// The directions that contain data, in order of decreasing variance: indices into eigen.values.
std::vector<Index> kept_directions(const SymmetricEigen& eigen, Index wanted) {
  const double largest = eigen.values.back();
  require(largest > 0, kName, "the samples are all equal; there is nothing to whiten");
  std::vector<Index> kept;
  for (auto d = static_cast<Index>(eigen.values.size()) - 1; d >= 0; --d) {
    if (eigen.values[static_cast<std::size_t>(d)] < kNoVariance * largest) break;
    if (wanted > 0 && static_cast<Index>(kept.size()) == wanted) break;
    kept.push_back(d);
  }
  return kept;
}

/// Σ_d v_d f(λ_d) v_dᵀ over the kept directions.
template <class Function>
Matrix<float> spectral_map(const SymmetricEigen& eigen, const std::vector<Index>& kept,
                           Function function) {
  const Index n = eigen.vectors.cols();
  Matrix<double> scaled(static_cast<Index>(kept.size()), n);
  Matrix<double> plain(static_cast<Index>(kept.size()), n);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const double factor = function(eigen.values[static_cast<std::size_t>(kept[k])]);
    for (Index j = 0; j < n; ++j) {
      plain(static_cast<Index>(k), j) = eigen.vectors(kept[k], j);
      scaled(static_cast<Index>(k), j) = factor * eigen.vectors(kept[k], j);
    }
  }
  Matrix<double> product(n, n);
  blas::gemm<double>(blas::Op::kTransposed, blas::Op::kPlain, 1.0, scaled, plain, 0.0, product);
  return Matrix<float>::copy_of(product.view().cast<float>());
}

}  // namespace

std::string_view name_of(WhiteningKind kind) { return find_name(kKinds, kind); }
WhiteningKind whitening_kind(std::string_view name) {
  return find_value(kKinds, name, "whitening");
}

void WhiteningOptions::validate() const {
  require(std::isfinite(epsilon) && epsilon >= 0, kName, "epsilon must be finite and >= 0, got {}",
          epsilon);
  require(components >= 0, kName, "components must be >= 0, got {}", components);
}

Whitening Whitening::fit(const Context& context, ConstMatrixView<float> samples,
                         const WhiteningOptions& options) {
  options.validate();
  require_not_empty(samples, kName, "samples");
  // Patches that are divided among ranks were checked where they were normalised.
  if (!context.shares_rows()) require_finite(samples, kName, "samples");
  Whitening whitening;
  whitening.kind_ = options.kind;
  whitening.inputs_ = samples.cols();
  if (options.kind == WhiteningKind::kNone) return whitening;
  require(samples.rows() >= 2, kName, "at least 2 samples are needed, got {}", samples.rows());
  const std::vector<double> mean = column_moments(context, samples).mean();
  const Matrix<double> C = covariance(context, samples, mean);
  const bool standardise = options.kind == WhiteningKind::kStandardise;
  const double unit = standardise ? median_variance(C) : mean_variance(C);
  const double epsilon = options.epsilon * (options.relative ? unit : 1.0);
  if (standardise) {
    whitening.set_scales(C, epsilon);
    whitening.set_mean(mean);
    return whitening;
  }
  const SymmetricEigen eigen = symmetric_eigen(C);
  const bool zca = options.kind == WhiteningKind::kZca;
  const std::vector<Index> kept = kept_directions(eigen, zca ? 0 : options.components);
  const auto shrink = [&](double d) { return 1 / std::sqrt(d + epsilon); };
  if (zca) {
    whitening.transform_ = spectral_map(eigen, kept, shrink);
    whitening.inverse_ = spectral_map(eigen, kept, [&](double d) { return 1 / shrink(d); });
  } else {
    whitening.set_directions(eigen.values, eigen.vectors, kept, epsilon);
  }
  whitening.set_mean(mean);
  return whitening;
}

void Whitening::set_scales(const Matrix<double>& covariance, double epsilon) {
  double largest = 0;
  for (Index j = 0; j < inputs_; ++j) largest = std::max(largest, covariance(j, j));
  require(largest > 0, kName, "the samples are all equal; there is nothing to standardise");
  transform_ = Matrix<float>(inputs_, inputs_);
  inverse_ = Matrix<float>(inputs_, inputs_);
  for (Index j = 0; j < inputs_; ++j) {
    if (covariance(j, j) < kNoFeatureVariance * largest) continue;
    const double deviation = std::sqrt(covariance(j, j) + epsilon);
    transform_(j, j) = static_cast<float>(1 / deviation);
    inverse_(j, j) = static_cast<float>(deviation);
  }
}

void Whitening::set_directions(const std::vector<double>& values, const Matrix<double>& vectors,
                               const std::vector<Index>& kept, double epsilon) {
  const auto outputs = static_cast<Index>(kept.size());
  transform_ = Matrix<float>(inputs_, outputs);
  inverse_ = Matrix<float>(outputs, inputs_);
  for (Index k = 0; k < outputs; ++k) {
    const Index d = kept[static_cast<std::size_t>(k)];
    const double root = std::sqrt(values[static_cast<std::size_t>(d)] + epsilon);
    for (Index j = 0; j < inputs_; ++j) {
      transform_(j, k) = static_cast<float>(vectors(d, j) / root);
      inverse_(k, j) = static_cast<float>(vectors(d, j) * root);
    }
  }
}

void Whitening::set_mean(const std::vector<double>& mean) {
  mean_.assign(mean.begin(), mean.end());
  offset_.assign(static_cast<std::size_t>(outputs()), 0.0F);
  for (Index k = 0; k < outputs(); ++k) {
    double sum = 0;
    for (Index j = 0; j < inputs_; ++j)
      sum += mean[static_cast<std::size_t>(j)] * static_cast<double>(transform_(j, k));
    offset_[static_cast<std::size_t>(k)] = static_cast<float>(sum);
  }
}

void Whitening::apply(ConstMatrixView<float> samples, MatrixView<float> whitened) const {
  if (kind_ == WhiteningKind::kNone) {
    whitened = samples;
    return;
  }
  blas::gemm<float>(blas::Op::kPlain, blas::Op::kPlain, 1.0F, samples, transform_, 0.0F, whitened);
  for (Index i = 0; i < whitened.rows(); ++i) {
    float* row = whitened.data() + i * whitened.outerStride();
    for (Index k = 0; k < whitened.cols(); ++k) row[k] -= offset_[static_cast<std::size_t>(k)];
  }
}

Matrix<float> Whitening::apply(const Context& context, ConstMatrixView<float> samples) const {
  require(samples.cols() == inputs_, kName, "samples have {} columns, expected {}", samples.cols(),
          inputs_);
  Matrix<float> whitened(samples.rows(), outputs());
  const Partition tiles(samples.rows(), kTileRows);
  const Work work = work_of(samples.size(), outputs() + kPerValue);
  parallel_for(context, tiles.count(), work, [&](Index t) {
    const Range tile = tiles[t];
    apply(samples.rows_between(tile.begin, tile.end),
          MatrixView<float>(whitened).rows_between(tile.begin, tile.end));
  });
  return whitened;
}

Matrix<float> Whitening::unwhiten(ConstMatrixView<float> atoms) const {
  require(atoms.cols() == outputs(), kName, "atoms have {} columns, whitening gives {}",
          atoms.cols(), outputs());
  if (kind_ == WhiteningKind::kNone) return Matrix<float>::copy_of(atoms);
  Matrix<float> images(atoms.rows(), inputs_);
  blas::gemm<float>(blas::Op::kPlain, blas::Op::kPlain, 1.0F, atoms, inverse_, 0.0F, images);
  return images;
}

Matrix<float> Whitening::filters(ConstMatrixView<float> atoms) const {
  require(atoms.cols() == outputs(), kName, "atoms have {} columns, whitening gives {}",
          atoms.cols(), outputs());
  if (kind_ == WhiteningKind::kNone) return Matrix<float>::copy_of(atoms);
  Matrix<float> result(atoms.rows(), inputs_);
  blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F, atoms, transform_, 0.0F, result);
  return result;
}

std::vector<float> Whitening::mean() const {
  return kind_ == WhiteningKind::kNone ? std::vector<float>(static_cast<std::size_t>(inputs_))
                                       : mean_;
}

void Whitening::save(Archive& archive) const {
  archive.put_text("whitening", std::string(name_of(kind_)));
  archive.put_scalar<std::int64_t>("whitening.inputs", inputs_);
  if (kind_ == WhiteningKind::kNone) return;
  archive.put("whitening.transform", transform_);
  archive.put("whitening.inverse", inverse_);
  archive.put_vector<float>("whitening.offset", offset_);
  archive.put_vector<float>("whitening.mean", mean_);
}

Whitening Whitening::load(const Archive& archive) {
  Whitening whitening;
  whitening.kind_ = whitening_kind(archive.text("whitening"));
  whitening.inputs_ = archive.scalar<std::int64_t>("whitening.inputs");
  if (whitening.inputs_ < 1)
    throw DataError(fmt::format("[whitening] a patch cannot have {} values", whitening.inputs_));
  if (whitening.kind_ == WhiteningKind::kNone) return whitening;
  whitening.transform_ = finite_matrix<float>(archive, "whitening.transform");
  whitening.inverse_ = finite_matrix<float>(archive, "whitening.inverse");
  whitening.offset_ = finite_vector<float>(archive, "whitening.offset");
  whitening.mean_ = finite_vector<float>(archive, "whitening.mean");
  const Index outputs = whitening.transform_.cols();
  if (whitening.transform_.rows() != whitening.inputs_ || whitening.inverse_.rows() != outputs ||
      whitening.inverse_.cols() != whitening.inputs_ ||
      static_cast<Index>(whitening.offset_.size()) != outputs ||
      static_cast<Index>(whitening.mean_.size()) != whitening.inputs_) {
    throw DataError("[whitening] the shapes of the saved whitening do not fit together");
  }
  return whitening;
}

}  // namespace krica
