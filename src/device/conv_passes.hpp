// SPDX-License-Identifier: BSD-3-Clause
//
// Whole passes over chunks of images: the maps above convolutional layers, and the sums of one step
// of contrastive divergence (objectives/conv_rbm.hpp). `Ops` has the memory, runs the steps of
// conv_steps.hpp and multiplies matrices: a GPU in conv_ops.cuh, plain loops in the tests.
//
//   Array<Value>                            like DeviceArray
//   each(rows, columns, step)               step(row, column) for all of them
//   product(size, op, A, op, B, C, beta)    as Blas::product
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "device/blas.hpp"
#include "device/conv_steps.hpp"
#include "device/conv_twin.hpp"

namespace krica::device {

/// Parameters as the products want them: unit_stride × window_stride, zeros behind the values.
template <class Ops>
struct ConvWeights {
  typename Ops::template Array<float> weights;
  typename Ops::template Array<float> bias;

  /// On the host: K rows of the window's values; `bias_step` is from bias to bias.
  void assign(const ConvSpec& shape, const float* rows, std::int64_t stride, const float* biases,
              std::int64_t bias_step) {
    const auto wide = static_cast<std::size_t>(shape.window_stride());
    std::vector<float> filled(static_cast<std::size_t>(shape.unit_stride()) * wide, 0.0F);
    std::vector<float> all_biases;
    for (int k = 0; k < shape.groups; ++k) {
      std::copy_n(rows + k * stride, shape.window(),
                  filled.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * wide));
      all_biases.push_back(biases[k * bias_step]);
    }
    weights.assign(filled);
    bias.assign(all_biases);
  }
};

/// The memory of a chunk of images, and the passes through one layer.
template <class Ops>
class ConvChunk {
 public:
  /// For so many images and any of these layers.
  ConvChunk(Ops& ops, std::span<const ConvSpec> layers, int images) : ops_(ops) {
    for (const ConvSpec& layer : layers) {
      const std::size_t rows =
          static_cast<std::size_t>(layer.units()) * static_cast<std::size_t>(images);
      windows.fit(rows * static_cast<std::size_t>(layer.window_stride()));
      units.fit(rows * static_cast<std::size_t>(layer.unit_stride()));
    }
  }

  /// windows ← those of the maps, less the mean unless it is null; units ← I - b.
  void inputs(const ConvSpec& shape, const ConvWeights<Ops>& layer, ConvMaps maps,
              const float* mean, int images) {
    const int rows = images * shape.units();
    const int wide = shape.window_stride();
    ops_.each(rows, wide, ReadWindows{shape, maps, mean, windows.data(), wide});
    ops_.product({rows, shape.unit_stride(), wide}, Op::kPlain, {windows.data(), wide},
                 Op::kTransposed, {layer.weights.data(), wide}, {units.data(), shape.unit_stride()},
                 0);
  }

  /// units ← p(h = 1 | v) of the maps' machine.
  void probabilities(const ConvSpec& shape, const ConvWeights<Ops>& layer, ConvMaps maps,
                     const float* mean, int images) {
    inputs(shape, layer, maps, mean, images);
    ops_.each(images * shape.blocks(), shape.unit_stride(),
              UnitProbabilities{shape, units.data(), shape.unit_stride(), layer.bias.data()});
  }

  typename Ops::template Array<float> windows;  // rows: units of all images
  typename Ops::template Array<float> units;

 private:
  Ops& ops_;
};

/// Learned layers.
template <class Ops>
class ConvStack {
 public:
  ConvStack(Ops& ops, std::span<const ConvLayerSpec> layers, int images) : ops_(ops) {
    for (const ConvLayerSpec& layer : layers) {
      shapes_.push_back(layer.shape);
      weights_.emplace_back().assign(layer.shape, layer.weights, layer.shape.window(), layer.bias,
                                     1);
      maps_.emplace_back().fit(static_cast<std::size_t>(layer.shape.pooled()) *
                               static_cast<std::size_t>(images));
    }
  }

  /// The map above each layer of so many images. Valid until the next call.
  ConvMaps apply(ConvChunk<Ops>& chunk, ConvMaps maps, int images) {
    for (std::size_t l = 0; l < shapes_.size(); ++l) {
      const ConvSpec& shape = shapes_[l];
      chunk.inputs(shape, weights_[l], maps, nullptr, images);
      ops_.each(images * shape.blocks(), shape.groups,
                PoolBlocks{shape, chunk.units.data(), shape.unit_stride(), weights_[l].bias.data(),
                           maps_[l].data()});
      maps = above(l);
    }
    return maps;
  }
  /// After apply().
  [[nodiscard]] ConvMaps above(std::size_t layer) const {
    return {maps_[layer].data(), shapes_[layer].pooled()};
  }
  [[nodiscard]] const std::vector<ConvSpec>& shapes() const { return shapes_; }

 private:
  Ops& ops_;
  std::vector<ConvSpec> shapes_;
  std::vector<ConvWeights<Ops>> weights_;
  std::vector<typename Ops::template Array<float>> maps_;  // of a chunk
};

/// One step of contrastive divergence, chunk by chunk.
template <class Ops>
class ConvPhases {
 public:
  ConvPhases(Ops& ops, const ConvMachineSpec& machine, int images)
      : ops_(ops),
        machine_(machine),
        mean_(machine.mean),
        chunk_(ops, shapes_of(machine), images),
        below_(ops, machine.below, images) {
    const ConvSpec& shape = machine.shape;
    model_.fit(static_cast<std::size_t>(shape.values()) * static_cast<std::size_t>(images));
    const auto sums = static_cast<std::size_t>(std::max(shape.groups, 3 * shape.channels));
    parts_.fit(sums * kConvParts);
    folded_.fit(sums * kFoldedParts);
    const auto products =
        static_cast<std::size_t>(shape.groups) * static_cast<std::size_t>(shape.window_stride());
    data_products_.fit(products);
    model_products_.fit(products);
  }

