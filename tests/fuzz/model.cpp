// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/signed_archive.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"

using namespace krica;

namespace {

constexpr Index kMostWork = Index{1} << 16;  // values of an image, and features

/// Images of the model's shape.
class Noise final : public ImageSet {
 public:
  explicit Noise(ImageShape shape) : ImageSet(info_of(shape)) {}

 private:
  static ImageSetInfo info_of(ImageShape shape) {
    ImageSetInfo info;
    info.size = 2;
    info.shape = shape;
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = 0; i < count * shape().values(); ++i)
      out[i] = static_cast<std::uint8_t>((first + i) * 97);
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
  if (Model::from_archive(model.to_archive(), "again").to_archive().bytes() !=
      model.to_archive().bytes())
    fuzz::fail("a model changes on its way");
  if (model.shape().values() > kMostWork || model.n_features() > kMostWork) return;
  const Noise images(model.shape());
  static_cast<void>(model.transform(fuzz::context(), images));
  if (model.has_classifier()) static_cast<void>(model.predict(fuzz::context(), images));
  if (model.has_probabilities()) static_cast<void>(model.probabilities(fuzz::context(), images));
  if (model.parts().extractor) static_cast<void>(model.atom_images());
}
