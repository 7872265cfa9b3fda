// SPDX-License-Identifier: BSD-3-Clause
#include "patches/preprocessing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "patches/held_patches.hpp"
#include "runtime/check.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "preprocessing";
constexpr Index kTileRows = 256;

using Contrast = Preprocessing::Contrast;

void normalise_row(float* x, Index n, const Contrast& contrast) {
  const auto& [pixel_scale, epsilon] = contrast;
  if (epsilon == 0) return;
  for (Index j = 0; j < n; ++j) x[j] *= pixel_scale;
  const auto mean = static_cast<float>(ordered_sum(x, n) / static_cast<double>(n));
  for (Index j = 0; j < n; ++j) x[j] -= mean;
  const double variance = n > 1 ? ordered_dot(x, x, n) / static_cast<double>(n - 1) : 0.0;
  const auto factor = static_cast<float>(1 / std::sqrt(variance + epsilon));
  for (Index j = 0; j < n; ++j) x[j] *= factor;
}

/// A patch without contrast stays zero.
void normalise_length(float* x, Index n) {
  const double norm = std::sqrt(ordered_dot(x, x, n));
  const float factor = norm > 1e-12 ? static_cast<float>(1 / norm) : 0.0F;
  for (Index j = 0; j < n; ++j) x[j] *= factor;
}

/// Of the tiles that other ranks hold.
void gather_extents(const Context& context, std::vector<std::pair<float, float>>& extents) {
  gather_parts(context, extents.data(), Partition(std::ssize(extents), 1));
}

/// The factor that scales pixels to 0 ... 255. Recognises the ranges [0, 1] and [0, 255], even if
/// resampling overshoots them or all images are dark; other ranges are scaled by their extent.
float pixel_scale_of(const Context& context, ConstMatrixView<float> raw) {
  const Partition tiles(raw.rows(), kTileRows);
  std::vector<std::pair<float, float>> extents(static_cast<std::size_t>(tiles.count()), {0, 0});
  const Range own = own_share(context, tiles.count());
  parallel_for(context, own.size(), work_of(raw.size(), kPerValue), [&](Index place) {
    const Index t = own.begin + place;
    auto& [smallest, largest] = extents[static_cast<std::size_t>(t)];
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
      const float* row = raw.data() + i * raw.outerStride();
      smallest = std::min(smallest, *std::min_element(row, row + raw.cols()));
      largest = std::max(largest, *std::max_element(row, row + raw.cols()));
    }
  });
  gather_extents(context, extents);
  float smallest = 0;
  float largest = 0;
  for (const auto& [least, most] : extents) {
    smallest = std::min(smallest, least);
    largest = std::max(largest, most);
  }
  if (largest >= 1.0F / 64 && largest <= 2 && smallest >= -0.1F) return 255.0F;
  if (largest > 2 && largest <= 280 && smallest >= -25) return 1.0F;
  return largest > smallest ? 255.0F / (largest - smallest) : 1.0F;
}

double sum_of_squares(const Context& context, ConstMatrixView<float> patches) {
  const Partition tiles(patches.rows(), kTileRows);
  return ordered_reduce(context, tiles.count(), work_of(patches.size(), kPerValue), [&](Index t) {
    double sum = 0;
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
      const float* row = patches.data() + i * patches.outerStride();
      sum += ordered_dot(row, row, patches.cols());
    }
    return sum;
  });
}

/// Mean over the rows of the variance within a row.
double mean_row_variance(const Context& context, ConstMatrixView<float> raw) {
  const Partition tiles(raw.rows(), kTileRows);
  const Work work = work_of(raw.size(), 2 * kPerValue);
  const double squares = ordered_reduce(context, tiles.count(), work, [&](Index t) {
    std::vector<float> row(static_cast<std::size_t>(raw.cols()));
    double sum = 0;
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
      const float* x = raw.data() + i * raw.outerStride();
      const auto mean =
          static_cast<float>(ordered_sum(x, raw.cols()) / static_cast<double>(raw.cols()));
      std::transform(x, x + raw.cols(), row.begin(), [mean](float value) { return value - mean; });
      sum += ordered_dot(row.data(), row.data(), raw.cols());
    }
    return sum;
  });
  return squares / static_cast<double>(raw.rows() * std::max<Index>(1, raw.cols() - 1));
}

