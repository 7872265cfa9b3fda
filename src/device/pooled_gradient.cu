// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "device/backward_kernel.cuh"
#include "device/check_cuda.hpp"
#include "device/device_error.hpp"
#include "device/finish_gradient.cuh"
#include "device/pool_cells.cuh"
#include "device/pooled_encoder_parts.cuh"
#include "device/pooled_gradient.hpp"
#include "device/widths.cuh"

namespace krica::device {

template <int kWidth>
BackwardKernel backward_kernel_of(Operand operand);
#define KRICA_DECLARE(width) \
  template <>                \
  BackwardKernel backward_kernel_of<width>(Operand operand);
KRICA_FOR_WIDTHS(KRICA_DECLARE)
#undef KRICA_DECLARE

BackwardKernel backward_kernel(Operand operand, int width) {
  switch (width) {
#define KRICA_CASE(w) \
  case w:             \
    return backward_kernel_of<w>(operand);
    KRICA_FOR_WIDTHS(KRICA_CASE)
#undef KRICA_CASE
    default:
      throw DeviceError(Trouble::kUnsupported, "[device] no gradient for patches this wide");
  }
}

struct PooledGradient::Parts {
  BackwardKernel kernel;
  int stages = 0;
  int zones = 0;
  bool zones_are_cells = false;
  DeviceArray<ChunkZones> chunk_zones;
  DeviceArray<int> zone_begins;
  DeviceArray<int> zone_members;
  DeviceArray<float> cell_weights;
  DeviceArray<float> zone_weights;
  DeviceArray<float> products;
  DeviceArray<float2> sums;

  /// A of zones: Q itself where zones are cells.
  const float* weights_of_zones(const PooledEncoder::Parts& encoder, const float* Q, Stream stream);
};

PooledGradient::PooledGradient(const PooledEncoder& encoder, const PoolSpec& pool)
    : encoder_(encoder), parts_(std::make_unique<Parts>()) {
  const PooledEncoder::Parts& from = encoder.parts();
  Parts& p = *parts_;
  if (from.atoms.kind == CodeKind::kTriangle)
    throw DeviceError(Trouble::kUnsupported, "[device] no gradient of the triangle code");
  p.kernel = backward_kernel(from.operand, from.reader->width());
  p.zones = static_cast<int>(pool.zones.size());
  while (p.stages < 8 &&
         p.kernel.shared_bytes(p.stages + 1) <= static_cast<std::size_t>(from.facts.shared_bytes))
    ++p.stages;
  std::vector<ChunkZones> chunk_zones = from.plan.chunk_zones;
  for (ChunkZones& zones : chunk_zones)  // behind the last slot: anything, there are no positions
    zones.first_slot =
        from.plan
            .slot_zones[static_cast<std::size_t>(std::min(zones.first_slot, from.plan.slots - 1))];
  p.chunk_zones.assign(chunk_zones);
  std::vector<int> begins = {0};
  std::vector<int> members;
  p.zones_are_cells = pool.zones.size() == pool.cells.size();
  for (std::size_t z = 0; z < pool.zones.size(); ++z) {
    for (std::size_t g = 0; g < pool.cells.size(); ++g) {
      const auto& cell = pool.cells[g];
      if (std::find(cell.begin(), cell.end(), static_cast<int>(z)) != cell.end())
        members.push_back(static_cast<int>(g));
    }
    begins.push_back(static_cast<int>(members.size()));
    p.zones_are_cells = p.zones_are_cells && members.size() == z + 1 &&
                        members.back() == static_cast<int>(z) && pool.weights[z] == 1;
  }
  p.zone_begins.assign(begins);
  p.zone_members.assign(members);
  p.cell_weights.assign(pool.weights);
}

PooledGradient::~PooledGradient() = default;

const float* PooledGradient::Parts::weights_of_zones(const PooledEncoder::Parts& encoder,
                                                     const float* Q, Stream stream) {
  if (zones_are_cells) return Q;
  const int images = encoder.batch.images;
  const int channels = encoder.atoms.channels();
  zone_weights.fit(static_cast<std::size_t>(images) * static_cast<std::size_t>(zones) *
                   static_cast<std::size_t>(channels));
  const SpreadArgs spread = {Q,
                             zone_begins.data(),
                             zone_members.data(),
                             cell_weights.data(),
                             zone_weights.data(),
                             images,
                             encoder.cells,
                             zones,
                             channels};
  spread_cells_kernel<<<encoder.facts.processors * 8, 256, 0, stream>>>(spread);
  check(cudaGetLastError(), "spreading cells");
  return zone_weights.data();
}

void PooledGradient::run(const float* Q, float* gradient, float* gradient_shapes, Stream stream) {
  const PooledEncoder::Parts& from = encoder_.parts();
  Parts& p = *parts_;
  const AtomSpec& atoms = from.atoms;
  const float* weights = p.weights_of_zones(from, Q, stream);
  const int tiles = (atoms.count + kTileAtoms - 1) / kTileAtoms;
  const int blocks = (tiles + p.kernel.warpgroups - 1) / p.kernel.warpgroups;
  const int width = from.reader->width();
  const int parts = std::clamp(from.facts.processors / blocks, 1, from.batch.images);
  const auto rows = static_cast<std::size_t>(parts * tiles * kTileAtoms);
  p.products.fit(rows * static_cast<std::size_t>(width));
  p.sums.fit(rows);
  const BackwardArgs args = {from.batch.patches.data(),
                             from.batch.squared_norms.data(),
                             from.packed.atoms(),
                             from.packed.constants(),
                             p.chunk_zones.data(),
                             weights,
                             p.products.data(),
                             p.sums.data(),
                             from.batch.images,
                             from.plan.tiles * from.plan.chunks,
                             p.zones,
                             p.stages,
                             atoms.count,
                             atoms.kind,
                             atoms.scale,
                             atoms.degree,
                             from.folded};
  p.kernel.launch(args, dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(parts)),
                  p.kernel.shared_bytes(p.stages), stream);
  const FinishArgs finish = {p.products.data(),
                             p.sums.data(),
                             from.packed.W(),
                             from.packed.shapes(),
                             atoms.shape,
                             atoms.scale,
                             gradient,
                             gradient_shapes,
                             parts,
                             atoms.count,
                             from.values,
                             width,
                             atoms.kind};
  finish_gradient_kernel<<<(atoms.count + 7) / 8, 256, 0, stream>>>(finish);
  check(cudaGetLastError(), "finishing the gradient");
}

}  // namespace krica::device
