// SPDX-License-Identifier: BSD-3-Clause
#include "device/patch_reader.cuh"
#include "device/patch_tables.hpp"

namespace krica::device {

PatchReader::PatchReader(const PatchSpec& spec, const TilePlan& plan, Operand operand)
    : facts_(device_facts()) {
  const PatchTables tables(spec, operand);
  in_width_ = tables.width;
  places_.assign(plan.places);
  pixels_.assign(tables.pixels);
  transform_.assign(tables.transform);
  transform_sums_.assign(tables.transform_sums);
  offsets_.assign(tables.offsets);
  args_.splits = tables.splits;
  args_.image_bytes = spec.channels * spec.height * spec.width;
  args_.rows = plan.rows();
  args_.values = spec.inputs();
  args_.out_width = kernel_width(spec.values());
  args_.epsilon = static_cast<float>(spec.contrast_epsilon);
  args_.unit_norm = spec.unit_norm ? 1 : 0;
  args_.constants_at = device::constants_at(spec.values(), args_.out_width, spec.unit_norm);
  args_.operand = operand;
}

std::size_t PatchReader::bytes_per_image() const {
  return static_cast<std::size_t>(args_.rows / 8) *
         static_cast<std::size_t>(group_bytes(args_.operand, args_.out_width) + 32);
}

void PatchReader::read(const std::uint8_t* images, int count, PatchBatch& batch,
                       Stream stream) const {
  batch.images = count;
  batch.patches.fit(static_cast<std::size_t>(count) * static_cast<std::size_t>(args_.rows / 8) *
                    static_cast<std::size_t>(group_bytes(args_.operand, args_.out_width)));
  batch.squared_norms.fit(static_cast<std::size_t>(count) * static_cast<std::size_t>(args_.rows));
  PreprocessArgs args = args_;
  args.images = images;
  args.places = places_.data();
  args.pixels = pixels_.data();
  args.transform = transform_.data();
  args.transform_sums = transform_sums_.data();
  args.offsets = offsets_.data();
  args.patches = batch.patches.data();
  args.squared_norms = batch.squared_norms.data();
  args.image_count = count;
  launch_preprocess(in_width_, args, facts_.processors, facts_.shared_bytes, stream);
}

}  // namespace krica::device