Contrast contrast_of(const Context& context, ConstMatrixView<float> raw,
                     const PreprocessingOptions& options) {
  if (!options.contrast) return {};
  if (!options.relative) return {pixel_scale_of(context, raw), options.contrast_epsilon};
  const double variance = mean_row_variance(context, raw);
  return {1.0F, variance > 0 ? options.contrast_epsilon * variance : options.contrast_epsilon};
}

void normalise_rows(const Context& context, MatrixView<float> all, const Contrast& contrast) {
  const Range held = held_patches(all.rows()).of(context);
  MatrixView<float> patches = all.rows_between(held.begin, held.end);
  const Partition tiles(patches.rows(), kTileRows);
  parallel_for(context, tiles.count(), work_of(patches.size(), 2 * kPerValue), [&](Index t) {
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i)
      normalise_row(patches.data() + i * patches.outerStride(), patches.cols(), contrast);
  });
}

/// Of the patches that this rank holds; throws on every rank.
void require_finite_patches(const Context& context, ConstMatrixView<float> patches,
                            std::string_view name) {
  const Range held = held_patches(patches.rows()).of(context);
  agree(context,
        [&] { require_finite(patches.rows_between(held.begin, held.end), name, "patches"); });
}

}  // namespace

void PreprocessingOptions::validate() const {
  require(std::isfinite(contrast_epsilon) && contrast_epsilon > 0, kName,
          "contrast_epsilon must be finite and > 0, got {}", contrast_epsilon);
  whitening.validate();
  if (kernel_pca) kernel_pca->validate();
}

Preprocessing::Preprocessing(const Contrast& contrast, Whitening whitening,
                             std::optional<KernelPca<float>> kernel_pca, bool unit_norm)
    : contrast_(contrast),
      whitening_(std::move(whitening)),
      kernel_pca_(std::move(kernel_pca)),
      unit_norm_(unit_norm) {}

Contrast Preprocessing::normalise_contrast(const Context& context, MatrixView<float> patches,
                                           const PreprocessingOptions& options) {
  options.validate();
  require_not_empty(ConstMatrixView<float>(patches), kName, "patches");
  require_finite_patches(context, patches, kName);
  const Contrast contrast = contrast_of(context, patches, options);
  normalise_rows(context, patches, contrast);
  require(sum_of_squares(context, patches) > 0, kName, "{}",
          options.contrast
              ? "the images have no contrast: every patch is constant, or its values are "
                "too small for float32 (then scale them, e.g. to 0 ... 255)"
              : "every number is 0, or too small for float32 (then scale the data, e.g. to values "
                "around 1): there is nothing to learn from");
  return contrast;
}

Preprocessing Preprocessing::fit_normalised(const Context& context, ConstMatrixView<float> patches,
                                            const Contrast& contrast,
                                            const PreprocessingOptions& options) {
  if (!options.kernel_pca) {
    WhiteningOptions whitening = options.whitening;
    whitening.relative = options.relative;
    return {contrast, Whitening::fit(context, patches, whitening), {}, options.unit_norm};
  }
  KernelPcaOptions kernel_pca = *options.kernel_pca;
  kernel_pca.landmarks =
      std::min(kernel_pca.landmarks, patches.rows());  // few samples: all of them
  return {contrast, Whitening::fit(context, patches, {.kind = WhiteningKind::kNone}),
          KernelPca<float>::fit(context, patches, kernel_pca), options.unit_norm};
}

Preprocessing Preprocessing::fit(const Context& context, ConstMatrixView<float> raw_patches,
                                 const PreprocessingOptions& options) {
  Matrix<float> patches = Matrix<float>::copy_of(raw_patches);
  const Contrast contrast = normalise_contrast(context, patches, options);
  return fit_normalised(context, patches, contrast, options);
}

void Preprocessing::apply_contrast(const Context& context, MatrixView<float> patches) const {
  normalise_rows(context, patches, contrast_);
}

void Preprocessing::apply_tile(MatrixView<float> raw_patches, MatrixView<float> result) const {
  for (Index i = 0; i < raw_patches.rows(); ++i) {
    normalise_row(raw_patches.data() + i * raw_patches.outerStride(), raw_patches.cols(),
                  contrast_);
  }
  apply_normalised_tile(raw_patches, result);
}

