// SPDX-License-Identifier: BSD-3-Clause
//
// What the stages of training hand on:
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

/// What a basis is learned from.
struct PreparedPatches {
  PipelineOptions options;  ///< with the kernel widths that the patches settled
  Preprocessing preprocessing;
  Matrix<float> patches;    ///< preprocessed, one per row
  std::vector<int> labels;  ///< of the patches' images
};

/// The atoms, and what turns an image into features with them.
struct LearnedBasis {
  PipelineOptions options;  ///< with everything that learning settled
  Preprocessing preprocessing;
  Encoder encoder;
  std::string status;                         ///< name_of(Status), or "start-kept"
  std::vector<HistoryRow> history = {};       ///< of the solver
  std::vector<std::int64_t> atom_class = {};  ///< of each atom, where atoms belong to classes

  [[nodiscard]] bool cancelled() const { return status == name_of(Status::kCancelled); }
  [[nodiscard]] FeatureExtractor extractor(const ImageShape& shape) const {
    return {features_of(options), shape, preprocessing, encoder};
  }

  void save(Archive& archive) const;
  static LearnedBasis load(const Archive& archive);
};

/// What max-margin training leaves: the basis it kept and, where the classifier learned with the
/// basis was the better one, that classifier.
struct JointOutcome {
  LearnedBasis basis;
  std::optional<ClassifierParts> classifier = {};
  std::optional<double> temperature = {};  ///< for the classifier that is fitted otherwise
  std::vector<double> held_out_accuracy = {};
  JointComparison comparison = {};
  std::string warning = {};  ///< empty: all went well

  void save(Archive& archive) const;
  static JointOutcome load(const Archive& archive);
};

}  // namespace krica
