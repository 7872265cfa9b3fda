// SPDX-License-Identifier: BSD-3-Clause
#include "features/device_encoder.hpp"

#include <algorithm>

#include "device/device_memory.hpp"
#include "device/pool_power.hpp"
#include "device/pooled_codes.hpp"
#include "device/use_device.hpp"
#include "features/unit_length.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/pace.hpp"
#include "runtime/ranks.hpp"
#include "runtime/thread_pool.hpp"

namespace krica {
namespace {

constexpr Index kMostImages = 4096;   // at a time: progress is reported after each chunk
constexpr Index kImagesAtATime = 16;  // read by one thread
constexpr std::size_t kMostScratch = std::size_t{4} << 30;

std::optional<device::CodeKind> kernel_code(KernelKind kind) {
  switch (kind) {
    case KernelKind::kLinear:
      return device::CodeKind::kLinear;
    case KernelKind::kGaussian:
      return device::CodeKind::kGaussian;
    case KernelKind::kPolynomial:
      return device::CodeKind::kPolynomial;
    case KernelKind::kInverseDistance:
      return device::CodeKind::kInverseDistance;
    case KernelKind::kInverseSquareDistance:
      return device::CodeKind::kInverseSquareDistance;
    default:
      return std::nullopt;
  }
}

std::optional<device::CodeKind> code_of(const EncoderOptions& options) {
  switch (options.kind) {
    case EncoderKind::kKernel:
      return kernel_code(options.kernel.kind);
    case EncoderKind::kAbs:
      return device::CodeKind::kAbs;
    case EncoderKind::kTriangle:
      return device::CodeKind::kTriangle;
    case EncoderKind::kSoftThreshold:
      return device::CodeKind::kSoftThreshold;
    case EncoderKind::kSoftAbs:
      return device::CodeKind::kSoftAbs;
    case EncoderKind::kSigmoid:
      return device::CodeKind::kSigmoid;
    case EncoderKind::kLinear:
      return device::CodeKind::kLinear;
    default:
      return std::nullopt;
  }
}

float common_shape(const EncoderOptions& options) {
  if (options.kind == EncoderKind::kSoftThreshold) return static_cast<float>(options.threshold);
  return options.kind == EncoderKind::kKernel ? static_cast<float>(options.kernel.gamma) : 0.0F;
}

device::PatchSpec patch_spec(const PatchSource& source, const LocalDescriptorOptions& patches) {
  const Preprocessing& preprocessing = source.preprocessing();
  const Whitening& whitening = *preprocessing.linear_whitening();
  device::PatchSpec spec;
  spec.channels = static_cast<int>(source.shape().channels);
  spec.height = static_cast<int>(source.shape().height);
  spec.width = static_cast<int>(source.shape().width);
  spec.field = static_cast<int>(patches.receptive_field);
  spec.pixel_scale = preprocessing.contrast().pixel_scale;
  spec.contrast_epsilon = preprocessing.contrast().epsilon;
  if (whitening.transform().size() > 0) {
    spec.outputs = static_cast<int>(whitening.outputs());
    spec.transform = whitening.transform().data();
    spec.offset = whitening.offset().data();
  }
  spec.unit_norm = preprocessing.unit_norm();
  return spec;
}

device::PoolSpec pool_spec(const PatchSource& source, Index stride) {
  const PoolingGrid& grid = source.grid();
  device::PoolSpec spec;
  spec.zones.resize(static_cast<std::size_t>(grid.zones()));
  for (Index p = 0; p < grid.positions();) {
    const PoolingGrid::Run run = grid.run_at(p);
    for (Index i = 0; i < run.count; ++i) {
      spec.zones[static_cast<std::size_t>(run.zone)].push_back(
          static_cast<int>((run.row * source.shape().width + run.col + i) * stride));
    }
    p += run.count;
  }
  spec.cells.resize(static_cast<std::size_t>(grid.cells()));
  for (Index z = 0; z < grid.zones(); ++z) {
    for (const Index cell : grid.cells_of(z))
      spec.cells[static_cast<std::size_t>(cell)].push_back(static_cast<int>(z));
  }
  for (Index c = 0; c < grid.cells(); ++c) {
    const bool mean = grid.function() == PoolFunction::kMean;
    spec.weights.push_back(mean ? 1.0F / static_cast<float>(grid.cell_size(c)) : 1.0F);
  }
  return spec;
}

class ChunkEncoder final : public DeviceEncoder {
 public:
  ChunkEncoder(const Context& context, const PatchSource& source, DeviceLayout layout,
               const device::AtomSpec& atoms, PixelType pixels)
      : source_(source), layout_(std::move(layout)), atoms_(atoms) {
    memory_ = device::memory_budget(context);
    options_.products = device::products_of(context.precision());
    options_.float_images = pixels == PixelType::kFloat32;
    make();
  }