void Preprocessing::apply_normalised_tile(ConstMatrixView<float> patches,
                                          MatrixView<float> result) const {
  if (kernel_pca_) {
    kernel_pca_->apply(patches, result);
  } else {
    whitening_.apply(patches, result);
  }
  if (!unit_norm_) return;
  for (Index i = 0; i < result.rows(); ++i)
    normalise_length(result.data() + i * result.outerStride(), result.cols());
}

LargeMatrix Preprocessing::apply_normalised(const Context& context, LargeMatrix patches) const {
  const bool in_place = outputs() == patches.cols();
  LargeMatrix result = in_place ? patches : LargeMatrix(context, patches.rows(), outputs());
  const Partition tiles(patches.rows(), kTileRows);
  const Work work = work_of(patches.size(), outputs() + 3 * kPerValue);
  const Range held = held_patches(patches.rows()).of(context);
  parallel_for(context, tiles.count(), work, [&](Index t) {
    const Range tile = tiles[t];
    // Whole tiles, as the bits of a product may depend on their size.
    if (tile.end <= held.begin || tile.begin >= held.end) return;
    const Matrix<float> from =
        Matrix<float>::copy_of(std::as_const(patches).view().rows_between(tile.begin, tile.end));
    apply_normalised_tile(from, result.view().rows_between(tile.begin, tile.end));
  });
  return result;
}

Matrix<float> Preprocessing::apply(const Context& context,
                                   ConstMatrixView<float> raw_patches) const {
  require(raw_patches.cols() == inputs(), kName, "patches have {} values, expected {}",
          raw_patches.cols(), inputs());
  Matrix<float> result(raw_patches.rows(), outputs());
  const Partition tiles(raw_patches.rows(), kTileRows);
  const Work work = work_of(raw_patches.size(), outputs() + 3 * kPerValue);
  parallel_for(context, tiles.count(), work, [&](Index t) {
    const Range tile = tiles[t];
    Matrix<float> scratch = Matrix<float>::copy_of(raw_patches.rows_between(tile.begin, tile.end));
    apply_tile(scratch, MatrixView<float>(result).rows_between(tile.begin, tile.end));
  });
  return result;
}

Matrix<float> Preprocessing::unwhiten(ConstMatrixView<float> atoms) const {
  require(!kernel_pca_, kName,
          "after kernel PCA the atoms are in feature space and cannot be drawn");
  return whitening_.unwhiten(atoms);
}

bool Preprocessing::is_affine() const {
  return contrast_.epsilon == 0 && !kernel_pca_ && !unit_norm_;
}

const Whitening& Preprocessing::linear_part() const {
  require(is_affine(), kName,
          "contrast normalisation, kernel PCA and unit norm are not linear and cannot be undone");
  return whitening_;
}

void Preprocessing::save(Archive& archive) const {
  const std::vector<double> scalars = {static_cast<double>(contrast_.pixel_scale),
                                       contrast_.epsilon, unit_norm_ ? 1.0 : 0.0};
  archive.put_vector<double>("preprocessing", scalars);
  whitening_.save(archive);
  if (kernel_pca_) kernel_pca_->save(archive);
}

Preprocessing Preprocessing::load(const Archive& archive) {
  const auto scalars = archive.vector<double>("preprocessing", 3);
  check_finite(scalars.data(), 3, "preprocessing");
  std::optional<KernelPca<float>> kernel_pca;
  if (archive.has("kernel_pca.landmarks")) kernel_pca = KernelPca<float>::load(archive);
  Whitening whitening = Whitening::load(archive);
  const bool scaled = scalars[0] > 0 && scalars[0] <= std::numeric_limits<float>::max();
  if (!scaled || scalars[1] < 0) {
    throw DataError(
        fmt::format("[preprocessing] the pixel scale {} or the contrast epsilon {} is out of range",
                    scalars[0], scalars[1]));
  }
  if (kernel_pca && kernel_pca->inputs() != whitening.inputs())
    throw DataError("[preprocessing] the kernel PCA does not fit the patches");
  return {Contrast{static_cast<float>(scalars[0]), scalars[1]}, std::move(whitening),
          std::move(kernel_pca), scalars[2] != 0};
}

}  // namespace krica
