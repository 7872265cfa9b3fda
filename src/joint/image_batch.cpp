// SPDX-License-Identifier: BSD-3-Clause
#include "joint/image_batch.hpp"

#include "runtime/parallel.hpp"

namespace krica {

void ImageBatch::load(const Context& context, std::span<const Index> chosen,
                      const Augmentation& augmentation, std::uint64_t epoch) {
  const ImageShape& shape = layout_.shape;
  count_ = static_cast<Index>(chosen.size());
  pixels_.resize(static_cast<std::size_t>(count_ * shape.values()));
  parallel_for(context, count_, [&](Index i) {
    const Index image = chosen[static_cast<std::size_t>(i)];
    float* pixels = pixels_.data() + i * shape.values();
    images_.read(image, 1, pixels);
    if (!augmentation.active()) return;
    const auto stream =
        epoch * static_cast<std::uint64_t>(images_.size()) + static_cast<std::uint64_t>(image);
    Random random = context.random("joint.augment", stream);
    augment(augmentation, shape, random, pixels);
  });
}

void ImageBatch::read(Index image, Index first, MatrixView<float> patches) const {
  Matrix<float> raw(patches.rows(), preprocessing_.inputs());
  read_patches(layout_, preprocessing_, pixels_.data() + image * layout_.shape.values(), first, raw,
               patches);
}

}  // namespace krica
