// SPDX-License-Identifier: BSD-3-Clause
//
// The reconstruction from C = XᵀX, as in objectives/rica.cpp: Σ_i ‖VᵀV x_i - x_i‖² = tr(E C E) with
// E = VᵀV - I, gradient 2V(EC + CE). These products are small, and always in float32.
#include <algorithm>
#include <map>
#include <utility>

#include "device/check_cuda.hpp"
#include "device/devices.hpp"
#include "device/twin_parts.cuh"

namespace krica::device {
namespace {

constexpr int kGramRows = 4096;  // in float32; their sums are added in double

template <class Terms>
struct RicaTerm {
  const float* S;
  Terms terms;

  __device__ __forceinline__ float load(int i, int u) const {
    return S[static_cast<std::size_t>(i) * terms.stride + u];
  }
  __device__ __forceinline__ float add(int i, int u, float s, float& value) const {
    return terms.add(i, u, s, value);
  }
};

__global__ void add_kernel(const float* part, std::size_t count, double* sum) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) sum[i] += static_cast<double>(part[i]);
}
__global__ void narrow_kernel(const double* from, std::size_t count, float* to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = static_cast<float>(from[i]);
}
__global__ void minus_identity_kernel(float* E, int n, int width) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < static_cast<std::size_t>(n) * width) E[i] = i / width == i % width ? -1.0F : 0.0F;
}

/// values[block] ← its part of a Σ E ∘ EC; E ← 2a (EC + (EC)ᵀ).
__global__ void __launch_bounds__(kTileThreads)
    reconstruction_kernel(float a, float* E, const float* EC, int n, int width, double* values) {
  double value = 0;
  const std::int64_t count = static_cast<std::int64_t>(n) * n;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; e < count;
       e += step) {
    const std::size_t i = static_cast<std::size_t>(e) / n;
    const std::size_t j = static_cast<std::size_t>(e) % n;
    float& entry = E[i * width + j];
    const float product = EC[i * width + j];
    value += static_cast<double>(entry) * static_cast<double>(product);
    entry = 2 * a * (product + EC[j * width + i]);
  }
  value = block_sum(value);
  if (threadIdx.x == 0) values[blockIdx.x] = static_cast<double>(a) * value;
}

class RicaTwin final : public BasisTwin {
 public:
  RicaTwin(const TwinSamples& samples, const RicaTwinOptions& options)
      : reconstruction_(options.reconstruction),
        mean_(options.mean),
        parts_(samples, options.common,
               {(6 + static_cast<std::size_t>(options.common.parts)) * square(samples.n) *
                    sizeof(float),
                0}) {
    for (DeviceArray<float>* matrix : {&C_, &E_, &EC_}) matrix->fit(square(samples.n));
    sums_.fit(square(samples.n));
  }

  double evaluate(const float* W, std::span<const std::int64_t> rows, float* gradient,
                  float* /*curvature*/) override {
    parts_.samples.choose(rows);
    return run(W, parts_.samples.count(), gradient);
  }

  double evaluate_part(const float* W, SampleRange part, float* gradient,
                       float* /*curvature*/) override {
    parts_.samples.choose(part);
    return run(W, parts_.samples.total(), gradient);
  }

 private:
  /// The sum over the chosen samples, divided by m for a mean.
  double run(const float* W, std::int64_t m, float* gradient) {
    parts_.start(W);
    const std::int64_t count = parts_.samples.count();
    const std::int64_t at_a_time = parts_.samples.block_rows();
    for (std::int64_t first = 0; first < count; first += at_a_time)
      add_block(first, gradient != nullptr);
    add_reconstruction(gradient != nullptr);
    const double scale = mean_ ? 1 / static_cast<double>(m) : 1.0;
    if (gradient != nullptr) parts_.finish(false, static_cast<float>(scale), gradient, nullptr);
    check(cudaGetLastError(), "RICA");
    return scale * parts_.sum_of_values(1);
  }

