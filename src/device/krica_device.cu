// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "device/blas.hpp"
#include "device/check_cuda.hpp"
#include "device/device_error.hpp"
#include "device/device_memory.hpp"
#include "device/devices.hpp"
#include "device/krica_device.hpp"
#include "device/krica_kernels.cuh"

namespace krica::device {
namespace {

constexpr int kTermBlocks = 1056;  // 8 for each of 132 processors; fixes the order of sums

int filled_up(int value) { return (value + 7) / 8 * 8; }

}  // namespace

struct KricaDevice::Parts {
  KricaDeviceOptions options;
  std::int64_t m = 0;
  int n = 0;
  int K = 0;
  int width = 0;   ///< n + 1 filled up to a multiple of 8
  int stride = 0;  ///< K filled up to a multiple of 8
  int xt_stride = 0;
  double self = 0;  ///< Σ_i κ(x_i, x_i)
  DeviceArray<float> X;
  DeviceArray<float> Xt;
  DeviceArray<float> norms_x;
  DeviceArray<float> W;
  DeviceArray<float> norms_w;
  DeviceArray<float> G;
  DeviceArray<float> C;
  DeviceArray<float> S;
  DeviceArray<float> T;
  DeviceArray<float> St;
  DeviceArray<float> Mt;
  DeviceArray<float> D;
  DeviceArray<double> values;

