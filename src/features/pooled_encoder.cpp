// SPDX-License-Identifier: BSD-3-Clause
#include "features/pooled_encoder.hpp"

#include <algorithm>
#include <utility>

#include "features/image_features.hpp"
#include "features/local_coding.hpp"
#include "features/pool_power.hpp"
#include "features/zone_codes.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "features";

/// Local codes have few values other than 0: adding these is faster than adding all channels.
class LocalPooling final : public FusedPooling {
 public:
  /// Keeps the encoder's atoms by reference.
  explicit LocalPooling(const Encoder& encoder)
      : coding_(encoder.options(), encoder.atoms(), encoder.tangents()) {}
  void add(ConstMatrixView<float> patches, std::span<const Range> cells,
           float* sums) const override {
    coding_.add(patches, cells, sums);
  }

 private:
  LocalCoding coding_;
};

std::unique_ptr<const FusedPooling> fused_pooling(const Encoder& encoder) {
  if (is_local(encoder.options().kind)) return std::make_unique<const LocalPooling>(encoder);
  return FusedPooling::of(encoder);
}

class HostPooledEncoder final : public PooledEncoder {
 public:
  HostPooledEncoder(std::shared_ptr<const PatchSource> source, Encoder encoder)
      : source_(std::move(source)), encoder_(std::move(encoder)) {
    require(source_->dimensions() == encoder_.inputs(), kName,
            "the preprocessing gives {} values, the atoms have {}", source_->dimensions(),
            encoder_.inputs());
    if (source_->grid().function() != PoolFunction::kMax) fused_ = fused_pooling(encoder_);
  }

  void encode(const Context& context, ConstMatrixView<float> images,
              std::span<const ImageShape> shapes, MatrixView<float> features) const override {
    const bool fit = shapes.empty() ? images.cols() == source_->shape().values()
                                    : std::ssize(shapes) == images.rows();
    require(fit && images.rows() == features.rows() &&
                features.cols() == source_->grid().cells() * encoder_.channels(),
            kName, "a batch of {} x {} and features of {} x {} do not fit {}", images.rows(),
            images.cols(), features.rows(), features.cols(), to_text(source_->shape()));
    const bool single = shapes.empty() && source_->grid().positions() == 1;
    const Partition parts(images.rows(), single ? kTilePositions : images_at_a_time(images.cols()));
    const Work work = encoding_work(*source_, encoder_, images.rows());
    parallel_for(context, parts.count(), work, [&](Index p) {
      const auto [begin, end] = parts[p];
      MatrixView<float> part = features.rows_between(begin, end);
      if (single) {
        encode_single(images.rows_between(begin, end), part);
      } else {
        encode_part(context, images.rows_between(begin, end),
                    shapes.empty() ? shapes
                                   : shapes.subspan(static_cast<std::size_t>(begin),
                                                    static_cast<std::size_t>(end - begin)),
                    part);
      }
      for (Index i = 0; i < part.rows(); ++i) {
        raise_to_power<float>(source_->power(), part.data() + i * part.outerStride(), nullptr,
                              part.cols());
      }
    });
  }

 private:
  void encode_part(const Context& context, ConstMatrixView<float> images,
                   std::span<const ImageShape> shapes, MatrixView<float> features) const {
    ZoneCodes<float, Encoder> codes(*source_, encoder_, encoder_.channels(), fused_.get());
    for (Index i = 0; i < images.rows(); ++i) {
      context.check_cancelled();
      const float* image = images.data() + i * images.outerStride();
      float* row = features.data() + i * features.outerStride();
      if (shapes.empty()) {
        source_->grid().pool<float>(codes.of(image), row);
        continue;
      }
      const ImageShape& own = shapes[static_cast<std::size_t>(i)];
      const PoolingGrid grid = source_->grid_of(own);
      grid.pool<float>(codes.of(image, own, grid), row);
    }
  }

  /// Images with a single position: one tile for all, as one large product is faster than many
  /// small ones.
  void encode_single(ConstMatrixView<float> images, MatrixView<float> features) const {
    // At least two rows: single-row products are not reproducible to the bit
    // (runtime/parallel.hpp).
    const Index rows = std::max<Index>(2, images.rows());
    Matrix<float> raw(rows, source_->preprocessing().inputs());
    Matrix<float> patches(rows, encoder_.inputs());
    Matrix<float> codes(rows, encoder_.channels());
    source_->read_single(images, raw);
    if (images.rows() == 1) raw.view().row(1) = raw.view().row(0);
    source_->preprocessing().apply_tile(raw, patches);
    encoder_.encode(patches, codes);
    // The one position is in every cell.
    for (Index cell = 0; cell < source_->grid().cells(); ++cell) {
      features.middleCols(cell * codes.cols(), codes.cols()) = codes.view().topRows(images.rows());
    }
  }

  std::shared_ptr<const PatchSource> source_;
  Encoder encoder_;
  std::unique_ptr<const FusedPooling> fused_;  // null if there is no fused form
};

}  // namespace

std::unique_ptr<const PooledEncoder> host_pooled_encoder(std::shared_ptr<const PatchSource> source,
                                                         Encoder encoder) {
  return std::make_unique<const HostPooledEncoder>(std::move(source), std::move(encoder));
}

/// No upper bound if it could be far too low: images may be decoded when they are read, and a lasso
/// or a pursuit solves for every code.
Work encoding_work(const PatchSource& source, const Encoder& encoder, Index images) {
  const EncoderKind kind = encoder.options().kind;
  if (source.grid().positions() > 1 || source.descriptors().any_size() || is_lasso(kind) ||
      is_omp(kind))
    return {};
  return work_of(images, source.preprocessing().inputs() * source.preprocessing().outputs() +
                             encoder.channels() * (encoder.inputs() + kPerExp));
}

}  // namespace krica
