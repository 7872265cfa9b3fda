// SPDX-License-Identifier: BSD-3-Clause
#include "models/layers.hpp"

#include "krica/bases/basis.hpp"

namespace krica {

bool is_layered(const PipelineOptions& settled) {
  return basis_method(settled.method).classifies && settled.dictionary.features.has_value();
}

PipelineOptions layer_of(const PipelineOptions& settled) {
  if (!is_layered(settled)) return settled;
  PipelineOptions layer = settled;
  layer.method = *settled.dictionary.features;
  layer.basis.components = settled.dictionary.words;
  layer.basis.init = std::string(basis_method(layer.method).init);
  layer.basis.iterations.reset();
  layer.encoder.nonzeros.reset();
  layer.dictionary = {};
  return layer;
}

PipelineOptions with_layer(const PipelineOptions& settled, const PipelineOptions& layer) {
  if (!is_layered(settled)) return layer;
  PipelineOptions both = layer;
  both.method = settled.method;
  both.basis.components = settled.basis.components;
  both.basis.init = settled.basis.init;
  both.basis.iterations = settled.basis.iterations;
  both.encoder.nonzeros = settled.encoder.nonzeros;
  both.dictionary = settled.dictionary;
  return both;
}

}  // namespace krica
