// SPDX-License-Identifier: BSD-3-Clause
//
// PooledCodes by cuBLAS, for cards without kernels of their own, images of floats, patches of any
// size, and gradients in float32. Patches of a batch are held; products with the atoms are held for
// a block of images at a time, and computed again on the way back.
#include <algorithm>
#include <limits>

#include "device/blas.hpp"
#include "device/check_cuda.hpp"
#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/devices.hpp"
#include "device/every_card_kernels.cuh"
#include "device/make_pooled_codes.hpp"
#include "device/pool_cells.cuh"

namespace krica::device {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 30;  // of products at a time

class EveryCard final : public PooledCodes {
 public:
  EveryCard(const PatchSpec& patch, const PoolSpec& pool, const AtomSpec& atoms,
            const PooledCodesOptions& options)
      : patch_(patch), atoms_(atoms), products_(options.products), processors_(processors()) {
    take_whitening(patch);
    take_zones(pool);
    const auto row = static_cast<std::size_t>(patch.inputs() + patch.values() + 1) * 4;
    const auto image =
        static_cast<std::size_t>(positions_) * row +
        static_cast<std::size_t>(zones_ + cells_) * static_cast<std::size_t>(channels()) * 4;
    const std::size_t half = options.memory_bytes / 2;
    const std::size_t products =
        static_cast<std::size_t>(positions_) * static_cast<std::size_t>(atoms.count) * 4;
    most_images_ = limited(half / image);
    block_images_ = std::min({most_images_, limited(std::min(half, kBlockBytes) / products),
                              std::max(1, kLargestGrid / zones_),
                              std::max(1, kLargestGrid * kRowsAtATime / positions_)});
    set_atoms(atoms, nullptr);
  }

  void set_atoms(const AtomSpec& atoms, Stream stream) override {
    require_same_atoms(atoms, atoms_);
    atoms_ = atoms;
    const auto count = static_cast<std::size_t>(atoms.count);
    const std::size_t size = count * static_cast<std::size_t>(patch_.values());
    W_.fit(size);
    V_.fit(size);
    constants_.fit(count);
    check(cudaMemcpyAsync(W_.data(), atoms.W, size * 4, cudaMemcpyDefault, stream), "atoms");
    if (atoms.shapes != nullptr) {
      shapes_.fit(count);
      check(cudaMemcpyAsync(shapes_.data(), atoms.shapes, count * 4, cudaMemcpyDefault, stream),
            "shapes");
    }
    prepare_atoms_kernel<<<blocks_for(count, kWarps), kThreads, 0, stream>>>(
        {W_.data(), shapes(), atoms.shape, atoms.count, patch_.values(), atoms.kind, V_.data(),
         constants_.data()});
    check(cudaGetLastError(), "atoms");
  }

  [[nodiscard]] int most_images() const override { return most_images_; }

  void encode(const Pixels& images, int count, float* features, Stream stream) override {
    images_ = count;
    read(images, stream);
    const auto image_sums = static_cast<std::size_t>(zones_) * static_cast<std::size_t>(channels());
    zone_sums_.fit(image_sums * static_cast<std::size_t>(count));
    for (int first = 0; first < count; first += block_images_) {
      const CodeArgs codes = multiply(first, stream);
      add_zones(codes, first, zone_sums_.data() + image_sums * static_cast<std::size_t>(first),
                stream);
    }
    add_cells_kernel<<<processors_ * 8, kThreads, 0, stream>>>(
        {zone_sums_.data(), cell_begins_.data(), cell_members_.data(), cell_weights_.data(),
         features, count, zones_, cells_, channels()});
    check(cudaGetLastError(), "pooled codes");
  }

  void gradient(const float* Q, float* gradient, float* gradient_shapes, Stream stream) override {
    const auto image_weights =
        static_cast<std::size_t>(zones_) * static_cast<std::size_t>(channels());
    zone_sums_.fit(image_weights * static_cast<std::size_t>(images_));
    spread_cells_kernel<<<processors_ * 8, kThreads, 0, stream>>>(
        {Q, zone_begins_of_cells_.data(), zone_members_.data(), cell_weights_.data(),
         zone_sums_.data(), images_, cells_, zones_, channels()});
    const auto count = static_cast<std::size_t>(atoms_.count);
    sums_.fit(count);
    D_.fit(count * static_cast<std::size_t>(patch_.values()));
    for (int first = 0; first < images_; first += block_images_) {
      const CodeArgs codes = multiply(first, stream);
      weigh(codes, zone_sums_.data() + image_weights * static_cast<std::size_t>(first), first == 0,
            stream);
      Blas::current().product(products_, {atoms_.count, patch_.values(), codes.rows},
                              Op::kTransposed, {codes.products, atoms_.count}, Op::kPlain,
                              {patches_at(first), patch_.values()}, {D_.data(), patch_.values()}, 1,
                              first == 0 ? 0.0F : 1.0F, stream);
    }
    atom_gradient_kernel<<<blocks_for(D_.size(), kThreads), kThreads, 0, stream>>>(
        {D_.data(), sums_.data(), W_.data(), shapes(), atoms_.shape, atoms_.scale, atoms_.count,
         patch_.values(), atoms_.kind, gradient, gradient_shapes});
    check(cudaGetLastError(), "gradient");
  }

