// SPDX-License-Identifier: BSD-3-Clause
//
// Dense SIFT of an image of 300 x 200 grey pixels, windows of 16 x 16, 6 apart, on one thread;
// beside it VLFeat's two ways, where it is installed.
#include <benchmark/benchmark.h>
#ifdef KRICA_VLFEAT
extern "C" {
#include <vl/dsift.h>
}
#endif

#include "made_up.hpp"
#include "patches/dense_sift.hpp"

namespace krica {
namespace {

constexpr ImageShape kShape{200, 300, 1};

std::vector<float> made_up_image() {
  const Matrix<float> noise = benchmarks::random_matrix(kShape.height, kShape.width, "sift");
  std::vector<float> image(noise.data(), noise.data() + noise.size());
  for (float& value : image) value = 128 + 40 * value;
  return image;
}

void BM_DenseSift(benchmark::State& state) {
  const std::vector<float> image = made_up_image();
  const DenseSift sift({16, 6, DescriptorKind::kSift});
  const Positions positions = sift.positions(kShape);
  std::vector<PositionRun> runs;
  for (Index row = 0; row < positions.rows; ++row) runs.push_back({row, 0, positions.cols});
  Matrix<float> descriptors(positions.count(), DenseSift::kValues);
  std::vector<float> memory;
  for (auto _ : state) {
    sift.read(sift.prepared(image.data(), kShape, memory), kShape, runs, descriptors);
    benchmark::DoNotOptimize(descriptors.data());
  }
}
BENCHMARK(BM_DenseSift)->UseRealTime()->Unit(benchmark::kMicrosecond);

#ifdef KRICA_VLFEAT
void BM_VlfeatSift(benchmark::State& state) {
  const std::vector<float> image = made_up_image();
  VlDsiftFilter* filter =
      vl_dsift_new_basic(static_cast<int>(kShape.width), static_cast<int>(kShape.height), 6, 4);
  vl_dsift_set_flat_window(filter, state.range(0) != 0 ? VL_TRUE : VL_FALSE);
  for (auto _ : state) {
    vl_dsift_process(filter, image.data());
    benchmark::DoNotOptimize(vl_dsift_get_descriptors(filter));
  }
  vl_dsift_delete(filter);
}
BENCHMARK(BM_VlfeatSift)
    ->ArgName("fast")
    ->Arg(1)
    ->Arg(0)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
#endif

}  // namespace
}  // namespace krica
