// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "device/adam.cuh"
#include "device/check_cuda.hpp"
#include "device/device_memory.hpp"
#include "device/image_store.hpp"
#include "device/margin_columns.cuh"
#include "device/margin_scores.cuh"
#include "device/margin_training.hpp"

namespace krica::device {
namespace {

__global__ void exp_kernel(const float* logarithms, float* values, int count) {
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] = static_cast<float>(exp(static_cast<double>(logarithms[i])));
}

__global__ void add_kernel(const float* more, float* sums, std::size_t count) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < count) sums[i] += more[i];
}

__global__ void check_finite_kernel(const float* values, std::size_t count, StepOutcome* outcome) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < count && !isfinite(values[i])) outcome->not_finite = 1;  // whoever comes last
}

/// Where the parameters' parts begin.
struct Places {
  std::size_t shapes = 0;
  std::size_t T = 0;
  std::size_t bias = 0;
  std::size_t end = 0;

  explicit Places(const MarginSpec& spec) {
    const auto K = static_cast<std::size_t>(spec.atoms.count);
    const auto classes = static_cast<std::size_t>(spec.classes);
    shapes = K * static_cast<std::size_t>(spec.patch.values());
    T = shapes + (spec.learn_shapes ? K : 0);
    bias = T + classes * spec.features();
    end = bias + classes;
  }
};

__global__ void adam_kernel(AdamArgs args, Places places, AdamRates basis, AdamRates T,
                            AdamRates bias, const StepOutcome* outcome) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= args.count || outcome->not_finite != 0) return;
  adam_update(args, i < places.T ? basis : i < places.bias ? T : bias, i);
}

/// Classes at a time.
int class_tile(int classes) { return std::min((classes + 3) / 4 * 4, 16); }
int class_stride(int classes) {
  const int tile = class_tile(classes);
  return (classes + tile - 1) / tile * tile;
}
/// Columns that a block of scores sums over.
int score_range(std::size_t features) {
  const auto even = static_cast<int>((features + kMostRanges - 1) / kMostRanges);
  return std::max(kFewestColumns, (even + kColumns - 1) / kColumns * kColumns);
}
std::size_t score_ranges(std::size_t features) {
  return blocks_for(features, score_range(features));
}

class Training final : public MarginTraining {
 public:
  explicit Training(const MarginSpec& spec)
      : spec_(spec), places_(spec), power_(spec.power), stride_(class_stride(spec.classes)) {
    for (DeviceArray<float>* vector : {&parameters_, &first_, &second_, &gradient_}) {
      vector->fit(places_.end);
      check(cudaMemset(vector->data(), 0, places_.end * 4), "parameters");
    }
    const auto rows = static_cast<std::size_t>(spec.batch);
    const auto K = static_cast<std::size_t>(spec.atoms.count);
    if (spec.log_shapes) shapes_.fit(K);
    Z_.fit(rows * spec.features());
    mean_.fit(spec.features());
    squares_.fit(spec.features());
    scales_.fit(spec.features());
    parts_.fit(score_ranges(spec.features()) * rows * static_cast<std::size_t>(stride_));
    E_.fit(rows * static_cast<std::size_t>(stride_));
    losses_.fit(rows);
    labels_.fit(rows);
    outcome_.fit(1);
    codes_ = make_pooled_codes(spec.patch, spec.pool, atoms_of(parameters_), spec.codes);
    if (codes_->most_images() >= spec.batch) return;
    part_Z_.fit(static_cast<std::size_t>(codes_->most_images()) * spec.features());
    part_gradient_.fit(places_.T);
  }

  void put(MarginVector which, const float* values) override {
    copy(vector(which).data(), values, places_.end * 4);
  }
  void get(MarginVector which, float* values) const override {
    copy(values, const_cast<Training*>(this)->vector(which).data(), places_.end * 4);
  }

  Loss step(const Pixels& images, std::span<const int> labels, const AdamStep& adam) override {
    const auto count = static_cast<int>(labels.size());
    copy(labels_.data(), labels.data(), labels.size() * sizeof(int));
    check(cudaMemsetAsync(outcome_.data(), 0, sizeof(StepOutcome)), "step");
    encode(images, count, parameters_);
    launch_moments(count, 0);
    launch_scores(count, parameters_, labels_.data());
    margin_sums_kernel<<<static_cast<unsigned>(spec_.classes) + 1, kSumThreads>>>(
        loss_args(count, parameters_, labels_.data()), gradient_.data() + places_.bias,
        outcome_.data());
    launch_backward(count);
    gradient_of_codes(images, count);
    check_finite_kernel<<<blocks_for(places_.end), kThreads>>>(gradient_.data(), places_.end,
                                                               outcome_.data());
    check(cudaGetLastError(), "gradient");  // before anything is changed
    launch_adam(adam);
    check(cudaGetLastError(), "step");
    StepOutcome outcome = {};
    copy(&outcome, outcome_.data(), sizeof(outcome));
    return {outcome.loss, outcome.not_finite == 0};
  }