 private:
  static int processors() { return device_facts().processors; }
  static int limited(std::size_t images) {
    return static_cast<int>(std::clamp<std::size_t>(images, 1, 1 << 20));
  }
  [[nodiscard]] int channels() const { return atoms_.channels(); }
  [[nodiscard]] const float* shapes() const {
    return atoms_.shapes != nullptr ? shapes_.data() : nullptr;
  }
  [[nodiscard]] std::size_t first_row(int image) const {
    return static_cast<std::size_t>(image) * static_cast<std::size_t>(positions_);
  }
  float* patches_at(int image) {
    return patches_.data() + first_row(image) * static_cast<std::size_t>(patch_.values());
  }

  void take_whitening(const PatchSpec& patch) {
    if (patch.outputs == 0) return;
    const auto outputs = static_cast<std::size_t>(patch.outputs);
    transform_.fit(static_cast<std::size_t>(patch.inputs()) * outputs);
    offset_.fit(outputs);
    copy(transform_.data(), patch.transform, transform_.size() * 4);
    copy(offset_.data(), patch.offset, offset_.size() * 4);
  }

  void take_zones(const PoolSpec& pool) {
    std::vector<int> places;
    std::vector<int> begins = {0};
    std::vector<int> zone_of;
    for (const auto& zone : pool.zones) {
      places.insert(places.end(), zone.begin(), zone.end());
      zone_of.resize(places.size(), static_cast<int>(begins.size()) - 1);
      begins.push_back(static_cast<int>(places.size()));
    }
    places_.assign(places);
    zone_begins_.assign(begins);
    zone_of_.assign(zone_of);
    positions_ = static_cast<int>(places.size());
    zones_ = static_cast<int>(pool.zones.size());
    cells_ = static_cast<int>(pool.cells.size());
    const CellMembers of_cells = members_of_cells(pool);
    cell_begins_.assign(of_cells.begins);
    cell_members_.assign(of_cells.members);
    const CellMembers of_zones = cells_of_zones(pool);
    zone_begins_of_cells_.assign(of_zones.begins);
    zone_members_.assign(of_zones.members);
    cell_weights_.assign(pool.weights);
  }

