// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "data/errors.hpp"
#include "krica/data/image_set.hpp"

namespace krica {
namespace {

class SampleImages final : public ImageSet {
 public:
  explicit SampleImages(SampleSetPtr samples)
      : ImageSet(info_of(*samples)), samples_(std::move(samples)) {}

 private:
  static ImageSetInfo info_of(const SampleSet& samples) {
    return {.size = samples.rows(),
            .shape = {1, 1, samples.cols()},
            .pixel_type = PixelType::kFloat32,
            .labels = samples.labels(),
            .class_names = samples.class_names(),
            .label_type = samples.info().label_type,
            .description = samples.description(),
            .column_names = samples.info().column_names,
            .signal_channels = samples.info().channels};
  }

  void load_floats(Index first, Index count, float* out) const override {
    samples_->read(first, count, out);
    for (Index i = 0; i < count * shape().values(); ++i) {
      if (std::isfinite(out[i])) continue;  // the set's numbers are finite, but may exceed float32
      data_error(
          "samples", description(),
          "row {}, column {}: the number is beyond float32 (3.4e38); scale the data, e.g. to "
          "values around 1",
          first + i / shape().values(), i % shape().values());
    }
  }

  void load_doubles(Index first, Index count, double* out) const override {
    samples_->read(first, count, out);
  }

  SampleSetPtr samples_;
};

}  // namespace

ImageSetPtr as_images(SampleSetPtr samples) {
  if (!samples) return nullptr;
  return std::make_shared<SampleImages>(std::move(samples));
}

}  // namespace krica
