// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/conv_rbm.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "objectives/activity_penalty.hpp"
#include "objectives/conv_device.hpp"
#include "objectives/packed_layer.hpp"
#include "objectives/sigmoid.hpp"
#include "runtime/blas.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/purpose_hash.hpp"

namespace krica {
namespace {

using blas::Op;

constexpr std::string_view kName = "conv_rbm";
constexpr std::string_view kDraws = "conv_rbm.hidden";  // the streams from which h is drawn

template <class Scalar>
ConstMatrixView<Scalar> checked(ConstMatrixView<Scalar> X, std::span<const ConvLayer<Scalar>> below,
                                const ConvRbmOptions& options) {
  options.validate();
  const ImageShape& first = below.empty() ? options.shape.input : below.front().shape().input;
  const ImageShape top = below.empty() ? options.shape.input : below.back().shape().pooled();
  require(X.cols() == first.values() && top == options.shape.input, kName,
          "images of {} values and maps of {} x {} x {} do not fit a layer on maps of {} x {} x {}",
          X.cols(), top.height, top.width, top.channels, options.shape.input.height,
          options.shape.input.width, options.shape.input.channels);
  return X;
}

constexpr Index kImagesForMoments = 1000;

/// Sums over the pixels of maps, one per channel.
struct ChannelSums {
  std::vector<double> sums;
  std::vector<double> squares;

  static auto members(auto& all) { return std::tie(all.sums, all.squares); }
};

/// Over images that are spread evenly.
template <class Scalar>
MapMoments moments_of(const Context& context, ConstMatrixView<Scalar> X,
                      std::span<const ConvLayer<Scalar>> below, const ImageShape& map) {
  const Index count = std::min(X.rows(), kImagesForMoments);
  const auto channels = static_cast<std::size_t>(map.channels);
  const auto zero = std::vector<double>(channels, 0.0);
  const auto all = ordered_reduce<ChannelSums>(
      context, count, Work{},
      [&] {
        return ChannelSums{zero, zero};
      },
      [&](Index i, ChannelSums& sum) {
        const Scalar* image = X.data() + i * X.rows() / count * X.outerStride();
        const std::vector<Scalar> above = map_above<Scalar>(below, image);
        const Scalar* channel = below.empty() ? image : above.data();
        for (std::size_t c = 0; c < channels; ++c, channel += map.pixels()) {
          sum.sums[c] += ordered_sum(channel, map.pixels());
          sum.squares[c] += ordered_dot(channel, channel, map.pixels());
        }
      });
  MapMoments moments{.mean = {}, .variance = 0};
  const double pixels = static_cast<double>(count) * static_cast<double>(map.pixels());
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = all.sums[c] / pixels;
    moments.mean.push_back(mean);
    moments.variance +=
        std::max(0.0, all.squares[c] / pixels - mean * mean) / static_cast<double>(channels);
  }
  require(moments.variance > 0, kName, "the images do not vary");
  return moments;
}

/// One of the four units of each block and group, or none: turns probabilities into 0 and 1.
template <class Scalar>
void draw_units(Random& random, MatrixView<Scalar> units) {
  for (Index first = 0; first < units.rows(); first += kBlockUnits) {
    for (Index k = 0; k < units.cols(); ++k) {
      double left = random.uniform();
      for (Index unit = first; unit < first + kBlockUnits; ++unit) {
        const auto p = static_cast<double>(units(unit, k));
        units(unit, k) = left >= 0 && left < p ? Scalar(1) : Scalar(0);
        left -= p;
      }
    }
  }
}

/// The sums of one evaluation.
template <class Scalar>
struct PhaseSums {
  double squared_error = 0;   // Σ ‖v' - v‖²
  ConvRbmSums<Scalar> data;   // of v
  ConvRbmSums<Scalar> model;  // of v'

  explicit PhaseSums(const ConvShape& shape) : data(shape), model(shape) {}
  static auto members(auto& sums) { return std::tie(sums.squared_error, sums.data, sums.model); }
};

/// Positive and negative phase of one map.
template <class Scalar>
void add_phases(const ConvRbm<Scalar>& machine, Random random, const Scalar* v, Index values,
                PhaseSums<Scalar>& sums) {
  std::vector<Scalar> model_v(static_cast<std::size_t>(values), Scalar(0));
  machine.add(v, Scalar(1), sums.data, &random, model_v.data());
  machine.reconstruct(model_v.data());
  machine.add(model_v.data(), Scalar(1), sums.model);
  sums.squared_error += ordered_squared_distance(v, model_v.data(), values);
}

}  // namespace

void ConvRbmOptions::validate() const {
  shape.validate();
  require(std::isfinite(sparsity) && sparsity >= 0, kName,
          "sparsity must be finite and >= 0, got {}", sparsity);
  require(sparsity_target > 0 && sparsity_target < 1, kName,
          "sparsity_target must lie between 0 and 1, got {}", sparsity_target);
}

