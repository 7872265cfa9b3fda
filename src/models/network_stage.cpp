// SPDX-License-Identifier: BSD-3-Clause
#include "models/network_stage.hpp"

#include <fmt/format.h>

#include <utility>

#include "bases/conv_dbn.hpp"
#include "models/parts.hpp"
#include "models/stage_results.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr Index kImagesAtATime = 16;

LargeMatrix whitened_images(const Context& context, const ImageSet& images,
                            const ImageWhitening& whitening) {
  const ImageShape shape = images.shape();
  LargeMatrix whitened(context, images.size(), shape.values());
  const Partition blocks(images.size(), kImagesAtATime);
  parallel_for(context, blocks.count(), [&](Index b) {
    Matrix<float> pixels(blocks[b].size(), shape.values());
    images.read(blocks[b].begin, blocks[b].size(), pixels.data());
    for (Index i = 0; i < pixels.rows(); ++i)
      whitening.apply(shape, pixels.row(i), whitened.row(blocks[b].begin + i));
  });
  return whitened;
}

LearnedLayer learn_layer(TrainingRun& run, const std::string& stage, const LargeMatrix& images,
                         const std::vector<ConvLayer<float>>& below, const ConvShape& shape) {
  const auto state = run.checkpoint.state(stage);
  const BasisRequest request{.patches = images.view(),
                             .labels = {},
                             .options = basis_of(run.job.options),
                             .hooks = run.checkpoint.solver_hooks(stage),
                             .state = state ? &*state : nullptr,
                             .best_when_cancelled = run.job.best_when_cancelled};
  Basis basis = timed(run.report, "basis",
                      [&] { return learn_conv_layer(run.context, request, below, shape); });
  return {std::move(basis.atoms), std::move(basis.bias), std::string(name_of(basis.status)),
          std::move(basis.history)};
}

/// The epochs of a further layer are numbered on.
void append(const std::vector<HistoryRow>& more, std::vector<HistoryRow>& history) {
  const HistoryRow last = history.empty() ? HistoryRow{} : history.back();
  for (HistoryRow row : more) {
    row.iteration += last.iteration;
    row.evaluations += last.evaluations;
    history.push_back(row);
  }
}

}  // namespace

void learn_network(TrainingRun& run, const ImageSet& images, Model::Parts& parts) {
  const PipelineOptions& options = run.job.options;
  const std::vector<ConvShape> shapes = conv_layers_of(options, images.shape());
  ImageWhitening whitening = timed(run.report, "whitening", [&] {
    return ImageWhitening::fit(run.context, images, image_whitening_of(options));
  });
  std::optional<LargeMatrix> whitened;  // only if a layer is left to learn
  std::vector<ConvLayer<float>> layers;
  for (const ConvShape& shape : shapes) {
    const std::string stage = fmt::format("layer{}", layers.size() + 1);
    std::optional<LearnedLayer> layer = run.checkpoint.restored<LearnedLayer>(stage);
    if (!layer) {
      if (!whitened) {
        whitened = timed(run.report, "whitening",
                         [&] { return whitened_images(run.context, images, whitening); });
      }
      layer = learn_layer(run, stage, *whitened, layers, shape);
      const bool cancelled = layer->status == name_of(Status::kCancelled);
      if (cancelled && layers.size() + 1 < shapes.size()) throw Cancelled();
      if (!cancelled) run.checkpoint.store(stage, *layer);
    }
    layers.emplace_back(shape, std::move(layer->weights), std::move(layer->bias));
    parts.basis_status = layer->status;
    append(layer->history, parts.history);
  }
  parts.network.emplace(images.shape(), std::move(whitening), std::move(layers),
                        features_of(options));
}

}  // namespace krica