  /// The batch's patches.
  void read(const Pixels& images, Stream stream) {
    const std::size_t rows = first_row(images_);
    if (rows >= static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw DeviceError(Trouble::kOutOfMemory, "[device] too many positions at a time");
    const auto values = static_cast<std::size_t>(patch_.values());
    const bool whitened = patch_.outputs > 0;
    patches_.fit(rows * values);
    squared_norms_.fit(rows);
    if (whitened) raw_.fit(rows * static_cast<std::size_t>(patch_.inputs()));
    float* raw = whitened ? raw_.data() : patches_.data();
    const auto count = static_cast<int>(rows);
    raw_patches_kernel<<<blocks_for(rows, kWarps), kThreads, 0, stream>>>(
        {images, places_.data(), positions_, count, patch_.channels * patch_.height * patch_.width,
         patch_.height * patch_.width, patch_.width, patch_.field, patch_.inputs(),
         patch_.pixel_scale, static_cast<float>(patch_.contrast_epsilon), raw});
    if (whitened)
      Blas::current().product(Products::kFloat32, {count, patch_.values(), patch_.inputs()},
                              Op::kPlain, {raw, patch_.inputs()}, Op::kPlain,
                              {transform_.data(), patch_.values()},
                              {patches_.data(), patch_.values()}, 1, 0, stream);
    finish_patches_kernel<<<blocks_for(rows, kWarps), kThreads, 0, stream>>>(
        patches_.data(), whitened ? offset_.data() : nullptr, count, patch_.values(),
        patch_.unit_norm, squared_norms_.data());
    check(cudaGetLastError(), "patches");
  }

  /// v_u·x for a block of images.
  CodeArgs multiply(int first, Stream stream) {
    const int images = std::min(block_images_, images_ - first);
    const int rows = images * positions_;
    block_.fit(static_cast<std::size_t>(block_images_) * static_cast<std::size_t>(positions_) *
               static_cast<std::size_t>(atoms_.count));
    Blas::current().product(products_, {rows, atoms_.count, patch_.values()}, Op::kPlain,
                            {patches_at(first), patch_.values()}, Op::kTransposed,
                            {V_.data(), patch_.values()}, {block_.data(), atoms_.count}, 1, 0,
                            stream);
    return {block_.data(),
            squared_norms_.data() + first_row(first),
            constants_.data(),
            nullptr,
            rows,
            atoms_.count,
            atoms_.kind,
            atoms_.scale,
            atoms_.degree};
  }

  void add_zones(CodeArgs codes, int first, float* sums, Stream stream) {
    if (atoms_.kind == CodeKind::kTriangle) {
      means_.fit(static_cast<std::size_t>(block_images_) * static_cast<std::size_t>(positions_));
      mean_distances_kernel<<<blocks_for(static_cast<std::size_t>(codes.rows), kWarps), kThreads, 0,
                              stream>>>(codes, means_.data());
      codes.means = means_.data();
    }
    const int images = std::min(block_images_, images_ - first);
    const ZoneArgs zones = {zone_begins_.data(), zones_, positions_, sums};
    const dim3 grid(blocks_for(static_cast<std::size_t>(codes.count), kThreads),
                    static_cast<unsigned>(images * zones_));
    with_code(codes.kind, false, codes.scale, codes.degree, [&](auto map) {
      add_zones_kernel<<<grid, kThreads, 0, stream>>>(codes, zones, map);
    });
  }

  /// Turns products into weights and adds up their sums.
  void weigh(const CodeArgs& codes, const float* zone_weights, bool first, Stream stream) {
    const unsigned row_blocks = blocks_for(static_cast<std::size_t>(codes.rows), kRowsAtATime);
    partial_sums_.fit(static_cast<std::size_t>(row_blocks) * static_cast<std::size_t>(codes.count));
    const WeightArgs weights = {zone_weights, zone_of_.data(), zones_, positions_,
                                partial_sums_.data()};
    const dim3 grid(blocks_for(static_cast<std::size_t>(codes.count), kThreads), row_blocks);
    with_code(codes.kind, false, codes.scale, codes.degree, [&](auto map) {
      weights_kernel<<<grid, kThreads, 0, stream>>>(codes, weights, map);
    });
    add_partial_sums_kernel<<<grid.x, kThreads, 0, stream>>>(
        partial_sums_.data(), static_cast<int>(row_blocks), codes.count, first, sums_.data());
  }

  PatchSpec patch_;  // its pointers are not kept
  AtomSpec atoms_;   // nor are these
  Products products_;
  int processors_;
  int positions_ = 0;
  int zones_ = 0;
  int cells_ = 0;
  int most_images_ = 0;
  int block_images_ = 0;
  int images_ = 0;  // of the last batch
  DeviceArray<float> transform_;
  DeviceArray<float> offset_;
  DeviceArray<int> places_;
  DeviceArray<int> zone_begins_;
  DeviceArray<int> zone_of_;
  DeviceArray<int> cell_begins_;
  DeviceArray<int> cell_members_;
  DeviceArray<int> zone_begins_of_cells_;
  DeviceArray<int> zone_members_;
  DeviceArray<float> cell_weights_;
  DeviceArray<float> W_;
  DeviceArray<float> shapes_;
  DeviceArray<float> V_;
  DeviceArray<AtomConstants> constants_;
  DeviceArray<float> raw_;
  DeviceArray<float> patches_;
  DeviceArray<float> squared_norms_;
  DeviceArray<float> means_;
  DeviceArray<float> block_;
  DeviceArray<float> zone_sums_;  // on the way back, the zones' weights
  DeviceArray<float2> partial_sums_;
  DeviceArray<double2> sums_;
  DeviceArray<float> D_;
};

}  // namespace

std::unique_ptr<PooledCodes> make_every_card_codes(const PatchSpec& patch, const PoolSpec& pool,
                                                   const AtomSpec& atoms,
                                                   const PooledCodesOptions& options) {
  return std::make_unique<EveryCard>(patch, pool, atoms, options);
}

}  // namespace krica::device
