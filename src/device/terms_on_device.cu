// SPDX-License-Identifier: BSD-3-Clause
#include "device/terms_on_device.cuh"
#include "device/tiles.cuh"

namespace krica::device {
namespace {

/// pooled ← λ σ_j / sqrt(ε + Σ_u H_ju s_u²).
__global__ void __launch_bounds__(kThreads)
    pool_kernel(const CodeTerms terms, const int* offsets, const int* columns, const float* values,
                const float* S, int rows, int K, float* pooled) {
  const std::int64_t count = static_cast<std::int64_t>(rows) * K;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       at < count; at += step) {
    const auto j = static_cast<int>(at % K);
    const std::size_t row = static_cast<std::size_t>(at / K) * terms.stride;
    float energy = terms.epsilon;
    for (int e = offsets[j]; e < offsets[j + 1]; ++e) {
      const float s = S[row + columns[e]];
      energy = fmaf(values[e] * s, s, energy);
    }
    const float sign = terms.signs == nullptr ? 1.0F : terms.signs[j];
    pooled[row + j] = terms.weight * sign / sqrtf(energy);
  }
}

/// Σ_{u∈y} s_u and Σ_{u∉y} s_u; a warp has a row.
__global__ void __launch_bounds__(kThreads)
    class_sums_kernel(const float* S, int stride, const int* labels, const int* atom_class,
                      int rows, int K, float2* sums) {
  const int row = blockIdx.x * kWarps + threadIdx.x / kWarp;
  if (row >= rows) return;
  const float* s = S + static_cast<std::size_t>(row) * stride;
  const int label = labels[row];
  float own = 0;
  float other = 0;
  for (int u = threadIdx.x % 32; u < K; u += 32) (atom_class[u] == label ? own : other) += s[u];
  own = warp_sum(own);
  other = warp_sum(other);
  if (threadIdx.x % 32 == 0) sums[row] = {own, other};
}

}  // namespace

TermsOnDevice::TermsOnDevice(const ContrastSpec& contrast, const ClassSpec& classes, int K,
                             int stride, int block_rows)
    : K_(K),
      terms_{.stride = stride,
             .kind = contrast.kind,
             .weight = contrast.weight,
             .epsilon = contrast.epsilon,
             .beta = contrast.beta,
             .own = classes.own,
             .other = classes.other,
             .sums = classes.sums,
             .homogeneous = classes.homogeneous ? 1.0F : 0.0F},
      classes_active_(classes.active()) {
  if (!contrast.signs.empty()) {
    signs_.assign(contrast.signs);
    terms_.signs = signs_.data();
  }
  if (contrast.pooled()) {
    const SparseMatrix back = transposed(contrast.groups);
    offsets_.assign(contrast.groups.offsets);
    columns_.assign(contrast.groups.columns);
    values_.assign(contrast.groups.values);
    transposed_offsets_.assign(back.offsets);
    transposed_columns_.assign(back.columns);
    transposed_values_.assign(back.values);
    pooled_.fit(static_cast<std::size_t>(block_rows) * static_cast<std::size_t>(stride));
    terms_.pooled = pooled_.data();
    terms_.offsets = transposed_offsets_.data();
    terms_.columns = transposed_columns_.data();
    terms_.values = transposed_values_.data();
  }
  if (!classes_active_) return;
  atom_class_.assign(classes.atom_class);
  terms_.atom_class = atom_class_.data();
  if (classes.sums == 0) return;
  class_sums_.fit(static_cast<std::size_t>(block_rows));
  terms_.class_sums = class_sums_.data();
}

std::size_t TermsOnDevice::bytes_per_row(const ContrastSpec& contrast, int stride) {
  return sizeof(float2) +
         (contrast.pooled() ? static_cast<std::size_t>(stride) * sizeof(float) : 0);
}

CodeTerms TermsOnDevice::of(const float* S, const SampleBlock& block) {
  if (terms_.pooled != nullptr) {
    pool_kernel<<<kTileBlocks, kThreads>>>(terms_, offsets_.data(), columns_.data(), values_.data(),
                                           S, block.rows, K_, pooled_.data());
  }
  CodeTerms terms = terms_;
  if (!classes_active_) return terms;
  terms.labels = block.labels;
  if (terms.class_sums != nullptr) {
    class_sums_kernel<<<blocks_for(static_cast<std::size_t>(block.rows), kWarps), kThreads>>>(
        S, terms.stride, block.labels, atom_class_.data(), block.rows, K_, class_sums_.data());
  }
  return terms;
}

}  // namespace krica::device
