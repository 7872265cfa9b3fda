// SPDX-License-Identifier: BSD-3-Clause
//
// PooledEncoder: a batch of images in memory to their features, as one operation. An accelerator is
// another implementation of it.
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

  /// images: a planar image a row; features: as many rows. The bits of an image's features do not
  /// depend on the number of threads nor, where it has several positions, on the batch. Throws
  /// Cancelled.
  virtual void encode(const Context& context, ConstMatrixView<float> images,
                      MatrixView<float> features) const = 0;
};

/// On the context's threads. Throws InvalidArgument where the atoms do not fit the patches.
std::unique_ptr<const PooledEncoder> host_pooled_encoder(std::shared_ptr<const PatchSource> source,
                                                         Encoder encoder);

/// How much `images` images take; without a bound where it could be far more than the sizes tell.
Work encoding_work(const PatchSource& source, const Encoder& encoder, Index images);

}  // namespace krica