  void clear_moments() override { summed_ = 0; }
  void add_moments(const Pixels& images, int count) override {
    encode(images, count, gradient_);
    launch_moments(count, summed_);
    summed_ += static_cast<double>(count);
  }
  void get_moments(double* mean, double* variance) const override {
    copy(mean, mean_.data(), spec_.features() * sizeof(double));
    copy(variance, squares_.data(), spec_.features() * sizeof(double));
    for (std::size_t j = 0; j < spec_.features(); ++j) variance[j] /= summed_;
  }

  void put_moments(const double* mean, const double* variance) override {
    std::vector<ColumnScale> scales(spec_.features());
    for (std::size_t j = 0; j < scales.size(); ++j)
      scales[j] = ColumnScale::of(mean[j], variance[j], spec_.variance_floor);
    scales_.assign(scales);
  }
  void scores(const Pixels& images, int count, float* scores) override {
    encode(images, count, gradient_);
    launch_scores(count, gradient_, nullptr);
    std::vector<float> padded(static_cast<std::size_t>(count) * static_cast<std::size_t>(stride_));
    copy(padded.data(), E_.data(), padded.size() * 4);
    for (int i = 0; i < count; ++i)
      std::copy_n(padded.begin() + i * stride_, spec_.classes, scores + i * spec_.classes);
  }

 private:
  DeviceArray<float>& vector(MarginVector which) {
    switch (which) {
      case MarginVector::kParameters:
        return parameters_;
      case MarginVector::kFirstMoment:
        return first_;
      case MarginVector::kSecondMoment:
        return second_;
      default:
        return gradient_;
    }
  }

  /// The atoms among parameters, with their shapes as the codes want them.
  AtomSpec atoms_of(const DeviceArray<float>& parameters) {
    AtomSpec atoms = spec_.atoms;
    atoms.W = parameters.data();
    atoms.shapes = spec_.learn_shapes ? parameters.data() + places_.shapes : nullptr;
    if (!spec_.learn_shapes || !spec_.log_shapes) return atoms;
    exp_kernel<<<blocks_for(static_cast<std::size_t>(atoms.count)), kThreads>>>(
        atoms.shapes, shapes_.data(), atoms.count);
    atoms.shapes = shapes_.data();
    return atoms;
  }

  /// Calls body(images, first, count) for as many images as the codes take at a time.
  template <class Body>
  void for_parts(const Pixels& images, int count, Body body) {
    const std::size_t values = ImageLayout{spec_.patch.channels, spec_.patch.height,
                                           spec_.patch.width, spec_.codes.float_images}
                                   .values();
    const int most = codes_->most_images();
    for (int first = 0; first < count; first += most) {
      const std::size_t skipped = static_cast<std::size_t>(first) * values;
      const Pixels part = {images.bytes != nullptr ? images.bytes + skipped : nullptr,
                           images.floats != nullptr ? images.floats + skipped : nullptr};
      body(part, first, std::min(most, count - first));
    }
  }

  void encode(const Pixels& images, int count, const DeviceArray<float>& parameters) {
    codes_->set_atoms(atoms_of(parameters));
    for_parts(images, count, [&](const Pixels& part, int first, int size) {
      codes_->encode(part, size, Z_.data() + static_cast<std::size_t>(first) * spec_.features());
    });
  }

  /// From ∂L/∂Z in Z's place. Codes are computed again if they take fewer images at a time.
  void gradient_of_codes(const Pixels& images, int count) {
    float* W = gradient_.data();
    float* shapes = spec_.learn_shapes ? W + places_.shapes : nullptr;
    if (count <= codes_->most_images()) {
      codes_->gradient(Z_.data(), W, shapes);
      return;
    }
    for_parts(images, count, [&](const Pixels& part, int first, int size) {
      float* to = first == 0 ? W : part_gradient_.data();
      codes_->encode(part, size, part_Z_.data());
      codes_->gradient(Z_.data() + static_cast<std::size_t>(first) * spec_.features(), to,
                       shapes != nullptr ? to + places_.shapes : nullptr);
      if (first > 0) add_kernel<<<blocks_for(places_.T), kThreads>>>(to, W, places_.T);
    });
  }

