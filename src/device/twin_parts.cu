// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "device/check_cuda.hpp"
#include "device/sample_kernels.hpp"
#include "device/twin_parts.cuh"

namespace krica::device {
namespace {

/// So many that a block's codes take 256 MiB, but no more than keep the products busy.
std::int64_t usual_block_rows(int stride) {
  constexpr std::int64_t kMost = 32768;
  constexpr std::int64_t kCodes = std::int64_t{1} << 26;
  return std::clamp<std::int64_t>(kCodes / stride, 256, kMost);
}

int rows_at_a_time(const TwinSamples& samples, const TwinOptions& options, TwinMemory more) {
  const TwinMemory own = DeviceSamples::memory(samples);
  const auto width = static_cast<std::size_t>(filled_up(samples.n + 1)) * sizeof(float);
  const int stride = filled_up(options.atoms);
  more.fixed += own.fixed + 4 * static_cast<std::size_t>(stride) * width;
  more.per_row += own.per_row + width + 2 * static_cast<std::size_t>(stride) * sizeof(float) +
                  TermsOnDevice::bytes_per_row(options.contrast, stride);
  return block_rows_that_fit(more, options.memory_bytes,
                             options.block_rows > 0 ? options.block_rows : usual_block_rows(stride),
                             samples.count);
}

__global__ void finish_kernel(bool distance, float factor, const float* sums, int width,
                              const float* W, int K, int n, float* gradient, float* curvature) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= K * n) return;
  const float* row = sums + static_cast<std::size_t>(i / n) * width;
  gradient[i] = factor * (distance ? fmaf(row[n], W[i], -row[i % n]) : row[i % n]);
  if (i % n == 0) curvature[i / n] = factor * row[n];
}

}  // namespace

TwinParts::TwinParts(const TwinSamples& given, const TwinOptions& options, TwinMemory more)
    : K(options.atoms),
      stride(filled_up(options.atoms)),
      products(options.products),
      samples(given, rows_at_a_time(given, options, more)),
      terms(options.contrast, options.classes, K, stride, samples.block_rows()) {
  const auto side = static_cast<std::size_t>(stride);
  const auto width = static_cast<std::size_t>(samples.width());
  const auto rows = static_cast<std::size_t>(samples.block_rows());
  given_atoms.fit(static_cast<std::size_t>(K) * static_cast<std::size_t>(samples.n()));
  W.fit(side * width);
  norms_w.fit(side);
  S.fit(rows * side);
  Mt.fit(rows * side);
  Xt.fit(rows * width);
  D.fit(side * width);
  result.fit(given_atoms.size() + static_cast<std::size_t>(K));
  check(cudaMemset(W.data(), 0, W.size() * sizeof(float)), "memory");
  check(cudaMemset(norms_w.data(), 0, norms_w.size() * sizeof(float)), "memory");
}

void TwinParts::start(const float* atoms) {
  const std::int64_t blocks = (samples.count() - 1) / samples.block_rows() + 1;
  values.fit(static_cast<std::size_t>(blocks + 1) * kTileBlocks);
  copy(given_atoms.data(), atoms, given_atoms.size() * sizeof(float));
  widen(given_atoms.data(), K, samples.n(), samples.width(), 0, nullptr, W.data(), norms_w.data());
}

void TwinParts::product(Products precision, ProductSize size, Op left, ConstDeviceMatrix a,
                        Op right, ConstDeviceMatrix b, DeviceMatrix c, float beta) {
  Blas::current().product(precision, size, left, a, right, b, c, 1, beta);
}

void TwinParts::codes(const SampleBlock& block) {
  const int width = samples.width();
  product(products, {block.rows, stride, width}, Op::kPlain, {block.X, width}, Op::kTransposed,
          {W.data(), width}, {S.data(), stride});
}

void TwinParts::add_sums(const SampleBlock& block, bool first) {
  const int width = samples.width();
  const int t_stride = samples.block_rows();
  transpose(block.X, block.rows, width, Xt.data(), t_stride);
  product(products, {K, width, block.rows}, Op::kPlain, {Mt.data(), t_stride}, Op::kTransposed,
          {Xt.data(), t_stride}, {D.data(), width}, first ? 0.0F : 1.0F);
}

double* TwinParts::values_of(std::int64_t first) {
  return values.data() + first / samples.block_rows() * kTileBlocks;
}

double TwinParts::sum_of_values(int more) {
  const std::int64_t blocks = (samples.count() - 1) / samples.block_rows() + 1 + more;
  std::vector<double> parts(static_cast<std::size_t>(blocks) * kTileBlocks);
  copy(parts.data(), values.data(), parts.size() * sizeof(double));
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

void TwinParts::finish(bool distance, float factor, float* gradient, float* curvature) {
  const int n = samples.n();
  float* totals = result.data() + given_atoms.size();
  finish_kernel<<<(K * n + 255) / 256, 256>>>(distance, factor, D.data(), samples.width(),
                                              given_atoms.data(), K, n, result.data(), totals);
  check(cudaGetLastError(), "gradient");
  copy(gradient, result.data(), given_atoms.size() * sizeof(float));
  if (curvature != nullptr) copy(curvature, totals, static_cast<std::size_t>(K) * sizeof(float));
}

}  // namespace krica::device
