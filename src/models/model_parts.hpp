// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "classify/dictionary_codes.hpp"
#include "classify/standardiser.hpp"
#include "features/conv_network.hpp"
#include "features/extractor.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/models/model.hpp"
#include "models/seen_images.hpp"
#include "models/value_range.hpp"
#include "patches/sample_units.hpp"

namespace krica {

/// A linear classifier of standardised features or, with a dictionary, of its codes of them.
struct ClassifierParts {
  Standardiser standardiser;
  LinearClassifier linear;
  /// Converts scores to probabilities (classify/calibration.hpp); none if there was nothing to
  /// calibrate on, and in older model files.
  std::optional<double> temperature = {};
  std::optional<DictionaryCodes> dictionary = {};

  /// Scores of pooled features, samples × classes; may change the features.
  [[nodiscard]] Matrix<float> scores(const Context& context, FeatureMatrix& features) const;

  void save(Archive& archive) const;
  /// None if the archive holds no classifier. Throws DataError for an incomplete one.
  static std::optional<ClassifierParts> load_if(const Archive& archive);
};

struct Model::Parts {
  PipelineOptions options;  ///< resolved; gamma and svm_c as determined by the data
  ImageShape shape;
  SampleUnits units;  ///< in which the extractor sees samples; the identity for images
  std::vector<std::string> class_names;  ///< empty without a classifier
  LabelType label_type = LabelType::kText;
  std::string fingerprint;  ///< of the training images and labels
  SeenImages seen = {};     ///< hashes of the training images
  ImagePreparation preparation = {};
  /// For samples that are signals: their values are stored channel by channel.
  Index signal_channels = 1;
  std::optional<ValueRange> value_range = {};  ///< of the training images' values, if known
  std::string precision;  ///< of products, if a GPU computed them; empty: the CPU's float32
  std::string basis_status = "converged";
  std::vector<HistoryRow> history;            ///< of the basis' solver
  std::vector<std::int64_t> atom_class;       ///< of each atom, if atoms belong to classes
  std::optional<FeatureExtractor> extractor;  ///< none: a network, or raw pixels
  std::optional<ConvNetwork> network;
  std::optional<ClassifierParts> classifier;

  /// The learned map from images to features; null for raw pixels.
  [[nodiscard]] const ImageFeatures* features() const {
    if (extractor) return &*extractor;
    return network ? &*network : nullptr;
  }
  /// The atoms, or the filters of a network's first layer; empty for raw pixels.
  [[nodiscard]] ConstMatrixView<float> atoms() const {
    if (extractor) return extractor->encoder().atoms();
    if (network) return network->layers().front().weights();
    return {nullptr, 0, 0};
  }
};

}  // namespace krica