template <class Scalar>
ConvRbm<Scalar>::ConvRbm(const ConvShape& shape, VisibleUnits visible, MapMoments moments,
                         ConstMatrixView<Scalar> packed)
    : shape_(shape),
      visible_(visible),
      moments_(std::move(moments)),
      weights_(packed.data(), shape.groups, shape.window(), packed.outerStride()),
      bias_(PackedLayer<Scalar>(packed, shape.window()).bias),
      visible_bias_(packed.data() + shape.groups * packed.outerStride()) {
  require(packed.rows() == shape.groups + 1 && packed.cols() == shape.window() + 1, kName,
          "parameters of {} x {} for {} groups with windows of {} values", packed.rows(),
          packed.cols(), shape.groups, shape.window());
}

template <class Scalar>
std::vector<Scalar> ConvRbm<Scalar>::centred(const Scalar* v) const {
  const Index pixels = shape_.input.pixels();
  std::vector<Scalar> result(v, v + shape_.input.values());
  for (std::size_t j = 0; j < result.size(); ++j)
    result[j] -= static_cast<Scalar>(moments_.mean[j / static_cast<std::size_t>(pixels)]);
  return result;
}

template <class Scalar>
void ConvRbm<Scalar>::probabilities(const Scalar* centred, Range blocks, MatrixView<Scalar> windows,
                                    MatrixView<Scalar> units, double* log_sums) const {
  read_windows<Scalar>(shape_, centred, blocks, windows);
  blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), windows, weights_, Scalar(0), units);
  block_probabilities<Scalar>(bias_, units, nullptr, log_sums);
}

template <class Scalar>
double ConvRbm<Scalar>::free_energy(const Scalar* v) const {
  double energy = 0;
  double log_sums = 0;
  for (Index c = 0; c < shape_.input.channels; ++c) {
    const auto bias = static_cast<double>(visible_bias_[c]);
    for (Index p = 0; p < shape_.input.pixels(); ++p) {
      const auto value = static_cast<double>(v[c * shape_.input.pixels() + p]);
      energy += visible_ == VisibleUnits::kBinary
                    ? -bias * value
                    : (value - bias) * (value - bias) / (2 * moments_.variance);
    }
  }
  const std::vector<Scalar> map = centred(v);
  for_tiles({0, shape_.blocks()}, kBlocksAtATime, [&](Range blocks) {
    Matrix<Scalar> windows(blocks.size() * kBlockUnits, shape_.window());
    Matrix<Scalar> units(blocks.size() * kBlockUnits, shape_.groups);
    probabilities(map.data(), blocks, windows, units, &log_sums);
  });
  return energy - log_sums;
}

template <class Scalar>
void ConvRbm<Scalar>::add(const Scalar* v, Scalar weight, ConvRbmSums<Scalar>& sums, Random* random,
                          Scalar* drawn) const {
  const Index pixels = shape_.input.pixels();
  for (Index c = 0; c < shape_.input.channels; ++c) {
    sums.visible[static_cast<std::size_t>(c)] +=
        static_cast<double>(weight) * ordered_sum(v + c * pixels, pixels);
  }
  const std::vector<Scalar> map = centred(v);
  const Index rows = Partition(shape_.blocks(), kBlocksAtATime).largest() * kBlockUnits;
  Matrix<Scalar> all_windows(rows, shape_.window());
  Matrix<Scalar> all_units(rows, shape_.groups);
  for_tiles({0, shape_.blocks()}, kBlocksAtATime, [&](Range blocks) {
    const auto windows =
        MatrixView<Scalar>(all_windows).rows_between(0, blocks.size() * kBlockUnits);
    const auto units = MatrixView<Scalar>(all_units).rows_between(0, blocks.size() * kBlockUnits);
    probabilities(map.data(), blocks, windows, units);
    blas::gemm<Scalar>(Op::kTransposed, Op::kPlain, weight, units, windows, Scalar(1),
                       sums.products);
    for (Index i = 0; i < units.rows(); ++i) {
      for (Index k = 0; k < shape_.groups; ++k)
        sums.activity[static_cast<std::size_t>(k)] += static_cast<double>(weight * units(i, k));
    }
    if (random == nullptr) return;
    draw_units<Scalar>(*random, units);
    blas::gemm<Scalar>(Op::kPlain, Op::kPlain, Scalar(1), units, weights_, Scalar(0), windows);
    add_windows<Scalar>(shape_, windows, blocks, drawn);
  });
}

template <class Scalar>
void ConvRbm<Scalar>::reconstruct(Scalar* map) const {
  const Index pixels = shape_.input.pixels();
  for (Index c = 0; c < shape_.input.channels; ++c, map += pixels) {
    if (visible_ == VisibleUnits::kBinary) {
      const std::vector<Scalar> bias(static_cast<std::size_t>(pixels), visible_bias_[c]);
      sigmoid_in_place<Scalar>(map, bias);
    } else {
      const auto variance = static_cast<Scalar>(moments_.variance);
      for (Index p = 0; p < pixels; ++p) map[p] = visible_bias_[c] + variance * map[p];
    }
  }
}