  [[nodiscard]] Index chunk() const override { return chunk_; }

  void encode(const Context& context, const ImageSet& images, Range range,
              MatrixView<float> features) override {
    device::use_device(context);
    require(features.outerStride() == features.cols() && features.rows() == range.size(),
            "features", "{} rows for {} images", features.rows(), range.size());
    read(context, images, range);
    for (Index done = 0; done < range.size();) {
      const Index count = std::min(chunk_, range.size() - done);
      if (encode_chunk(done, count, features.rows_between(done, done + count))) done += count;
    }
  }

 private:
  [[nodiscard]] std::size_t image_features() const {
    return static_cast<std::size_t>(layout_.pool.cells.size()) *
           static_cast<std::size_t>(atoms_.channels());
  }

  [[nodiscard]] std::size_t image_bytes() const {
    return static_cast<std::size_t>(source_.shape().values()) *
           (options_.float_images ? sizeof(float) : 1);
  }

  void make() {
    codes_.reset();  // before its successor needs the memory
    options_.memory_bytes = std::min(memory_ / 2, kMostScratch);
    codes_ = device::make_pooled_codes(layout_.patch, layout_.pool, atoms_, options_);
    const auto fit = static_cast<Index>(memory_ / 4 / (image_features() * sizeof(float)));
    chunk_ = std::clamp<Index>(std::min<Index>(fit, codes_->most_images()), 1, kMostImages);
  }

  void read(const Context& context, const ImageSet& images, Range range) {
    pixels_read_.resize(static_cast<std::size_t>(range.size()) * image_bytes());
    const Partition blocks(range.size(), kImagesAtATime);
    parallel_for(context, blocks.count(), [&](Index b) {
      const Range block = blocks[b];
      std::uint8_t* to =
          pixels_read_.data() + static_cast<std::size_t>(block.begin) * image_bytes();
      if (options_.float_images) {
        images.read(range.begin + block.begin, block.size(), reinterpret_cast<float*>(to));
      } else {
        images.read(range.begin + block.begin, block.size(), to);
      }
    });
  }

  /// False if the device's memory was too small, and there are smaller chunks to try.
  bool encode_chunk(Index first, Index count, MatrixView<float> features) {
    try {
      const std::size_t bytes = image_bytes() * static_cast<std::size_t>(count);
      on_device_.fit(bytes);
      features_.fit(image_features() * static_cast<std::size_t>(count));
      device::copy(on_device_.data(),
                   pixels_read_.data() + image_bytes() * static_cast<std::size_t>(first), bytes);
      device::Pixels pixels;
      if (options_.float_images) {
        pixels.floats = reinterpret_cast<const float*>(on_device_.data());
      } else {
        pixels.bytes = on_device_.data();
      }
      codes_->encode(pixels, static_cast<int>(count), features_.data());
      const std::size_t size = image_features() * static_cast<std::size_t>(count);
      device::raise_to_power(source_.power(), features_.data(), size);
      device::copy(features.data(), features_.data(), size * sizeof(float));
      return true;
    } catch (const DeviceError& error) {
      if (error.trouble() != DeviceError::Trouble::kOutOfMemory || chunk_ == 1) throw;
      on_device_ = {};
      features_ = {};
      memory_ /= 2;
      make();
      return false;
    }
  }

