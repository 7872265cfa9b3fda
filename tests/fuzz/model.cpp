// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "fuzz/signed_archive.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"

using namespace krica;

namespace {

constexpr Index kMostWork = Index{1} << 12;  // values of an image, and features

/// Images of the model's shape; for a model that accepts any size, some are larger.
class Noise final : public ImageSet {
 public:
  explicit Noise(const Model& model) : ImageSet(info_of(model)) {}

 private:
  static ImageSetInfo info_of(const Model& model) {
    ImageSetInfo info;
    info.size = 2;
    info.shape = model.shape();
    if (model.accepts_any_size()) {
      info.shapes = {model.shape(), model.shape()};
      info.shapes[1].height += 1;
      info.shapes[1].width += 5;
      info.shape = take_common_shape(info.shapes);
    }
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = first; i < first + count; ++i, out += shape().values()) {
      const Index own = shape_of(i).values();
      for (Index p = 0; p < own; ++p) out[p] = static_cast<std::uint8_t>((i + p) * 97);
      std::fill(out + own, out + shape().values(), std::uint8_t{0});
    }
  }
};

/// What no model may be refused for other than as bad data.
Model load(const Archive& archive) {
  try {
    return Model::from_archive(archive, "input");
  } catch (const InvalidArgument& error) {
    fuzz::fail(error.what());
  }
}

}  // namespace

KRICA_FUZZ_TARGET(model) {
  const Model model = load(Archive::parse(fuzz::with_checksum(input), "input"));
  const Archive saved = model.to_archive();
  if (Model::from_archive(saved, "again").to_archive().bytes() != saved.bytes())
    fuzz::fail("a model changes on its way");
  if (model.shape().values() > kMostWork || model.n_features() > kMostWork) return;
  const Noise images(model);
  static_cast<void>(model.transform(fuzz::context(), images));
  if (model.has_classifier()) static_cast<void>(model.predict(fuzz::context(), images));
  if (model.has_probabilities()) static_cast<void>(model.probabilities(fuzz::context(), images));
  if (model.parts().extractor) static_cast<void>(model.atom_images());
}