  /// Takes the parameters (K + 1 × window + 1, on the host) and begins new sums.
  void start(const float* packed, RandomStreams random) {
    const ConvSpec& shape = machine_.shape;
    const std::int64_t stride = shape.window() + 1;
    const float* last = packed + shape.groups * stride;
    weights_.assign(shape, packed, stride, packed + shape.window(), stride);
    visible_bias_.assign(std::vector<float>(last, last + shape.channels));
    totals_.assign(std::vector<double>(static_cast<std::size_t>(count_of_totals()), 0.0));
    random_ = random;
    first_ = true;
  }

  /// Images on the device; samples: their numbers on the device, null for `first`, first + 1, ...
  void add(ConvMaps images, int count, const std::int64_t* samples, std::int64_t first,
           bool with_gradient) {
    const ConvSpec& shape = machine_.shape;
    const ConvMaps data = below_.apply(chunk_, images, count);
    add_phase(data, count, with_gradient ? data_products_.data() : nullptr, 0);
    const int stride = shape.unit_stride();
    const int wide = shape.window_stride();
    ops_.each(count * shape.blocks(), shape.groups,
              DrawUnits{shape, random_, samples, first, chunk_.units.data(), stride});
    ops_.product({count * shape.units(), wide, stride}, Op::kPlain, {chunk_.units.data(), stride},
                 Op::kPlain, {weights_.weights.data(), wide}, {chunk_.windows.data(), wide}, 0);
    ops_.each(count, shape.values(),
              Reconstruct{shape, chunk_.windows.data(), wide, visible_bias_.data(),
                          machine_.binary ? 0.0F : machine_.variance, model_.data()});
    const ConvMaps model = {model_.data(), shape.values()};
    ops_.each(shape.channels, kConvParts, SumMaps{shape, data, model, count, parts_.data()});
    add_parts(3 * shape.channels, 2 * shape.groups);
    if (with_gradient) add_phase(model, count, model_products_.data(), shape.groups);
    first_ = false;
  }

  /// The sums over all chunks since start().
  [[nodiscard]] ConvSums sums(bool with_gradient) const {
    const auto K = static_cast<std::ptrdiff_t>(machine_.shape.groups);
    const auto C = static_cast<std::ptrdiff_t>(machine_.shape.channels);
    const std::vector<double> totals = totals_.values();
    const auto visible = totals.begin() + 2 * K;
    ConvSums result;
    result.data.activity.assign(totals.begin(), totals.begin() + K);
    result.model.activity.assign(totals.begin() + K, visible);
    result.data.visible.assign(visible, visible + C);
    result.model.visible.assign(visible + C, visible + 2 * C);
    for (auto square = visible + 2 * C; square != visible + 3 * C; ++square)
      result.squared_error += *square;
    if (with_gradient) {
      result.data.products = data_products_.values();
      result.model.products = model_products_.values();
    }
    return result;
  }

 private:
  static std::vector<ConvSpec> shapes_of(const ConvMachineSpec& machine) {
    std::vector<ConvSpec> shapes;
    for (const ConvLayerSpec& layer : machine.below) shapes.push_back(layer.shape);
    shapes.push_back(machine.shape);
    return shapes;
  }
  [[nodiscard]] int count_of_totals() const {
    return 2 * machine_.shape.groups + 3 * machine_.shape.channels;
  }

  /// totals from `at` on ← themselves and the sums of parts_.
  void add_parts(int sums, int at) {
    ops_.each(sums, kFoldedParts, FoldParts{parts_.data(), folded_.data()});
    ops_.each(1, sums, AddFolded{folded_.data(), totals_.data() + at});
  }

  /// Leaves the maps' probabilities in the chunk; adds their products with the windows unless
  /// these are null, and their sums to the totals from `at` on.
  void add_phase(ConvMaps maps, int count, float* products, int at) {
    const ConvSpec& shape = machine_.shape;
    const int rows = count * shape.units();
    const int stride = shape.unit_stride();
    const int wide = shape.window_stride();
    chunk_.probabilities(shape, weights_, maps, mean_.data(), count);
    ops_.each(kConvParts, shape.groups, SumUnits{chunk_.units.data(), stride, rows, parts_.data()});
    add_parts(shape.groups, at);
    if (products == nullptr) return;
    ops_.product({shape.groups, wide, rows}, Op::kTransposed, {chunk_.units.data(), stride},
                 Op::kPlain, {chunk_.windows.data(), wide}, {products, wide}, first_ ? 0.0F : 1.0F);
  }

  Ops& ops_;
  ConvMachineSpec machine_;
  RandomStreams random_ = {};
  bool first_ = true;
  typename Ops::template Array<float> mean_;
  ConvChunk<Ops> chunk_;
  ConvStack<Ops> below_;
  ConvWeights<Ops> weights_;
  typename Ops::template Array<float> visible_bias_;
  typename Ops::template Array<float> model_;  // v'
  typename Ops::template Array<float> data_products_;
  typename Ops::template Array<float> model_products_;
  typename Ops::template Array<double> parts_;
  typename Ops::template Array<double> folded_;
  typename Ops::template Array<double> totals_;  // activities, then Σ v, Σ v', Σ (v' - v)²
};

}  // namespace krica::device
