// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "device/check_cuda.hpp"
#include "device/device_error.hpp"
#include "device/pool_cells.cuh"
#include "device/pooled_encoder_parts.cuh"
#include "device/widths.cuh"

namespace krica::device {

template <int kWidth>
EncodeKernel encode_kernel_of(Operand operand);
template <int kWidth>
void launch_preprocess_of(const PreprocessArgs& args, int processors, int shared_limit,
                          Stream stream);
#define KRICA_DECLARE(width)                             \
  template <>                                            \
  EncodeKernel encode_kernel_of<width>(Operand operand); \
  template <>                                            \
  void launch_preprocess_of<width>(const PreprocessArgs&, int, int, Stream);
KRICA_FOR_WIDTHS(KRICA_DECLARE)
#undef KRICA_DECLARE

namespace {

[[noreturn]] void unsupported(int width) {
  throw DeviceError(Trouble::kUnsupported,
                    "[device] no kernel for patches of " + std::to_string(width) + " values");
}

int most_chunks_of(const EncodeKernel& kernel, bool means, const DeviceFacts& facts) {
  int most = 0;
  while (most < 16 &&
         kernel.shared_bytes(most + 1, means) <= static_cast<std::size_t>(facts.shared_bytes))
    ++most;
  return most;
}

}  // namespace

EncodeKernel encode_kernel(Operand operand, int width) {
  switch (width) {
#define KRICA_CASE(w) \
  case w:             \
    return encode_kernel_of<w>(operand);
    KRICA_FOR_WIDTHS(KRICA_CASE)
#undef KRICA_CASE
    default:
      unsupported(width);
  }
}

void launch_preprocess(int width, const PreprocessArgs& args, int processors, int shared_limit,
                       Stream stream) {
  switch (width) {
#define KRICA_CASE(w) \
  case w:             \
    return launch_preprocess_of<w>(args, processors, shared_limit, stream);
    KRICA_FOR_WIDTHS(KRICA_CASE)
#undef KRICA_CASE
    default:
      unsupported(width);
  }
}

void PackedAtoms::pack(const AtomSpec& spec, int values, int width, Operand operand,
                       int constants_at, Stream stream) {
  const auto size = static_cast<std::size_t>(spec.count) * static_cast<std::size_t>(values);
  W_.fit(size);
  check(cudaMemcpyAsync(W_.data(), spec.W, size * 4, cudaMemcpyDefault, stream), "atoms");
  if (spec.shapes != nullptr) {
    shapes_.fit(static_cast<std::size_t>(spec.count));
    check(cudaMemcpyAsync(shapes_.data(), spec.shapes, static_cast<std::size_t>(spec.count) * 4,
                          cudaMemcpyDefault, stream),
          "shapes");
  }
  const int tiles = (spec.count + kTileAtoms - 1) / kTileAtoms;
  const int packed =
      tiles * kWarpgroupThreads * (is_split(operand) ? 2 : 1) * width / (is_bf16(operand) ? 16 : 8);
  atoms_.fit(static_cast<std::size_t>(packed));
  constants_.fit(static_cast<std::size_t>(tiles * kTileAtoms));
  const PackArgs args = {W_.data(),        spec.shapes != nullptr ? shapes_.data() : nullptr,
                         spec.shape,       spec.count,
                         values,           width,
                         spec.kind,        operand,
                         constants_at,     atoms_.data(),
                         constants_.data()};
  atom_constants_kernel<<<tiles * kTileAtoms / 8, 256, 0, stream>>>(args);
  pack_atoms_kernel<<<(packed + 255) / 256, 256, 0, stream>>>(args);
  check(cudaGetLastError(), "packing atoms");
}

PooledEncoder::PooledEncoder(const PatchSpec& patch, const PoolSpec& pool, const AtomSpec& atoms,
                             Products precision) {
  require_usable(patch, pool, atoms);
  parts_ = std::make_unique<Parts>();
  Parts& p = *parts_;
  p.atoms = atoms;
  p.values = patch.values();
  p.cells = static_cast<int>(pool.cells.size());
  p.operand = operand_of(precision);
  p.kernel = encode_kernel(p.operand, kernel_width(p.values));
  p.facts = device_facts();
  if (!p.facts.hopper)
    throw DeviceError(Trouble::kUnsupported, "[device] these kernels need compute capability 9.0");
  const int most_chunks = most_chunks_of(p.kernel, atoms.kind == CodeKind::kTriangle, p.facts);
  if (most_chunks == 0) unsupported(p.values);
  p.plan = TilePlan(pool, p.kernel.columns, most_chunks);
  p.reader = std::make_unique<PatchReader>(patch, p.plan, p.operand);
  p.chunk_zones.assign(p.plan.chunk_zones);
  std::vector<int> begins = {0};
  std::vector<int> members;
  for (const auto& cell : pool.cells) {
    for (const int zone : cell) {
      for (int s = 0; s < p.plan.slots; ++s) {
        if (p.plan.slot_zones[static_cast<std::size_t>(s)] == zone) members.push_back(s);
      }
    }
    begins.push_back(static_cast<int>(members.size()));
  }
  p.cell_begins.assign(begins);
  p.cell_members.assign(members);
  p.cell_weights.assign(pool.weights);
  p.folded = atoms.kind == CodeKind::kGaussian && p.reader->constants_at() >= 0;
  set_atoms(atoms);
}

PooledEncoder::~PooledEncoder() = default;

int PooledEncoder::cells() const { return parts_->cells; }
int PooledEncoder::channels() const { return parts_->atoms.channels(); }
const TilePlan& PooledEncoder::plan() const { return parts_->plan; }

void PooledEncoder::set_atoms(const AtomSpec& atoms, Stream stream) {
  Parts& p = *parts_;
  require_same_atoms(atoms, p.atoms);
  p.packed.pack(atoms, p.values, p.reader->width(), p.operand,
                p.folded ? p.reader->constants_at() : -1, stream);
  p.atoms = atoms;
}

int PooledEncoder::most_images_at_a_time(std::int64_t count) const {
  const Parts& p = *parts_;
  std::size_t each = p.reader->bytes_per_image();
  if (!p.plan.slots_are_cells)
    each += static_cast<std::size_t>(p.plan.slots) * static_cast<std::size_t>(channels()) * 4;
  std::int64_t most = std::max<std::int64_t>(1, static_cast<std::int64_t>(scratch_limit / each));
  most = std::min<std::int64_t>(most, (1 << 30) / p.plan.tiles);
  if (count <= most) return static_cast<int>(count);
  // Equal rounds, of whole waves of tiles where these are small.
  const std::int64_t rounds = (count + most - 1) / most;
  const std::int64_t equal = (count + rounds - 1) / rounds;
  const std::int64_t wave = p.facts.processors / std::gcd(p.facts.processors, p.plan.tiles);
  const std::int64_t waves = (equal + wave - 1) / wave * wave;
  return static_cast<int>(waves <= most ? waves : equal);
}

void PooledEncoder::read(const std::uint8_t* images, int count, Stream stream) {
  parts_->reader->read(images, count, parts_->batch, stream);
}

void PooledEncoder::encode_read(float* features, Stream stream) {
  Parts& p = *parts_;
  float* sums = features;
  if (!p.plan.slots_are_cells) {
    p.slot_sums.fit(static_cast<std::size_t>(p.batch.images) *
                    static_cast<std::size_t>(p.plan.slots) * static_cast<std::size_t>(channels()));
    sums = p.slot_sums.data();
  }
  const EncodeArgs args = {p.batch.patches.data(),
                           p.batch.squared_norms.data(),
                           p.packed.atoms(),
                           p.packed.constants(),
                           p.chunk_zones.data(),
                           sums,
                           p.batch.images,
                           p.plan.tiles,
                           p.plan.chunks,
                           p.plan.slots,
                           p.atoms.count,
                           p.atoms.kind,
                           p.atoms.scale,
                           p.atoms.degree,
                           p.folded};
  const std::size_t shared =
      p.kernel.shared_bytes(p.plan.chunks, p.atoms.kind == CodeKind::kTriangle);
  p.kernel.launch(args, std::min(p.facts.processors, p.batch.images * p.plan.tiles), shared,
                  stream);
  if (p.plan.slots_are_cells) return;
  const CellArgs cell_args = {
      sums,      p.cell_begins.data(), p.cell_members.data(), p.cell_weights.data(),
      features,  p.batch.images,       p.plan.slots,          p.cells,
      channels()};
  add_cells_kernel<<<p.facts.processors * 8, 256, 0, stream>>>(cell_args);
  check(cudaGetLastError(), "adding up cells");
}

void PooledEncoder::encode(const std::uint8_t* images, std::int64_t count, float* features,
                           Stream stream) {
  if (count <= 0) return;
  const int at_a_time = most_images_at_a_time(count);
  const std::size_t image_bytes = parts_->reader->image_bytes();
  for (std::int64_t first = 0; first < count; first += at_a_time) {
    const auto now = static_cast<int>(std::min<std::int64_t>(at_a_time, count - first));
    read(images + static_cast<std::size_t>(first) * image_bytes, now, stream);
    encode_read(features + static_cast<std::size_t>(first) * this->features(), stream);
  }
}

}  // namespace krica::device
