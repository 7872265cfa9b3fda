// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "device/check_cuda.hpp"
#include "device/device_memory.hpp"
#include "device/image_store.hpp"
#include "device/launch.cuh"

namespace krica::device {
namespace {

/// -1 becomes 1, size becomes size - 2.
__device__ int reflected(int at, int size) {
  if (at < 0) return -at;
  return at < size ? at : 2 * (size - 1) - at;
}

/// One block an image.
template <class Pixel>
__global__ void gather_kernel(ImageLayout layout, const Pixel* __restrict__ images,
                              const ImagePick* __restrict__ picks, Pixel* __restrict__ batch) {
  const ImagePick pick = picks[blockIdx.x];
  const int plane = layout.height * layout.width;
  const int values = layout.channels * plane;
  const Pixel* from = images + static_cast<std::size_t>(pick.image) * values;
  Pixel* to = batch + static_cast<std::size_t>(blockIdx.x) * values;
  for (int i = static_cast<int>(threadIdx.x); i < values; i += kThreads) {
    const int y = reflected(i % plane / layout.width + pick.down, layout.height);
    int x = reflected(i % layout.width + pick.right, layout.width);
    if (pick.mirrored != 0) x = layout.width - 1 - x;
    to[i] = from[i / plane * plane + y * layout.width + x];
  }
}

class Store final : public ImageStore {
 public:
  Store(const ImageLayout& layout, std::size_t images) : layout_(layout) {
    images_.fit(images * layout.bytes());
  }

  void put(std::size_t first, std::size_t count, const void* pixels) override {
    copy(images_.data() + first * layout_.bytes(), pixels, count * layout_.bytes());
  }

  Pixels gather(std::span<const ImagePick> picks, Stream stream) override {
    picks_.assign({picks.begin(), picks.end()});
    batch_.fit(picks.size() * layout_.bytes());
    if (layout_.floats) {
      launch<float>(picks.size(), stream);
      return {nullptr, reinterpret_cast<const float*>(batch_.data())};
    }
    launch<std::uint8_t>(picks.size(), stream);
    return {batch_.data(), nullptr};
  }

 private:
  template <class Pixel>
  void launch(std::size_t count, Stream stream) {
    if (count == 0) return;
    gather_kernel<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(
        layout_, reinterpret_cast<const Pixel*>(images_.data()), picks_.data(),
        reinterpret_cast<Pixel*>(batch_.data()));
    check(cudaGetLastError(), "gathering images");
  }

  ImageLayout layout_;
  DeviceArray<std::uint8_t> images_;
  DeviceArray<ImagePick> picks_;
  DeviceArray<std::uint8_t> batch_;
};

}  // namespace

std::unique_ptr<ImageStore> make_image_store(const ImageLayout& layout, std::size_t images) {
  return std::make_unique<Store>(layout, images);
}

}  // namespace krica::device
