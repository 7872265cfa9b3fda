// SPDX-License-Identifier: BSD-3-Clause
//
// PooledCodes by the kernels for Hopper.
#include <limits>
#include <optional>

#include "device/make_pooled_codes.hpp"
#include "device/pooled_encoder.hpp"
#include "device/pooled_gradient.hpp"

namespace krica::device {
namespace {

/// Gradients have no kernel in tf32; in bf16x3 they are as exact.
Products kernel_products(const PooledCodesOptions& options) {
  return options.with_gradient && options.products == Products::kTf32 ? Products::kBf16x3
                                                                      : options.products;
}

class HopperCodes final : public PooledCodes {
 public:
  HopperCodes(const PatchSpec& patch, const PoolSpec& pool, const AtomSpec& atoms,
              const PooledCodesOptions& options)
      : encoder_(patch, pool, atoms, kernel_products(options)) {
    encoder_.scratch_limit = options.memory_bytes;
    if (options.with_gradient) gradient_.emplace(encoder_, pool);
  }

  void set_atoms(const AtomSpec& atoms, Stream stream) override {
    encoder_.set_atoms(atoms, stream);
  }
  [[nodiscard]] int most_images() const override {
    return encoder_.most_images_at_a_time(std::numeric_limits<std::int64_t>::max() / 2);
  }
  void encode(const Pixels& images, int count, float* features, Stream stream) override {
    encoder_.read(images.bytes, count, stream);
    encoder_.encode_read(features, stream);
  }
  void gradient(const float* Q, float* gradient, float* gradient_shapes, Stream stream) override {
    gradient_.value().run(Q, gradient, gradient_shapes, stream);
  }

 private:
  PooledEncoder encoder_;
  std::optional<PooledGradient> gradient_;
};

}  // namespace

std::unique_ptr<PooledCodes> make_hopper_codes(const PatchSpec& patch, const PoolSpec& pool,
                                               const AtomSpec& atoms,
                                               const PooledCodesOptions& options) {
  return std::make_unique<HopperCodes>(patch, pool, atoms, options);
}

}  // namespace krica::device
