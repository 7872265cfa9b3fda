// SPDX-License-Identifier: BSD-3-Clause
#include "patches/image_whitening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "krica/patches/whitening.hpp"
#include "krica/runtime/error.hpp"
#include "patches/sampling.hpp"
#include "runtime/blas.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr Index kMostPatches = 50000;
constexpr double kContrast = 0.01;
const std::string kFilters = "network.whitening";
const std::string kOffset = "network.offset";
const std::string kContrastText = "network_contrast";

/// An odd side that fits the images.
Index window_side(const ImageShape& shape) {
  const Index side = std::min({ImageWhitening::kLongestSide, shape.height, shape.width});
  return side % 2 == 1 ? side : side - 1;
}

/// Of all images together: a small set has few, and drawing each of them many times tells nothing
/// new.
Index windows_of(const ImageSet& images, Index side) {
  const ImageShape& shape = images.shape();
  return images.size() * (shape.height - side + 1) * (shape.width - side + 1);
}

/// Every channel enlarged by `margin` pixels on each side, which repeat the border.
std::vector<float> padded(const ImageShape& shape, const float* image, Index margin) {
  const Index height = shape.height + 2 * margin;
  const Index width = shape.width + 2 * margin;
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(height * width * shape.channels));
  for (Index c = 0; c < shape.channels; ++c) {
    for (Index y = 0; y < height; ++y) {
      const float* row = image + c * shape.pixels() +
                         std::clamp<Index>(y - margin, 0, shape.height - 1) * shape.width;
      for (Index x = 0; x < width; ++x)
        result.push_back(row[std::clamp<Index>(x - margin, 0, shape.width - 1)]);
    }
  }
  return result;
}

void normalise_contrast(float* values, Index count) {
  const double mean = ordered_dot(values, values, count) / static_cast<double>(count);
  const auto factor = static_cast<float>(1 / std::sqrt(mean + kContrast));
  for (Index i = 0; i < count; ++i) values[i] *= factor;
}

}  // namespace

ImageWhitening ImageWhitening::fit(const Context& context, const ImageSet& images,
                                   const ImageWhiteningOptions& options) {
  const Index side = options.whiten ? window_side(images.shape()) : 1;
  const PatchSample sample =
      sample_patches(context, images, side, std::min(kMostPatches, windows_of(images, side)));
  const Whitening whitening =
      Whitening::fit(context, sample.patches,
                     {.kind = options.whiten ? WhiteningKind::kZca : WhiteningKind::kStandardise,
                      .epsilon = options.epsilon,
                      .relative = true});
  const Index channels = images.shape().channels;
  Matrix<float> filters(channels, sample.patches.cols());
  std::vector<float> offset;
  for (Index c = 0; c < channels; ++c) {
    const Index centre = c * side * side + side * side / 2;
    for (Index j = 0; j < filters.cols(); ++j) filters(c, j) = whitening.transform()(j, centre);
    offset.push_back(whitening.offset()[static_cast<std::size_t>(centre)]);
  }
  return {std::move(filters), std::move(offset), options.contrast, side};
}

void ImageWhitening::apply(const ImageShape& shape, const float* image, float* whitened) const {
  const std::vector<float> enlarged = padded(shape, image, side_ / 2);
  const ImageShape large{shape.height + side_ - 1, shape.width + side_ - 1, shape.channels};
  const LocalDescriptorsPtr windows = make_descriptors({side_, 1}, large);
  Matrix<float> rows(shape.width, filters_.cols());
  Matrix<float> filtered(shape.width, shape.channels);
  for (Index y = 0; y < shape.height; ++y) {
    const PositionRun run{y, 0, shape.width};
    windows->read(enlarged.data(), large, {&run, 1}, rows);
    blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F, rows, filters_, 0.0F,
                      filtered);
    for (Index c = 0; c < shape.channels; ++c) {
      float* to = whitened + c * shape.pixels() + y * shape.width;
      for (Index x = 0; x < shape.width; ++x)
        to[x] = filtered(x, c) - offset_[static_cast<std::size_t>(c)];
    }
  }
  if (contrast_) normalise_contrast(whitened, shape.values());
}

void ImageWhitening::save(Archive& archive) const {
  archive.put(kFilters, filters_);
  archive.put_vector<float>(kOffset, offset_);
  archive.put_text(kContrastText, contrast_ ? "yes" : "no");
}

ImageWhitening ImageWhitening::load(const Archive& archive, Index channels) {
  Matrix<float> filters = finite_matrix<float>(archive, kFilters);
  std::vector<float> offset = finite_vector<float>(archive, kOffset);
  Index side = 1;
  while (side < kLongestSide && side * side * channels < filters.cols()) side += 2;
  if (filters.rows() != channels || side * side * channels != filters.cols() ||
      std::ssize(offset) != channels) {
    throw DataError(
        fmt::format("[archive] {} of {} x {} and {} of {} values do not fit images of "
                    "{} channels",
                    kFilters, filters.rows(), filters.cols(), kOffset, offset.size(), channels));
  }
  return {std::move(filters), std::move(offset), archive.text(kContrastText) == "yes", side};
}

}  // namespace krica
