// SPDX-License-Identifier: BSD-3-Clause
#include "patches/kernel_pca.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/atom_set.hpp"
#include "krica/clustering/kmeans.hpp"
#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/lapack.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/names.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

using blas::Op;

constexpr std::string_view kName = "kernel_pca";
constexpr Index kTileRows = 256;
constexpr double kNoVariance = 1e-9;  // fraction of the largest eigenvalue
constexpr double kMostDegree = 1e9;   // that an int can hold; the kernel itself allows less

template <class Scalar>
Matrix<Scalar> choose_landmarks(const Context& context, ConstMatrixView<Scalar> X,
                                const KernelPcaOptions& options) {
  if (options.landmarks == 0 || options.landmarks == X.rows()) return Matrix<Scalar>::copy_of(X);
  if (options.choice == LandmarkChoice::kKmeans) {
    return kmeans(context, X, {.n_clusters = options.landmarks, .max_iterations = 10}).centers;
  }
  Random random = context.random("kernel_pca.landmarks");
  return rows_at<Scalar>(X, random_subset(random, X.rows(), options.landmarks));
}

/// Rows v_d / sqrt(λ_d) of the directions with λ_d above rounding error: r × l, so that z = rows ·
/// κ(L, x).
template <class Scalar>
Matrix<double> inverse_root(const Context& context, const Kernel& kernel,
                            const Matrix<Scalar>& landmarks) {
  const Index l = landmarks.rows();
  Matrix<Scalar> gram(l, l);
  kernel_matrix<Scalar>(context, kernel, landmarks, gram);
  const SymmetricEigen eigen =
      symmetric_eigen(Matrix<double>::copy_of(gram.view().template cast<double>()));
  const double rounding =
      static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * static_cast<double>(l);
  const double least = rounding * std::max(eigen.values.back(), 0.0);
  std::vector<Index> kept;
  for (Index d = l - 1; d >= 0 && eigen.values[static_cast<std::size_t>(d)] > least; --d)
    kept.push_back(d);
  require(!kept.empty(), kName, "the kernel matrix of the landmarks has no positive eigenvalue");
  Matrix<double> root(static_cast<Index>(kept.size()), l);
  for (Index r = 0; r < root.rows(); ++r) {
    const Index d = kept[static_cast<std::size_t>(r)];
    const double scale = 1 / std::sqrt(eigen.values[static_cast<std::size_t>(d)]);
    for (Index j = 0; j < l; ++j) root(r, j) = scale * eigen.vectors(d, j);
  }
  return root;
}

/// Sums over some samples of z and z zᵀ.
struct Moments {
  std::vector<double> mean;
  Matrix<double> covariance;

  explicit Moments(Index r) : mean(static_cast<std::size_t>(r), 0.0), covariance(r, r) {}
  static auto members(auto& sums) { return std::tie(sums.mean, sums.covariance); }
};

/// One tile, single-threaded.
template <class Scalar>
void add_tile(const AtomSet<Scalar>& set, ConstMatrixView<Scalar> X, const Matrix<double>& root,
              Moments& sums) {
  Matrix<Scalar> codes(X.rows(), root.cols());
  set.evaluate(X, codes, nullptr);
  const Matrix<double> wide = Matrix<double>::copy_of(codes.view().template cast<double>());
  Matrix<double> z(X.rows(), root.rows());
  blas::gemm<double>(Op::kPlain, Op::kTransposed, 1.0, wide, root, 0.0, z);
  blas::gemm<double>(Op::kTransposed, Op::kPlain, 1.0, z, z, 1.0, sums.covariance);
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index k = 0; k < z.cols(); ++k) sums.mean[static_cast<std::size_t>(k)] += z(i, k);
  }
}