  void take_samples(const float* samples);
  void fit_blocks();
  void sum_self();
  void product(Op left, Op right, ProductSize size, const float* a, int a_stride, const float* b,
               int b_stride, float beta, float* c, int c_stride, bool exact = false);
  void add_block(std::int64_t first, int block);
};

KricaDevice::KricaDevice(const float* X, std::int64_t samples, int n, int atoms,
                         const KricaDeviceOptions& options) {
  require_usable(samples, n, atoms, options);
  static_cast<void>(device_facts());
  parts_ = std::make_unique<Parts>();
  Parts& p = *parts_;
  p.options = options;
  p.m = samples;
  p.n = n;
  p.K = atoms;
  p.width = filled_up(n + 1);
  p.stride = filled_up(atoms);
  p.xt_stride = filled_up(static_cast<int>(samples));
  p.options.block_rows =
      filled_up(static_cast<int>(std::min<std::int64_t>(options.block_rows, samples)));
  p.take_samples(X);
  p.fit_blocks();
  p.sum_self();
}

KricaDevice::~KricaDevice() = default;

void KricaDevice::Parts::take_samples(const float* samples) {
  const auto rows = static_cast<std::size_t>(m);
  DeviceArray<float> narrow;
  narrow.fit(rows * static_cast<std::size_t>(n));
  copy(narrow.data(), samples, rows * static_cast<std::size_t>(n) * 4);
  X.fit(rows * static_cast<std::size_t>(width));
  norms_x.fit(rows);
  widen_kernel<<<static_cast<unsigned>((m + 7) / 8), 256>>>(narrow.data(), static_cast<int>(m), n,
                                                            width, 1.0F, X.data(), norms_x.data());
  Xt.fit(static_cast<std::size_t>(xt_stride) * static_cast<std::size_t>(width));
  transpose_kernel<<<kTermBlocks, kTileThreads>>>(X.data(), static_cast<int>(m), width, Xt.data(),
                                                  xt_stride);
  check(cudaDeviceSynchronize(), "samples");
}

void KricaDevice::Parts::fit_blocks() {
  const auto side = static_cast<std::size_t>(stride);
  const std::size_t block = static_cast<std::size_t>(options.block_rows) * side;
  W.fit(side * static_cast<std::size_t>(width));
  norms_w.fit(side);
  G.fit(side * side);
  C.fit(side * side);
  S.fit(block);
  T.fit(block);
  St.fit(block);
  Mt.fit(block);
  D.fit(side * static_cast<std::size_t>(width));
  check(cudaMemset(W.data(), 0, W.size() * 4), "memory");
  check(cudaMemset(norms_w.data(), 0, norms_w.size() * 4), "memory");
  values.fit(static_cast<std::size_t>((m + options.block_rows - 1) / options.block_rows) *
             kTermBlocks);
}

void KricaDevice::Parts::sum_self() {
  const Mercer& kernel = options.kernel;
  self = static_cast<double>(m);
  if (kernel.kind == MercerKind::kInverseDistance)
    self /= 1 + static_cast<double>(kernel.scale) * 1e-4;
  if (is_distance(kernel.kind)) return;
  self = 0;
  for (const float norm : norms_x.values())
    self += kernel.kind == MercerKind::kLinear
                ? static_cast<double>(norm)
                : std::pow(1 + static_cast<double>(norm), kernel.degree);
}

/// c = op(a) op(b) + beta c.
void KricaDevice::Parts::product(Op left, Op right, ProductSize size, const float* a, int a_stride,
                                 const float* b, int b_stride, float beta, float* c, int c_stride,
                                 bool exact) {
  Blas::current().product(exact ? Products::kFloat32 : options.products, size, left, {a, a_stride},
                          right, {b, b_stride}, {c, c_stride}, 1, beta);
}

/// The samples from `first` on, as many as a block has.
void KricaDevice::Parts::add_block(std::int64_t first, int block) {
  const Mercer& kernel = options.kernel;
  const KricaTerm term = {options.reconstruction, options.sparsity, options.epsilon};
  const bool all = !options.products_only;
  const auto rows = static_cast<int>(std::min<std::int64_t>(options.block_rows, m - first));
  const float* x = X.data() + static_cast<std::size_t>(first) * static_cast<std::size_t>(width);
  const float beta = first == 0 ? 0.0F : 1.0F;
  const int t_stride = options.block_rows;
  product(Op::kPlain, Op::kTransposed, {rows, stride, width}, x, width, W.data(), width, 0,
          S.data(), stride);
  if (all)
    mercer_kernel<<<kTermBlocks, kTileThreads>>>(kernel, S.data(), St.data(), stride, t_stride,
                                                 norms_x.data() + first, norms_w.data(), rows, K);
  product(Op::kPlain, Op::kTransposed, {rows, stride, stride}, S.data(), stride, G.data(), stride,
          0, T.data(), stride);  // G is its own transpose
  product(Op::kPlain, Op::kTransposed, {stride, stride, rows}, St.data(), t_stride, St.data(),
          t_stride, beta, C.data(), stride);
  if (all)
    krica_terms_kernel<<<kTermBlocks, kTileThreads>>>(
        kernel, term, S.data(), T.data(), Mt.data(), stride, t_stride, rows, K,
        values.data() + static_cast<std::size_t>(block) * kTermBlocks);
  product(Op::kPlain, Op::kTransposed, {stride, width, rows}, Mt.data(), t_stride,
          Xt.data() + first, xt_stride, beta, D.data(), width);
}

double KricaDevice::value_and_gradient(const float* W, float* gradient) {
  Parts& p = *parts_;
  const Mercer& kernel = p.options.kernel;
  widen_kernel<<<(p.K + 7) / 8, 256>>>(W, p.K, p.n, p.width, 0.0F, p.W.data(), p.norms_w.data());
  const dim3 gram_blocks(static_cast<unsigned>((p.stride + 255) / 256),
                         static_cast<unsigned>(p.stride));
  p.product(Op::kPlain, Op::kTransposed, {p.stride, p.stride, p.width}, p.W.data(), p.width,
            p.W.data(), p.width, 0, p.G.data(), p.stride, true);
  gram_kernel<<<gram_blocks, 256>>>(kernel, p.G.data(), p.stride, p.norms_w.data(), p.K);
  int block = 0;
  for (std::int64_t first = 0; first < p.m; first += p.options.block_rows)
    p.add_block(first, block++);
  // Through G: the atoms as samples, with a 1 behind them as the samples have.
  widen_kernel<<<(p.K + 7) / 8, 256>>>(W, p.K, p.n, p.width, 1.0F, p.W.data(), p.norms_w.data());
  gram_weights_kernel<<<dim3(gram_blocks.x, static_cast<unsigned>(p.K)), 256>>>(
      kernel, 2 * p.options.reconstruction, p.G.data(), p.C.data(), p.stride, p.K);
  p.product(Op::kTransposed, Op::kPlain, {p.K, p.width, p.K}, p.C.data(), p.stride, p.W.data(),
            p.width, 1, p.D.data(), p.width);
  krica_finish_kernel<<<(p.K * p.n + 255) / 256, 256>>>(is_distance(kernel.kind),
                                                        1.0F / static_cast<float>(p.m), p.D.data(),
                                                        p.width, W, p.K, p.n, gradient);
  check(cudaGetLastError(), "kRICA");
  double sum = static_cast<double>(p.options.reconstruction) * p.self;
  for (const double value : p.values.values()) sum += value;
  return sum / static_cast<double>(p.m);
}

}  // namespace krica::device
