// SPDX-License-Identifier: BSD-3-Clause
//
// What the training stages pass on:
//
//   images → PreparedPatches → LearnedBasis (→ JointOutcome) → ClassifierParts → Model
//
// Results that a checkpoint stores have save() and load().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krica/features/encoder.hpp"
#include "krica/models/training.hpp"
#include "models/model_parts.hpp"
#include "models/parts.hpp"
#include "patches/preprocessing.hpp"

namespace krica {

/// The input of learning a basis.
struct PreparedPatches {
  PipelineOptions options;  ///< with the kernel widths determined by the patches
  Preprocessing preprocessing;
  LargeMatrix patches;      ///< preprocessed, one per row
  std::vector<int> labels;  ///< of the patches' images
};

/// The atoms, and everything else that turns an image into features.
struct LearnedBasis {
  PipelineOptions options;  ///< with everything set that learning determines
  Preprocessing preprocessing;
  Encoder encoder;
  std::string status;                         ///< name_of(Status), or "start-kept"
  std::vector<HistoryRow> history = {};       ///< of the solver
  std::vector<std::int64_t> atom_class = {};  ///< of each atom, if atoms belong to classes
  /// Of codes to classes, if it was learned with the atoms (classes × atoms), and its temperature.
  Matrix<float> class_map = {};
  std::optional<double> temperature = {};

  [[nodiscard]] bool cancelled() const { return status == name_of(Status::kCancelled); }
  [[nodiscard]] FeatureExtractor extractor(const ImageShape& shape) const {
    return {features_of(options), shape, preprocessing, encoder};
  }

  void save(Archive& archive) const;
  static LearnedBasis load(const Archive& archive);
};

/// One layer of a network.
struct LearnedLayer {
  Matrix<float> weights;
  std::vector<float> bias;
  std::string status;  ///< name_of(Status)
  std::vector<HistoryRow> history = {};

  void save(Archive& archive) const;
  static LearnedLayer load(const Archive& archive);
};

/// The outcome of max-margin training: the basis it kept and, if it was better, the classifier
/// learned with it.
struct JointOutcome {
  LearnedBasis basis;
  std::optional<ClassifierParts> classifier = {};
  std::optional<double> temperature = {};  ///< for a classifier fitted separately
  std::vector<double> held_out_accuracy = {};
  JointComparison comparison = {};
  std::string warning = {};  ///< empty: no problems

  void save(Archive& archive) const;
  static JointOutcome load(const Archive& archive);
};

}  // namespace krica
