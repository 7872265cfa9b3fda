// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of each training stage, in operations of four kinds. The number of operations follows
// from the sizes; the factors that convert everything else to these four kinds were measured
// (docs/performance.md).
#pragma once

#include "krica/bases/basis.hpp"
#include "krica/models/options.hpp"
#include "models/data_facts.hpp"
#include "objectives/conv_layer.hpp"
#include "runtime/machine_speed.hpp"

namespace krica {

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

  const PipelineOptions& options;
  const BasisMethod& method;
  double images;
  double values;                       ///< of an image
  double positions;                    ///< patches encoded per image
  double patches;                      ///< to learn the basis from
  double inputs;                       ///< values of a patch
  double outputs;                      ///< values of a preprocessed patch, n
  double landmarks;                    ///< of the kernel PCA; 0 without it
  double atoms;                        ///< K
  double features;                     ///< of an image
  double classes;                      ///< 0: no classifier
  std::vector<ConvShape> layers = {};  ///< of a network
};

Cost fingerprint_cost(const TrainingSizes& sizes);  ///< the work of "read" besides reading
Cost sampling_cost(const TrainingSizes& sizes);
Cost whitening_cost(const TrainingSizes& sizes);
/// Learning the layers of a network, whitened images included.
Cost network_cost(const TrainingSizes& sizes);
Cost basis_cost(const TrainingSizes& sizes);
/// Max-margin kRICA: all epochs.
Cost joint_cost(const TrainingSizes& sizes);
/// Of one image.
Cost encoding_cost(const TrainingSizes& sizes);
Cost svm_cost(const TrainingSizes& sizes);

}  // namespace krica
