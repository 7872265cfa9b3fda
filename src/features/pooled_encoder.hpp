// SPDX-License-Identifier: BSD-3-Clause
//
// PooledEncoder: the features of a batch of images in memory, as one operation. An accelerator
// would be another implementation.
#pragma once

#include <memory>

#include "features/patch_source.hpp"
#include "krica/features/encoder.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

class PooledEncoder {
 public:
  PooledEncoder() = default;
  PooledEncoder(const PooledEncoder&) = delete;
  PooledEncoder& operator=(const PooledEncoder&) = delete;
  virtual ~PooledEncoder() = default;

  /// images: one planar image per row; shapes: one for each if they differ, otherwise empty;
  /// features: as many rows. The bits of an image's features do not depend on the number of threads
  /// or, if it has several positions, on the batch. Throws Cancelled.
  virtual void encode(const Context& context, ConstMatrixView<float> images,
                      std::span<const ImageShape> shapes, MatrixView<float> features) const = 0;
};

/// Runs on the context's threads. Throws InvalidArgument if the atoms do not fit the patches.
std::unique_ptr<const PooledEncoder> host_pooled_encoder(std::shared_ptr<const PatchSource> source,
                                                         Encoder encoder);

/// The work for `images` images; no upper bound if it could be far more than the sizes suggest.
Work encoding_work(const PatchSource& source, const Encoder& encoder, Index images);

}  // namespace krica
