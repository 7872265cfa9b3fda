// SPDX-License-Identifier: BSD-3-Clause
#include "patches/local_descriptors.hpp"

#include <algorithm>

#include "patches/dense_sift.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "patches";
constexpr NameTable<DescriptorKind, 2> kKinds = {
    {{DescriptorKind::kPixels, "pixels"}, {DescriptorKind::kSift, "sift"}}};

class PixelPatches final : public LocalDescriptors {
 public:
  PixelPatches(const LocalDescriptorOptions& options, Index channels)
      : field_(options.receptive_field), stride_(options.stride), channels_(channels) {}

  [[nodiscard]] Index dimensions() const override { return field_ * field_ * channels_; }

  [[nodiscard]] Positions positions(const ImageShape& shape) const override {
    require(field_ <= shape.height && field_ <= shape.width, kName,
            "images of {} x {} pixels are smaller than the receptive field of {} x {}",
            shape.height, shape.width, field_, field_);
    return {(shape.height - field_) / stride_ + 1, (shape.width - field_) / stride_ + 1};
  }

  [[nodiscard]] std::optional<LocalDescriptorOptions> pixel_patches() const override {
    return LocalDescriptorOptions{field_, stride_};
  }

  void read(const float* image, const ImageShape& shape, std::span<const PositionRun> runs,
            MatrixView<float> descriptors) const override {
    float* patch = descriptors.data();
    for (const PositionRun& run : runs) {
      for (Index i = 0; i < run.count; ++i, patch += descriptors.outerStride())
        copy(image, shape, run.row * stride_, (run.col + i) * stride_, patch);
    }
  }

 private:
  void copy(const float* image, const ImageShape& shape, Index top, Index left,
            float* patch) const {
    for (Index channel = 0; channel < channels_; ++channel) {
      for (Index y = 0; y < field_; ++y) {
        const float* row = image + channel * shape.pixels() + (top + y) * shape.width + left;
        patch = std::copy(row, row + field_, patch);
      }
    }
  }

  Index field_;
  Index stride_;
  Index channels_;
};

class SampleValues final : public LocalDescriptors {
 public:
  explicit SampleValues(Index values) : values_(values) {}

  [[nodiscard]] Index dimensions() const override { return values_; }
  [[nodiscard]] Positions positions(const ImageShape& /*shape*/) const override { return {1, 1}; }
  void read(const float* sample, const ImageShape& /*shape*/, std::span<const PositionRun> /*runs*/,
            MatrixView<float> descriptors) const override {
    std::copy(sample, sample + values_, descriptors.data());
  }

 private:
  Index values_;
};

}  // namespace

std::string_view name_of(DescriptorKind kind) { return find_name(kKinds, kind); }

void LocalDescriptorOptions::validate() const {
  require(receptive_field >= 1, kName, "receptive_field must be >= 1, got {}", receptive_field);
  require(stride >= 1, kName, "stride must be >= 1, got {}", stride);
}

void check_room(const ImageSet& images, const LocalDescriptors& descriptors) {
  if (!descriptors.any_size()) return;
  for (Index i = 0; i < images.size(); ++i) {
    try {
      static_cast<void>(descriptors.positions(images.shape_of(i)));
    } catch (const InvalidArgument& error) {
      std::string what = error.what();
      what.erase(0, what.find("] ") + 2);
      throw DataError(fmt::format("[patches] {}: {}", images.item_name(i), what));
    }
    if (!images.varied()) return;
  }
}

LocalDescriptorsPtr make_descriptors(const LocalDescriptorOptions& options,
                                     const ImageShape& shape) {
  options.validate();
  if (shape.is_sample()) return std::make_shared<const SampleValues>(shape.values());
  if (options.kind == DescriptorKind::kSift) return std::make_shared<const DenseSift>(options);
  return std::make_shared<const PixelPatches>(options, shape.channels);
}

}  // namespace krica