template <class Scalar>
ConvRbmObjective<Scalar>::ConvRbmObjective(const Context& context, ConstMatrixView<Scalar> X,
                                           std::span<const ConvLayer<Scalar>> below,
                                           const ConvRbmOptions& options)
    : EvaluatedObjective<Scalar>(kName, checked(X, below, options), options.shape.groups + 1,
                                 options.shape.window() + 1),
      below_(below),
      options_(options),
      moments_(moments_of(context, X, below, options.shape.input)) {}

template <class Scalar>
double ConvRbmObjective<Scalar>::evaluate_on(const Context& context, const Samples<Scalar>& batch,
                                             ConstMatrixView<Scalar> packed,
                                             MatrixView<Scalar>* gradient) {
  const ConvShape& shape = options_.shape;
  const ConvRbm<Scalar> machine(shape, options_.visible, moments_, packed);
  const Partition parts = sum_parts(batch.X.rows(), 1);
  const auto sums = ordered_reduce<PhaseSums<Scalar>>(
      context, parts.count(), Work{}, [&] { return PhaseSums<Scalar>(shape); },
      [&](Index part, PhaseSums<Scalar>& sum) {
        for (Index i = parts[part].begin; i < parts[part].end; ++i) {
          context.check_cancelled();
          const Scalar* image = batch.X.data() + i * batch.X.outerStride();
          const std::vector<Scalar> above = map_above<Scalar>(below_, image);
          add_phases(machine, context.random(kDraws, static_cast<std::uint64_t>(batch.sample(i))),
                     below_.empty() ? image : above.data(), shape.input.values(), sum);
        }
      });
  return finish(sums.squared_error, sums.data, sums.model, batch.X.rows(), gradient);
}

template <class Scalar>
std::optional<double> ConvRbmObjective<Scalar>::evaluate_on_device(const Context& context,
                                                                   std::span<const Index> rows,
                                                                   ConstMatrixView<Scalar> packed,
                                                                   MatrixView<Scalar>* gradient) {
  if constexpr (std::is_same_v<Scalar, float>) {
    const ConvShape& shape = options_.shape;
    const auto machine = device_machine(shape, options_.visible, moments_, below_);
    if (!machine) return std::nullopt;
    device::ConvTwin* twin = twin_.in(context, [&](device::Products products, std::size_t memory) {
      const ConstMatrixView<float> X = this->samples();
      return device::make_conv_twin(
          {X.data(), X.rows(), static_cast<int>(X.cols()), X.outerStride()},
          {.machine = *machine, .products = products, .memory_bytes = memory});
    });
    if (twin == nullptr) return std::nullopt;
    context.check_cancelled();
    const Matrix<float> contiguous = Matrix<float>::copy_of(packed);
    const device::ConvSums sums = twin->evaluate(
        contiguous.data(), {context.seed(), purpose_hash(kDraws)}, rows, gradient != nullptr);
    const Index count = rows.empty() ? this->n_samples() : std::ssize(rows);
    return finish(sums.squared_error, machine_sums(shape, sums.data),
                  machine_sums(shape, sums.model), count, gradient);
  }
  return std::nullopt;
}

template <class Scalar>
double ConvRbmObjective<Scalar>::finish(double squared_error, const ConvRbmSums<Scalar>& data,
                                        const ConvRbmSums<Scalar>& model, Index maps,
                                        MatrixView<Scalar>* gradient) const {
  const ConvShape& shape = options_.shape;
  const auto m = static_cast<double>(maps);
  const double units = m * static_cast<double>(shape.units());
  double value =
      squared_error / (2 * m * static_cast<double>(shape.input.values()) * moments_.variance);
  if (gradient != nullptr) gradient->setZero();
  for (Index k = 0; k < shape.groups; ++k) {
    const double mean = data.activity[static_cast<std::size_t>(k)] / units;
    value += options_.sparsity / static_cast<double>(shape.groups) *
             activity_penalty(options_.sparsity_target, mean).value;
    if (gradient == nullptr) continue;
    for (Index j = 0; j < shape.window(); ++j) {
      const auto difference = static_cast<double>(model.products(k, j) - data.products(k, j));
      (*gradient)(k, j) = static_cast<Scalar>(difference / units);
    }
    (*gradient)(k, shape.window()) =
        static_cast<Scalar>(model.activity[static_cast<std::size_t>(k)] / units - mean +
                            options_.sparsity * (mean - options_.sparsity_target));
  }
  const double precision = options_.visible == VisibleUnits::kGaussian ? moments_.variance : 1.0;
  const double pixels = m * static_cast<double>(shape.input.pixels()) * precision;
  for (Index c = 0; gradient != nullptr && c < shape.input.channels; ++c) {
    const auto at = static_cast<std::size_t>(c);
    (*gradient)(shape.groups, c) =
        static_cast<Scalar>((model.visible[at] - data.visible[at]) / pixels);
  }
  return value;
}

template class ConvRbm<float>;
template class ConvRbm<double>;
template class ConvRbmObjective<float>;
template class ConvRbmObjective<double>;

}  // namespace krica
