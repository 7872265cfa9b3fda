// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of each training stage, in operations of four kinds. The number of operations follows
// from the sizes; the factors that convert everything else to these four kinds were measured
// (docs/performance.md).
#pragma once

#include <string_view>

#include "krica/bases/basis.hpp"
#include "krica/models/options.hpp"
#include "models/data_facts.hpp"
#include "objectives/conv_layer.hpp"
#include "runtime/machine_speed.hpp"

namespace krica {

/// Whether a method learns its atoms as the named one does.
inline bool learns_as(const BasisMethod& method, std::string_view name) {
  return method.learn == basis_method(name).learn;
}

/// Operations, as MachineSpeed counts them.
struct Cost {
  double products = 0;
  double serial_products = 0;  ///< and all other single-threaded work, converted
  double loops = 0;
  double bytes = 0;

  Cost operator+(const Cost& other) const;
  Cost operator*(double times) const;
  [[nodiscard]] double seconds(const MachineSpeed& speed) const;
};

/// The sizes that determine the costs.
struct TrainingSizes {
  TrainingSizes(const DataFacts& facts, const PipelineOptions& settled);

  PipelineOptions options;    ///< of the features, if a dictionary codes them (layers.hpp)
  const BasisMethod& method;  ///< of the features
  double images;
  double values;      ///< of an image; if sizes differ, of the box that holds each
  double filled;      ///< of that box, on average
  double pixels;      ///< of an image, in that box
  bool sift;          ///< describes patches by SIFT
  double positions;   ///< patches encoded per image
  double patches;     ///< to learn the basis from
  double inputs;      ///< values of a patch
  double outputs;     ///< values of a preprocessed patch, n
  double landmarks;   ///< of the kernel PCA; 0 without it
  double atoms;       ///< K
  double features;    ///< of an image
  double classes;     ///< 0: no classifier
  double classified;  ///< images that the SVM learns from, with their mirrors if it sees them
  double nonzeros;    ///< atoms in a code by matching pursuit

  /// A dictionary of images' features; 0 without one.
  double dictionary_atoms = 0;
  double dictionary_inputs = 0;  ///< principal components of the features
  double dictionary_nonzeros = 0;
  double dictionary_iterations = 0;

  std::vector<ConvShape> layers = {};  ///< of a network

  /// Images that determine the principal components.
  [[nodiscard]] double projected_samples() const;
};

Cost fingerprint_cost(const TrainingSizes& sizes);  ///< the work of "read" besides reading
Cost sampling_cost(const TrainingSizes& sizes);
Cost whitening_cost(const TrainingSizes& sizes);
Cost basis_cost(const TrainingSizes& sizes);
/// Max-margin kRICA: all epochs.
Cost joint_cost(const TrainingSizes& sizes);
/// Of one image.
Cost encoding_cost(const TrainingSizes& sizes);
Cost svm_cost(const TrainingSizes& sizes);
/// The projection of images' features and the dictionary of it, twice: once to calibrate.
Cost dictionary_cost(const TrainingSizes& sizes);

}  // namespace krica