  static std::size_t square(int n) {
    const auto side = static_cast<std::size_t>(filled_up(n + 1));
    return side * side;
  }
  [[nodiscard]] unsigned gram_blocks() const {
    return static_cast<unsigned>((sums_.size() + 255) / 256);
  }

  void add_block(std::int64_t first, bool with_gradient) {
    const SampleBlock block = parts_.samples.block(first);
    if (!knows_gram()) add_gram(block, first == 0);
    parts_.codes(block);
    add_terms(parts_, block, first, with_gradient, [&]<class Terms>(const Terms& terms) {
      return RicaTerm<Terms>{parts_.S.data(), terms};
    });
    if (with_gradient) parts_.add_sums(block, first == 0);
  }

  [[nodiscard]] bool knows_gram() const {
    return parts_.samples.is_range() && known_.contains(parts_.samples.range());
  }

  void add_gram(const SampleBlock& block, bool first) {
    const int width = parts_.samples.width();
    if (first) check(cudaMemsetAsync(sums_.data(), 0, sums_.size() * sizeof(double)), "memory");
    for (int row = 0; row < block.rows; row += kGramRows) {
      const float* X = block.X + static_cast<std::size_t>(row) * width;
      const int rows = std::min(kGramRows, block.rows - row);
      parts_.product(Products::kFloat32, {width, width, rows}, Op::kTransposed, {X, width},
                     Op::kPlain, {X, width}, {C_.data(), width});
      add_kernel<<<gram_blocks(), 256>>>(C_.data(), sums_.size(), sums_.data());
    }
  }

  /// C of the chosen samples.
  const float* gram() {
    if (knows_gram()) return known_.at(parts_.samples.range()).data();
    if (!parts_.samples.is_range()) {
      narrow_kernel<<<gram_blocks(), 256>>>(sums_.data(), sums_.size(), C_.data());
      return C_.data();
    }
    DeviceArray<float> C;
    C.fit(sums_.size());
    narrow_kernel<<<gram_blocks(), 256>>>(sums_.data(), sums_.size(), C.data());
    return known_.emplace(parts_.samples.range(), std::move(C)).first->second.data();
  }

  void add_reconstruction(bool with_gradient) {
    const int n = parts_.samples.n();
    const int width = parts_.samples.width();
    const DeviceMatrix E = {E_.data(), width};
    const DeviceMatrix EC = {EC_.data(), width};
    const ConstDeviceMatrix V = {parts_.W.data(), width};
    minus_identity_kernel<<<gram_blocks(), 256>>>(E_.data(), n, width);
    parts_.product(Products::kFloat32, {n, n, parts_.K}, Op::kTransposed, V, Op::kPlain, V, E, 1);
    parts_.product(Products::kFloat32, {n, n, n}, Op::kPlain, E, Op::kPlain, {gram(), width}, EC);
    const std::int64_t at_a_time = parts_.samples.block_rows();
    const std::int64_t behind = (parts_.samples.count() + at_a_time - 1) / at_a_time * at_a_time;
    reconstruction_kernel<<<kTileBlocks, kTileThreads>>>(reconstruction_, E_.data(), EC_.data(), n,
                                                         width, parts_.values_of(behind));
    if (with_gradient) {
      parts_.product(Products::kFloat32, {parts_.K, n, n}, Op::kPlain, V, Op::kPlain, E,
                     {parts_.D.data(), width}, 1);
    }
  }

  float reconstruction_;
  bool mean_;
  TwinParts parts_;
  std::map<SampleRange, DeviceArray<float>> known_;  // C of ranges
  DeviceArray<float> C_;                             // width × width each; n × n are used
  DeviceArray<float> E_;
  DeviceArray<float> EC_;
  DeviceArray<double> sums_;
};

}  // namespace

std::unique_ptr<BasisTwin> make_rica_twin(const TwinSamples& samples,
                                          const RicaTwinOptions& options) {
  require_usable(samples, options.common);
  static_cast<void>(device_facts());
  return std::make_unique<RicaTwin>(samples, options);
}

}  // namespace krica::device