template <class Scalar>
Moments moments_of(const Context& context, const AtomSet<Scalar>& set, ConstMatrixView<Scalar> X,
                   const Matrix<double>& root) {
  const Index r = root.rows();
  const Index l = root.cols();
  const Partition parts = sum_parts(X.rows(), 2 * kTileRows);
  auto moments = ordered_reduce<Moments>(
      context, parts.count(), work_of(X.rows(), l, X.cols() + kPerExp + 2 * r),
      [&] { return Moments(r); },
      [&](Index part, Moments& sums) {
        for_tiles(parts[part], kTileRows, [&](Range tile) {
          add_tile(set, X.rows_between(tile.begin, tile.end), root, sums);
        });
      });
  const auto m = static_cast<double>(X.rows());
  for (double& value : moments.mean) value /= m;
  for (Index i = 0; i < r; ++i) {
    for (Index j = 0; j < r; ++j) {
      double& entry = moments.covariance(i, j);
      entry = entry / m -
              moments.mean[static_cast<std::size_t>(i)] * moments.mean[static_cast<std::size_t>(j)];
    }
  }
  return moments;
}

std::vector<Index> kept_directions(const std::vector<double>& values,
                                   const std::vector<double>& mean, Index wanted) {
  double squared_mean = 0;
  for (const double value : mean) squared_mean += value * value;
  require(values.back() > 1e-12 * squared_mean, kName,
          "the samples are all equal in feature space; there is nothing to project");
  std::vector<Index> kept;
  for (auto d = static_cast<Index>(values.size()) - 1; d >= 0; --d) {
    if (values[static_cast<std::size_t>(d)] <= kNoVariance * values.back()) break;
    if (wanted > 0 && static_cast<Index>(kept.size()) == wanted) break;
    kept.push_back(d);
  }
  return kept;
}

}  // namespace

std::string_view name_of(LandmarkChoice choice) {
  constexpr NameTable<LandmarkChoice, 2> kChoices = {
      {{LandmarkChoice::kKmeans, "kmeans"}, {LandmarkChoice::kRandom, "random"}}};
  return find_name(kChoices, choice);
}

void KernelPcaOptions::validate() const {
  kernel.validate();
  require(landmarks == 0 || landmarks >= 2, kName,
          "landmarks must be 0 (all samples) or >= 2, got {}", landmarks);
  require(components >= 0, kName, "components must be >= 0, got {}", components);
  require(std::isfinite(epsilon) && epsilon >= 0, kName, "epsilon must be finite and >= 0, got {}",
          epsilon);
}

template <class Scalar>
KernelPca<Scalar> KernelPca<Scalar>::fit(const Context& context, ConstMatrixView<Scalar> samples,
                                         const KernelPcaOptions& options) {
  options.validate();
  require_not_empty(samples, kName, "samples");
  require(samples.rows() >= 2, kName, "at least 2 samples are needed, got {}", samples.rows());
  require(options.landmarks <= samples.rows(), kName, "{} landmarks from {} samples",
          options.landmarks, samples.rows());
  require_finite(samples, kName, "samples");
  KernelPca pca;
  pca.kernel_ = options.kernel;
  pca.landmarks_ = choose_landmarks(context, samples, options);
  const Matrix<double> root = inverse_root(context, options.kernel, pca.landmarks_);
  const AtomSet<Scalar> set(options.kernel, pca.landmarks_);
  const Moments moments = moments_of(context, set, samples, root);
  const SymmetricEigen eigen = symmetric_eigen(moments.covariance);
  const std::vector<Index> kept = kept_directions(eigen.values, moments.mean, options.components);
  const auto outputs = static_cast<Index>(kept.size());
  pca.projection_ = Matrix<Scalar>(root.cols(), outputs);
  for (Index k = 0; k < outputs; ++k) {
    const Index d = kept[static_cast<std::size_t>(k)];
    const double variance = eigen.values[static_cast<std::size_t>(d)];
    const double scale = options.whiten ? 1 / std::sqrt(variance + options.epsilon) : 1.0;
    pca.eigenvalues_.push_back(variance);
    double offset = 0;
    for (Index r = 0; r < root.rows(); ++r)
      offset += scale * eigen.vectors(d, r) * moments.mean[static_cast<std::size_t>(r)];
    pca.offset_.push_back(static_cast<Scalar>(offset));
    for (Index j = 0; j < root.cols(); ++j) {
      double sum = 0;
      for (Index r = 0; r < root.rows(); ++r) sum += eigen.vectors(d, r) * root(r, j);
      pca.projection_(j, k) = static_cast<Scalar>(scale * sum);
    }
  }
  return pca;
}