  [[nodiscard]] FeatureMatrix matrix(int count) {
    return {Z_.data(), count, static_cast<int>(spec_.features()), power_};
  }

  void launch_moments(int count, double before) {
    column_moments_kernel<<<blocks_for(spec_.features(), kColumns), dim3(kColumns, kRowGroups)>>>(
        {matrix(count), before, mean_.data(), squares_.data(), scales_.data(),
         spec_.variance_floor});
    check(cudaGetLastError(), "moments");
  }

  LossArgs loss_args(int count, const DeviceArray<float>& parameters, const int* labels) {
    return {parts_.data(), static_cast<int>(score_ranges(spec_.features())),
            count,         spec_.classes,
            stride_,       parameters.data() + places_.bias,
            labels,        spec_.cross_entropy,
            E_.data(),     losses_.data()};
  }

  /// Scores, or with labels ∂L/∂scores and the images' losses.
  void launch_scores(int count, const DeviceArray<float>& parameters, const int* labels) {
    const ScoreArgs args = {matrix(count), scales_.data(), parameters.data() + places_.T,
                            spec_.classes, stride_,        score_range(spec_.features()),
                            parts_.data()};
    const int tile = class_tile(spec_.classes);
    const dim3 blocks(blocks_for(static_cast<std::size_t>(count), kScoreRows),
                      static_cast<unsigned>(score_ranges(spec_.features())),
                      static_cast<unsigned>(stride_ / tile));
    const auto kernel = tile == 4    ? score_parts_kernel<1>
                        : tile == 8  ? score_parts_kernel<2>
                        : tile == 12 ? score_parts_kernel<3>
                                     : score_parts_kernel<4>;
    kernel<<<blocks, kScoreThreads>>>(args);
    margin_loss_kernel<<<blocks_for(static_cast<std::size_t>(count), 4), 128>>>(
        loss_args(count, parameters, labels));
    check(cudaGetLastError(), "scores");
  }

  void launch_backward(int count) {
    const MarginBackwardArgs args = {matrix(count),
                                     scales_.data(),
                                     E_.data(),
                                     stride_,
                                     parameters_.data() + places_.T,
                                     gradient_.data() + places_.bias,
                                     spec_.classes,
                                     gradient_.data() + places_.T};
    const int tile = class_tile(spec_.classes);
    const auto kernel = tile == 4    ? margin_backward_kernel<4>
                        : tile == 8  ? margin_backward_kernel<8>
                        : tile == 12 ? margin_backward_kernel<12>
                                     : margin_backward_kernel<16>;
    kernel<<<blocks_for(spec_.features(), kColumns), dim3(kColumns, kRowGroups)>>>(args);
    check(cudaGetLastError(), "gradient of the classifier");
  }

  void launch_adam(const AdamStep& adam) {
    const auto t = static_cast<double>(adam.step);
    const AdamArgs args = {gradient_.data(),
                           parameters_.data(),
                           first_.data(),
                           second_.data(),
                           places_.end,
                           adam.beta1,
                           adam.beta2,
                           1 - std::pow(adam.beta1, t),
                           1 - std::pow(adam.beta2, t),
                           adam.epsilon};
    adam_kernel<<<blocks_for(places_.end), kThreads>>>(args, places_, {adam.basis_rate, 0},
                                                       {adam.classifier_rate, adam.decay},
                                                       {adam.classifier_rate, 0}, outcome_.data());
  }

  MarginSpec spec_;
  Places places_;
  PoolPower power_;
  int stride_;  // of rows of classes
  DeviceArray<float> parameters_;
  DeviceArray<float> first_;
  DeviceArray<float> second_;
  DeviceArray<float> gradient_;
  DeviceArray<float> shapes_;
  DeviceArray<float> Z_;  // later ∂L/∂Z
  DeviceArray<double> mean_;
  DeviceArray<double> squares_;
  DeviceArray<ColumnScale> scales_;
  DeviceArray<float> parts_;
  DeviceArray<float> E_;
  DeviceArray<double> losses_;
  DeviceArray<int> labels_;
  DeviceArray<StepOutcome> outcome_;
  DeviceArray<float> part_Z_;
  DeviceArray<float> part_gradient_;
  std::unique_ptr<PooledCodes> codes_;
  double summed_ = 0;  // images
};

}  // namespace

std::unique_ptr<MarginTraining> make_margin_training(const MarginSpec& spec) {
  return std::make_unique<Training>(spec);
}

}  // namespace krica::device
