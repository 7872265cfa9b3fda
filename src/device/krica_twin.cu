// SPDX-License-Identifier: BSD-3-Clause
#include "device/check_cuda.hpp"
#include "device/devices.hpp"
#include "device/krica_kernels.cuh"
#include "device/sample_kernels.hpp"
#include "device/twin_parts.cuh"

namespace krica::device {
namespace {

class KricaTwin final : public BasisTwin {
 public:
  KricaTwin(const TwinSamples& samples, const KricaTwinOptions& options)
      : kernel_(options.kernel),
        reconstruction_(options.reconstruction),
        parts_(samples, options.common, memory(options.common.atoms)) {
    const auto side = static_cast<std::size_t>(parts_.stride);
    const std::size_t block = static_cast<std::size_t>(parts_.samples.block_rows()) * side;
    G_.fit(side * side);
    C_.fit(side * side);
    T_.fit(block);
    St_.fit(block);
  }

  double evaluate(const float* W, std::span<const std::int64_t> rows, float* gradient,
                  float* curvature) override {
    parts_.samples.choose(rows);
    return run(W, parts_.samples.count(), gradient, curvature);
  }

  double evaluate_part(const float* W, SampleRange part, float* gradient,
                       float* curvature) override {
    parts_.samples.choose(part);
    return run(W, parts_.samples.total(), gradient, curvature);
  }

 private:
  /// The sum over the chosen samples, divided by m.
  double run(const float* W, std::int64_t m, float* gradient, float* curvature) {
    parts_.start(W);
    evaluate_atoms();
    const std::int64_t count = parts_.samples.count();
    for (std::int64_t first = 0; first < count; first += parts_.samples.block_rows())
      add_block(first, gradient != nullptr);
    if (gradient != nullptr) {
      add_atoms();
      parts_.finish(is_distance(kernel_.kind), 1.0F / static_cast<float>(m), gradient, curvature);
    }
    check(cudaGetLastError(), "kRICA");
    return parts_.sum_of_values() / static_cast<double>(m);
  }

  static TwinMemory memory(int atoms) {
    const auto side = static_cast<std::size_t>(filled_up(atoms)) * sizeof(float);
    return {2 * side * static_cast<std::size_t>(filled_up(atoms)), 2 * side};
  }
  /// A thread for each pair of atoms, or each value of G.
  [[nodiscard]] dim3 pairs(int rows) const {
    return {blocks_for(static_cast<std::size_t>(parts_.stride)),
            static_cast<unsigned>(std::min(rows, kLargestGrid))};
  }

  /// G, always from products in float32.
  void evaluate_atoms() {
    const int width = parts_.samples.width();
    const int side = parts_.stride;
    parts_.product(Products::kFloat32, {side, side, width}, Op::kPlain, {parts_.W.data(), width},
                   Op::kTransposed, {parts_.W.data(), width}, {G_.data(), side});
    gram_kernel<<<pairs(side), kThreads>>>(kernel_, G_.data(), side, parts_.norms_w.data(),
                                           parts_.K);
  }

  void add_block(std::int64_t first, bool with_gradient) {
    const SampleBlock block = parts_.samples.block(first);
    const int side = parts_.stride;
    const int t_stride = parts_.samples.block_rows();
    float* S = parts_.S.data();
    float* St = with_gradient ? St_.data() : nullptr;
    parts_.codes(block);
    mercer_kernel<<<kTileBlocks, kTileThreads>>>(kernel_, S, St, side, t_stride, block.norms,
                                                 parts_.norms_w.data(), block.rows, parts_.K);
    parts_.product(parts_.products, {block.rows, side, side}, Op::kPlain, {S, side},
                   Op::kTransposed, {G_.data(), side}, {T_.data(), side});  // G = Gᵀ
    add_terms(parts_, block, first, with_gradient, [&]<class Terms>(const Terms& terms) {
      return KricaTerm<Terms>{kernel_, reconstruction_, S, T_.data(), block.norms, terms};
    });
    if (!with_gradient) return;
    parts_.product(parts_.products, {side, side, block.rows}, Op::kPlain, {St, t_stride},
                   Op::kTransposed, {St, t_stride}, {C_.data(), side}, first == 0 ? 0.0F : 1.0F);
    parts_.add_sums(block, first == 0);
  }

  /// Through G: the atoms as samples, with a 1 behind them as the samples have.
  void add_atoms() {
    const int width = parts_.samples.width();
    const int side = parts_.stride;
    widen(parts_.given_atoms.data(), parts_.K, parts_.samples.n(), width, 1.0F, nullptr,
          parts_.W.data(), nullptr);
    gram_weights_kernel<<<pairs(parts_.K), kThreads>>>(kernel_, 2 * reconstruction_, G_.data(),
                                                       C_.data(), side, parts_.K);
    parts_.product(parts_.products, {parts_.K, width, parts_.K}, Op::kTransposed, {C_.data(), side},
                   Op::kPlain, {parts_.W.data(), width}, {parts_.D.data(), width}, 1);
  }

  Mercer kernel_;
  float reconstruction_;
  TwinParts parts_;
  DeviceArray<float> G_;
  DeviceArray<float> C_;  // SᵀS
  DeviceArray<float> T_;
  DeviceArray<float> St_;
};

}  // namespace

std::unique_ptr<BasisTwin> make_krica_twin(const TwinSamples& samples,
                                           const KricaTwinOptions& options) {
  require_usable(samples, options);
  static_cast<void>(device_facts());
  return std::make_unique<KricaTwin>(samples, options);
}

}  // namespace krica::device
