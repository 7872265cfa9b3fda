// SPDX-License-Identifier: BSD-3-Clause
//
// What each stage of training costs, in operations of four kinds. The numbers of operations follow
// from the sizes; the factors that turn everything else into these four kinds were measured
// (docs/performance.md).
#pragma once

#include "krica/bases/basis.hpp"
#include "krica/models/options.hpp"
#include "models/data_facts.hpp"
#include "runtime/machine_speed.hpp"

namespace krica {

/// Operations, as MachineSpeed counts them.
struct Cost {
  double products = 0;
  double serial_products = 0;  ///< and whatever else stays on one thread, expressed in them
  double loops = 0;
  double bytes = 0;

  Cost operator+(const Cost& other) const;
  Cost operator*(double times) const;
  [[nodiscard]] double seconds(const MachineSpeed& speed) const;
};

/// Sizes that the costs are made of.
struct TrainingSizes {
  TrainingSizes(const DataFacts& facts, const PipelineOptions& settled);

  const PipelineOptions& options;
  const BasisMethod& method;
  double images;
  double values;     ///< of an image
  double positions;  ///< patches that are encoded per image
  double patches;    ///< that the basis is learned from
  double inputs;     ///< values of a patch
  double outputs;    ///< values of a preprocessed patch, n
  double landmarks;  ///< of the kernel PCA; 0 without
  double atoms;      ///< K
  double features;   ///< of an image
  double classes;    ///< 0: no classifier
};

Cost fingerprint_cost(const TrainingSizes& sizes);  ///< what "read" does beside reading
Cost sampling_cost(const TrainingSizes& sizes);
Cost whitening_cost(const TrainingSizes& sizes);
Cost basis_cost(const TrainingSizes& sizes);
/// Max-margin kRICA: all epochs.
Cost joint_cost(const TrainingSizes& sizes);
/// Of one image.
Cost encoding_cost(const TrainingSizes& sizes);
Cost svm_cost(const TrainingSizes& sizes);

}  // namespace krica