  const PatchSource& source_;
  DeviceLayout layout_;
  device::AtomSpec atoms_;
  std::size_t memory_ = 0;
  device::PooledCodesOptions options_;
  std::unique_ptr<device::PooledCodes> codes_;
  Index chunk_ = 1;
  std::vector<std::uint8_t> pixels_read_;
  device::DeviceArray<std::uint8_t> on_device_;
  device::DeviceArray<float> features_;
};

}  // namespace

std::optional<DeviceLayout> device_layout(const PatchSource& source) {
  const auto patches = source.descriptors().pixel_patches();
  const PoolingGrid& grid = source.grid();
  if (!patches || source.preprocessing().linear_whitening() == nullptr ||
      grid.function() == PoolFunction::kMax || grid.zones() > device::kMostZones ||
      grid.positions() > device::kMostPositions)
    return std::nullopt;
  return DeviceLayout{patch_spec(source, *patches), pool_spec(source, patches->stride)};
}

std::optional<device::AtomSpec> device_atoms(const EncoderOptions& options,
                                             ConstMatrixView<float> atoms,
                                             std::span<const float> shapes) {
  const auto code = code_of(options);
  if (!code || atoms.outerStride() != atoms.cols()) return std::nullopt;
  device::AtomSpec spec;
  spec.kind = *code;
  spec.count = static_cast<int>(atoms.rows());
  spec.W = atoms.data();
  spec.shapes = shapes.empty() ? nullptr : shapes.data();
  spec.shape = common_shape(options);
  spec.scale = static_cast<float>(options.kernel.scale);
  spec.degree = options.kernel.degree;
  return spec;
}

std::unique_ptr<DeviceEncoder> device_encoder(const Context& context, const PatchSource& source,
                                              const Encoder& encoder, PixelType pixels) {
  if (!context.cuda_device()) return nullptr;
  device::use_device(context);
  std::optional<DeviceLayout> layout = device_layout(source);
  const auto atoms = device_atoms(encoder.options(), encoder.atoms(), encoder.shapes());
  if (!layout || !atoms) return nullptr;
  return std::make_unique<ChunkEncoder>(context, source, std::move(*layout), *atoms, pixels);
}

void extract_on_device(const Context& context, DeviceEncoder& encoder, const ImageSet& images,
                       Index first, bool unit_length, FeatureMatrix& result,
                       const std::function<void(Index)>& done) {
  // Ranks share the images, each with its own device; the classifier needs all features on each.
  const bool divides = context.ranks() != nullptr && !ThreadPool::inside_loop();
  const Context together = divides ? context.with_shared_rows() : context;
  const Range own = divides ? own_share(together, images.size()) : Range{first, images.size()};
  agree(together, [&] {
    Pace pace(together, "features", own.size());
    // As on the CPU, chunks do not depend on `first`.
    for (Index at = divides ? own.begin : first / encoder.chunk() * encoder.chunk();
         at < own.end;) {
      context.check_cancelled();
      stop_if_wanted(together);
      const Range chunk{at, std::min(at + encoder.chunk(), own.end)};
      const MatrixView<float> features = result.view().rows_between(chunk.begin, chunk.end);
      encoder.encode(context, images, chunk, features);
      if (unit_length) scale_to_unit_length(context.with_all_rows(), features);
      release_pages_when_due();
      at = chunk.end;
      done(at);
      pace.reach(at - own.begin);
    }
    pace.finish();
  });
  gather_all_rows<float>(together, result.view());
}

}  // namespace krica