template <class Scalar>
void KernelPca<Scalar>::apply(ConstMatrixView<Scalar> samples, MatrixView<Scalar> projected) const {
  Matrix<Scalar> codes(samples.rows(), landmarks_.rows());
  AtomSet<Scalar>(kernel_, landmarks_).evaluate(samples, codes, nullptr);
  blas::gemm<Scalar>(Op::kPlain, Op::kPlain, Scalar(1), codes, projection_, Scalar(0), projected);
  for (Index i = 0; i < projected.rows(); ++i) {
    Scalar* row = projected.data() + i * projected.outerStride();
    for (Index k = 0; k < projected.cols(); ++k) row[k] -= offset_[static_cast<std::size_t>(k)];
  }
}

template <class Scalar>
Matrix<Scalar> KernelPca<Scalar>::apply(const Context& context,
                                        ConstMatrixView<Scalar> samples) const {
  require(samples.cols() == inputs(), kName, "samples have {} columns, expected {}", samples.cols(),
          inputs());
  Matrix<Scalar> projected(samples.rows(), outputs());
  const Partition tiles(samples.rows(), kTileRows);
  const Work work = work_of(samples.rows(), landmarks_.rows(), inputs() + outputs() + kPerExp);
  parallel_for(context, tiles.count(), work, [&](Index t) {
    apply(samples.rows_between(tiles[t].begin, tiles[t].end),
          MatrixView<Scalar>(projected).rows_between(tiles[t].begin, tiles[t].end));
  });
  return projected;
}

template <class Scalar>
void KernelPca<Scalar>::save(Archive& archive) const {
  archive.put_text("kernel_pca.kernel", std::string(name_of(kernel_.kind)));
  const std::vector<double> parameters = {kernel_.gamma, static_cast<double>(kernel_.degree),
                                          kernel_.scale};
  archive.put_vector<double>("kernel_pca.parameters", parameters);
  archive.put("kernel_pca.landmarks", landmarks_);
  archive.put("kernel_pca.projection", projection_);
  archive.template put_vector<Scalar>("kernel_pca.offset", offset_);
  archive.put_vector<double>("kernel_pca.eigenvalues", eigenvalues_);
}

template <class Scalar>
KernelPca<Scalar> KernelPca<Scalar>::load(const Archive& archive) {
  KernelPca pca;
  const auto parameters = archive.vector<double>("kernel_pca.parameters", 3);
  if (!(std::abs(parameters[1]) <= kMostDegree)) {
    throw DataError(
        fmt::format("[kernel_pca] the degree {} of the kernel is out of range", parameters[1]));
  }
  pca.kernel_ = {.kind = kernel_kind(archive.text("kernel_pca.kernel")),
                 .gamma = parameters[0],
                 .degree = static_cast<int>(parameters[1]),
                 .scale = parameters[2]};
  pca.kernel_.validate();
  pca.landmarks_ = finite_matrix<Scalar>(archive, "kernel_pca.landmarks");
  pca.projection_ = finite_matrix<Scalar>(archive, "kernel_pca.projection");
  pca.offset_ = finite_vector<Scalar>(archive, "kernel_pca.offset");
  pca.eigenvalues_ = finite_vector<double>(archive, "kernel_pca.eigenvalues");
  const auto outputs = static_cast<std::size_t>(pca.projection_.cols());
  if (pca.landmarks_.size() == 0 || outputs == 0 ||
      pca.landmarks_.rows() != pca.projection_.rows() || pca.offset_.size() != outputs ||
      pca.eigenvalues_.size() != outputs) {
    throw DataError("[kernel_pca] the shapes of the saved projection do not fit together");
  }
  return pca;
}

template class KernelPca<float>;
template class KernelPca<double>;

}  // namespace krica
