// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "device/blas.hpp"
#include "device/check_cuda.hpp"
#include "device/device_memory.hpp"
#include "device/hinge_sums.hpp"
#include "device/launch.cuh"

namespace krica {
void release_pages_when_due();  // runtime/large_matrix.hpp, which nvcc need not read
}

namespace krica::device {
namespace {

constexpr std::size_t kUploadBytes = std::size_t{64} << 20;  // at a time
constexpr int kRowsAtATime = 1024;                           // whose losses one block adds up

struct HingeArgs {
  float* scores;  ///< rows × classes: w_c·z_i; then the derivatives of the loss
  const float* W;
  const int* labels;
  const float* sample_weights;
  int rows;
  int cols;
  int classes;
  double* losses;     ///< one for each block
  double* bias_sums;  ///< blocks × classes
};

/// One block for kRowsAtATime rows.
__global__ void hinge_kernel(const HingeArgs args) {
  const int first = static_cast<int>(blockIdx.x) * kRowsAtATime;
  const int last = min(args.rows, first + kRowsAtATime);
  double loss = 0;
  for (int c = 0; c < args.classes; ++c) {
    const float bias = args.W[static_cast<std::size_t>(c) * (args.cols + 1) + args.cols];
    double sum = 0;
    for (int i = first + static_cast<int>(threadIdx.x); i < last; i += kThreads) {
      float& score = args.scores[static_cast<std::size_t>(i) * args.classes + c];
      const float weight = args.sample_weights[i];
      const float y = c == args.labels[i] ? 1.0F : -1.0F;
      const float margin = fmaxf(0.0F, 1.0F - y * (score + bias));
      loss +=
          static_cast<double>(weight) * static_cast<double>(margin) * static_cast<double>(margin);
      score = -2.0F * weight * y * margin;
      sum += static_cast<double>(score);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
      args.bias_sums[static_cast<std::size_t>(blockIdx.x) * args.classes + c] = sum;
  }
  loss = block_sum(loss);
  if (threadIdx.x == 0) args.losses[blockIdx.x] = loss;
}

class ResidentHinge final : public HingeSums {
 public:
  ResidentHinge(const SampleMatrix& Z, std::span<const int> labels, int classes)
      : rows_(static_cast<int>(Z.rows)), cols_(static_cast<int>(Z.cols)), classes_(classes) {
    const auto blocks = static_cast<std::size_t>((rows_ + kRowsAtATime - 1) / kRowsAtATime);
    const auto cols = static_cast<std::size_t>(Z.cols);
    Z_.fit(static_cast<std::size_t>(Z.rows) * cols);
    upload(Z);
    labels_.assign({labels.begin(), labels.end()});
    scores_.fit(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(classes));
    W_.fit(static_cast<std::size_t>(classes) * (cols + 1));
    gradient_.fit(W_.size());
    check(cudaMemset(gradient_.data(), 0, gradient_.size() * 4), "memory");  // biases stay 0 there
    losses_.fit(blocks);
    bias_sums_.fit(blocks * static_cast<std::size_t>(classes));
  }

  double evaluate(SampleRange range, std::span<const float> sample_weights, const float* W,
                  float* gradient) override {
    const auto rows = static_cast<int>(range.count);
    const int blocks = (rows + kRowsAtATime - 1) / kRowsAtATime;
    const float* Z = Z_.data() + static_cast<std::size_t>(range.first) * cols_;
    weights_.assign({sample_weights.begin(), sample_weights.end()});
    copy(W_.data(), W, W_.size() * 4);
    Blas& blas = Blas::current();
    blas.product(Products::kFloat32, {rows, classes_, cols_}, Op::kPlain, {Z, cols_},
                 Op::kTransposed, {W_.data(), cols_ + 1}, {scores_.data(), classes_});
    hinge_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(
        {scores_.data(), W_.data(), labels_.data() + range.first, weights_.data(), rows, cols_,
         classes_, losses_.data(), bias_sums_.data()});
    check(cudaGetLastError(), "hinge loss");
    if (gradient != nullptr) {
      blas.product(Products::kFloat32, {classes_, cols_, rows}, Op::kTransposed,
                   {scores_.data(), classes_}, Op::kPlain, {Z, cols_},
                   {gradient_.data(), cols_ + 1});
      copy(gradient, gradient_.data(), gradient_.size() * 4);
      add_bias(blocks, gradient);
    }
    const std::vector<double> losses = losses_.values();
    double loss = 0;
    for (int b = 0; b < blocks; ++b) loss += losses[static_cast<std::size_t>(b)];
    return loss;
  }

  void gram(int first, int count, int rows, int step, float scale, float* gram) override {
    DeviceArray<float> result;
    result.fit(static_cast<std::size_t>(count) * static_cast<std::size_t>(count));
    const ConstDeviceMatrix part(Z_.data() + first, cols_ * step);
    Blas::current().product(Products::kFloat32, {count, count, rows}, Op::kTransposed, part,
                            Op::kPlain, part, {result.data(), count}, scale);
    copy(gram, result.data(), result.size() * 4);
  }

 private:
  /// In parts, as Z may lie in a file of which little stays in memory.
  void upload(const SampleMatrix& Z) {
    const auto cols = static_cast<std::size_t>(Z.cols);
    const auto rows_at_a_time = static_cast<std::int64_t>(std::max<std::size_t>(
        1, kUploadBytes / (static_cast<std::size_t>(Z.stride) * sizeof(float))));
    for (std::int64_t first = 0; first < Z.rows; first += rows_at_a_time) {
      const auto rows = static_cast<std::size_t>(std::min(rows_at_a_time, Z.rows - first));
      check(cudaMemcpy2D(Z_.data() + static_cast<std::size_t>(first) * cols, cols * 4,
                         Z.data + first * Z.stride, static_cast<std::size_t>(Z.stride) * 4,
                         cols * 4, rows, cudaMemcpyHostToDevice),
            "features");
      release_pages_when_due();
    }
  }

  void add_bias(int blocks, float* gradient) const {
    const std::vector<double> sums = bias_sums_.values();
    for (int c = 0; c < classes_; ++c) {
      double sum = 0;
      for (int b = 0; b < blocks; ++b) sum += sums[static_cast<std::size_t>(b * classes_ + c)];
      gradient[static_cast<std::size_t>(c + 1) * static_cast<std::size_t>(cols_ + 1) - 1] =
          static_cast<float>(sum);
    }
  }

  int rows_;
  int cols_;
  int classes_;
  DeviceArray<float> Z_;
  DeviceArray<int> labels_;
  DeviceArray<float> weights_;
  DeviceArray<float> W_;
  DeviceArray<float> gradient_;
  DeviceArray<float> scores_;
  DeviceArray<double> losses_;
  DeviceArray<double> bias_sums_;
};

}  // namespace

std::unique_ptr<HingeSums> make_hinge_sums(const SampleMatrix& Z, std::span<const int> labels,
                                           int classes) {
  return std::make_unique<ResidentHinge>(Z, labels, classes);
}

}  // namespace krica::device
