// SPDX-License-Identifier: BSD-3-Clause
#include "krica/data/image_set.hpp"

#include <algorithm>

#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr Index kConvertBytes = Index{1} << 18;

}  // namespace

std::string to_text(const ImageShape& shape) {
  if (shape.is_sample()) return fmt::format("samples of {} values", shape.channels);
  return fmt::format("images of {} x {} x {}", shape.height, shape.width, shape.channels);
}

std::string to_text(const ImageSet& images) {
  const ImageShape shape = images.shape();
  if (!images.varied()) return to_text(shape);
  return fmt::format("images of up to {} x {} x {}", shape.height, shape.width, shape.channels);
}

ImageSet::ImageSet(ImageSetInfo info) : info_(std::move(info)) {
  require(info_.labels.empty() || static_cast<Index>(info_.labels.size()) == info_.size,
          "image_set", "{} labels for {} images", info_.labels.size(), info_.size);
  if (!varied()) return;
  require(static_cast<Index>(info_.shapes.size()) == info_.size, "image_set",
          "{} shapes for {} images", info_.shapes.size(), info_.size);
  for (const ImageShape& own : info_.shapes) {
    require(own.height <= shape().height && own.width <= shape().width &&
                own.channels == shape().channels,
            "image_set", "{} do not fit into {}", to_text(own), to_text(shape()));
  }
}

std::string ImageSet::item_name(Index i) const { return fmt::format("image {}", i + 1); }

void ImageSet::check_range(Index first, Index count) const {
  require(first >= 0 && count >= 0 && first <= size() - count, "image_set.read",
          "images {} to {} are not in a set of {}", first, first + count - 1, size());
}

void ImageSet::read(Index first, Index count, std::uint8_t* out) const {
  require(pixel_type() == PixelType::kUint8, "image_set.read",
          "the set holds float pixels, which cannot be read as bytes");
  check_range(first, count);
  if (count > 0) load_bytes(first, count, out);
}

void ImageSet::read(Index first, Index count, float* out) const {
  check_range(first, count);
  if (count == 0) return;
  if (pixel_type() == PixelType::kFloat32) return load_floats(first, count, out);
  const Index values = shape().values();
  const Index step = std::min(count, std::max<Index>(1, kConvertBytes / values));
  std::vector<std::uint8_t> block(static_cast<std::size_t>(step * values));
  for (Index done = 0; done < count; done += step) {
    const Index now = std::min(step, count - done);
    load_bytes(first + done, now, block.data());
    std::copy_n(block.data(), now * values, out + done * values);
  }
}

void ImageSet::read(Index first, Index count, double* out) const {
  check_range(first, count);
  if (count > 0) load_doubles(first, count, out);
}

void ImageSet::load_doubles(Index first, Index count, double* out) const {
  std::vector<float> numbers(static_cast<std::size_t>(count * shape().values()));
  read(first, count, numbers.data());
  std::copy(numbers.begin(), numbers.end(), out);
}

void ImageSet::load_bytes(Index, Index, std::uint8_t*) const {
  throw InvalidArgument("[image_set.read] this set does not hold bytes");
}

void ImageSet::load_floats(Index, Index, float*) const {
  throw InvalidArgument("[image_set.read] this set does not hold floats");
}

}  // namespace krica
