// SPDX-License-Identifier: BSD-3-Clause
#include "models/value_range.hpp"

#include <algorithm>
#include <limits>

#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"

namespace krica {
namespace {

constexpr NameTable<ValueRange, 3> kNames = {{
    {ValueRange::kBytes, "bytes"},
    {ValueRange::kUnit, "unit"},
    {ValueRange::kOther, "other"},
}};

constexpr Index kBlock = 64;
constexpr float kLargestByte = 255;
constexpr float kSpare = 0.1F;

struct Extremes {
  float lowest = std::numeric_limits<float>::max();
  float highest = std::numeric_limits<float>::lowest();

  /// Whether all values lie in 0 ... top, with a tolerance of a tenth of their own range.
  [[nodiscard]] bool within(float top) const {
    return lowest >= -kSpare * highest && highest <= (1 + kSpare) * top;
  }
};

Extremes extremes_of(const Context& context, const ImageSet& images) {
  const Partition blocks(images.size(), kBlock);
  std::vector<Extremes> parts(static_cast<std::size_t>(blocks.count()));
  const Range own = own_share(context, blocks.count());
  agree(context, [&] {
    parallel_for(context, own.size(), [&](Index place) {
      const Index b = own.begin + place;
      std::vector<float> pixels(static_cast<std::size_t>(images.shape().values()));
      Extremes& part = parts[static_cast<std::size_t>(b)];
      for (Index i = blocks[b].begin; i < blocks[b].end; ++i) {
        images.read(i, 1, pixels.data());
        const auto [low, high] =
            std::minmax_element(pixels.begin(), pixels.begin() + images.shape_of(i).values());
        part = {std::min(part.lowest, *low), std::max(part.highest, *high)};
      }
    });
  });
  gather_parts(context, parts.data(), Partition(blocks.count(), 1));
  Extremes all;
  for (const Extremes& part : parts) {
    all.lowest = std::min(all.lowest, part.lowest);
    all.highest = std::max(all.highest, part.highest);
  }
  return all;
}

ValueRange range_of(const Extremes& extremes) {
  if (extremes.within(1)) return ValueRange::kUnit;
  return extremes.within(kLargestByte) ? ValueRange::kBytes : ValueRange::kOther;
}

/// Multiplies every value by a factor.
class Scaled final : public ImageSet {
 public:
  Scaled(const ImageSet& whole, float factor)
      : ImageSet(info_of(whole)), whole_(whole), factor_(factor) {}

  [[nodiscard]] std::string item_name(Index i) const override { return whole_.item_name(i); }

 private:
  static ImageSetInfo info_of(const ImageSet& whole) {
    ImageSetInfo info = whole.info();
    info.pixel_type = PixelType::kFloat32;
    return info;
  }
  void load_floats(Index first, Index count, float* out) const override {
    whole_.read(first, count, out);
    for (Index i = 0; i < count * shape().values(); ++i) out[i] *= factor_;
  }

  const ImageSet& whole_;
  float factor_;
};

}  // namespace

std::string_view name_of(ValueRange range) { return find_name(kNames, range); }
ValueRange value_range(std::string_view name) { return find_value(kNames, name, "value range"); }

ValueRange value_range_of(const Context& context, const ImageSet& images) {
  if (images.pixel_type() == PixelType::kUint8 || images.size() == 0) return ValueRange::kBytes;
  return range_of(extremes_of(context, images));
}

ImageSetPtr in_range(const Context& context, const ImageSet& images, ValueRange learned) {
  const bool bytes = images.pixel_type() == PixelType::kUint8;
  if (images.shape().is_sample() || images.size() == 0) return nullptr;
  if (bytes && learned == ValueRange::kBytes) return nullptr;
  if (!bytes && learned == ValueRange::kOther)
    return nullptr;  // a single image may span any part of it
  const Extremes extremes = bytes ? Extremes{0, kLargestByte} : extremes_of(context, images);
  const ValueRange given = bytes ? ValueRange::kBytes : range_of(extremes);
  if (given == learned) return nullptr;
  require(given != ValueRange::kOther && learned != ValueRange::kOther, "model",
          "the images have values from {:.4g} to {:.4g}, but the model learned from {}; scale them "
          "like the training images",
          extremes.lowest, extremes.highest,
          learned == ValueRange::kBytes  ? "values from 0 to 255"
          : learned == ValueRange::kUnit ? "values from 0 to 1"
                                         : "values outside 0 to 255");
  const float factor = learned == ValueRange::kBytes ? kLargestByte : 1 / kLargestByte;
  return std::make_shared<Scaled>(images, factor);
}

}  // namespace krica
