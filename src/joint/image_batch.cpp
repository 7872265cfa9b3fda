// SPDX-License-Identifier: BSD-3-Clause
#include "joint/image_batch.hpp"

#include "joint/pooled_codes.hpp"

namespace krica {

Alteration alteration_of(const Context& context, const ImageSet& images, Index image,
                         const Augmentation& augmentation, std::uint64_t epoch) {
  if (!augmentation.active()) return {};
  const auto stream =
      epoch * static_cast<std::uint64_t>(images.size()) + static_cast<std::uint64_t>(image);
  Random random = context.random("joint.augment", stream);
  return draw_alteration(augmentation, random);
}

Matrix<float> read_batch(const Context& context, const ImageSet& images,
                         std::span<const Index> chosen, const Augmentation& augmentation,
                         std::uint64_t epoch) {
  Matrix<float> batch(static_cast<Index>(chosen.size()), images.shape().values());
  const Range own = own_images(context, batch.rows());
  agree(context, [&] {
    parallel_for(context, own.size(), [&](Index place) {
      const Index i = own.begin + place;
      const Index image = chosen[static_cast<std::size_t>(i)];
      images.read(image, 1, batch.row(i));
      alter(alteration_of(context, images, image, augmentation, epoch), images.shape(),
            batch.row(i));
    });
  });
  return batch;
}

}  // namespace krica
