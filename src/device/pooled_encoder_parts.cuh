// SPDX-License-Identifier: BSD-3-Clause
//
// What a PooledEncoder holds; PooledGradient reads it.
#pragma once

#include "device/encode_pool.cuh"
#include "device/pack_atoms.cuh"
#include "device/patch_reader.cuh"
#include "device/pooled_encoder.hpp"

namespace krica::device {

/// The kernel for an operand and a width, as a launcher.
struct EncodeKernel {
  int columns = 0;
  int warpgroups = 0;
  std::size_t (*shared_bytes)(int chunks, bool means) = nullptr;
  void (*launch)(const EncodeArgs& args, int blocks, std::size_t shared, Stream) = nullptr;
};
/// Throws DeviceError (kUnsupported).
EncodeKernel encode_kernel(Operand operand, int width);

/// Atoms on the device in the tensor cores' order.
class PackedAtoms {
 public:
  /// Throws DeviceError: kOutOfMemory, kFailed.
  void pack(const AtomSpec& spec, int values, int width, Operand operand, int constants_at,
            Stream stream);
  [[nodiscard]] const uint4* atoms() const { return atoms_.data(); }
  [[nodiscard]] const AtomConstants* constants() const { return constants_.data(); }
  [[nodiscard]] const float* W() const { return W_.data(); }
  [[nodiscard]] const float* shapes() const { return shapes_.data(); }  ///< null: none

 private:
  DeviceArray<float> W_;  // copies
  DeviceArray<float> shapes_;
  DeviceArray<uint4> atoms_;
  DeviceArray<AtomConstants> constants_;
};

struct PooledEncoder::Parts {
  AtomSpec atoms;  ///< its pointers are not kept
  int values = 0;
  int cells = 0;
  Operand operand = Operand::kTf32;
  EncodeKernel kernel;
  DeviceFacts facts;
  TilePlan plan;
  bool folded = false;  ///< code_math.cuh
  std::unique_ptr<PatchReader> reader;
  PackedAtoms packed;
  DeviceArray<ChunkZones> chunk_zones;
  DeviceArray<int> cell_begins;
  DeviceArray<int> cell_members;
  DeviceArray<float> cell_weights;
  PatchBatch batch;
  DeviceArray<float> slot_sums;
};

}  // namespace krica::device
