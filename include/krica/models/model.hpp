// SPDX-License-Identifier: BSD-3-Clause
//
// Model: a trained pipeline in one object, from images to features and, where it was trained with
// labels, to classes.
//
//   Model model = Model::load("model.krica");
//   std::vector<int> classes = model.predict(context, images);
//
// Samples go the same way: model.transform(context, *as_images(samples)).
//
// The file is an Archive (safetensors), described in docs/model-format.md. Equal results are equal
// files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krica/classify/linear_classifier.hpp"
#include "krica/classify/standardiser.hpp"
#include "krica/features/extractor.hpp"
#include "krica/models/options.hpp"
#include "krica/models/seen_images.hpp"
#include "krica/models/value_range.hpp"
#include "krica/patches/sample_units.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

/// A linear classifier of standardised features.
struct ClassifierParts {
  Standardiser standardiser;
  LinearClassifier linear;
  /// Turns scores into probabilities (classify/calibration.hpp); none where there was nothing to
  /// calibrate on, and in older model files.
  std::optional<double> temperature = {};

  void save(Archive& archive) const;
  /// None where the archive holds no classifier. Throws DataError for one that is incomplete.
  static std::optional<ClassifierParts> load_if(const Archive& archive);
};

class Model {
 public:
  struct Parts {
    PipelineOptions options;  ///< resolved; gamma and svm_c as the data settled them
    ImageShape shape;
    SampleUnits units;  ///< in which the extractor sees samples; of images the identity
    std::vector<std::string> class_names;  ///< empty without a classifier
    LabelType label_type = LabelType::kText;
    std::string fingerprint;  ///< of the training images and labels
    SeenImages seen = {};     ///< which images those were
    ImagePreparation preparation = {};
    Index signal_channels =
        1;  ///< of samples that are signals: their values are channel by channel
    std::optional<ValueRange> value_range = {};  ///< of the training images' values, where known
    std::string basis_status = "converged";
    std::vector<HistoryRow> history;            ///< of the basis' solver
    std::vector<std::int64_t> atom_class;       ///< of every atom, where they belong to classes
    std::optional<FeatureExtractor> extractor;  ///< none: raw pixels
    std::optional<ClassifierParts> classifier;
  };

  explicit Model(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const Parts& parts() const { return parts_; }
  [[nodiscard]] const PipelineOptions& options() const { return parts_.options; }
  [[nodiscard]] ImageShape shape() const { return parts_.shape; }
  [[nodiscard]] const std::vector<std::string>& class_names() const { return parts_.class_names; }
  /// The images as they were learned from, in range; the set itself where nothing changes. The
  /// result reads through `images`.
  [[nodiscard]] ImageSetPtr in_learned_range(const Context& context, const ImageSet& images) const;
  [[nodiscard]] bool has_classifier() const { return parts_.classifier.has_value(); }
  [[nodiscard]] bool has_probabilities() const {
    return has_classifier() && parts_.classifier->temperature.has_value();
  }
  [[nodiscard]] Index n_features() const;

  /// Pooled features, images × n_features(). Images in 0 ... 1 are scaled where the model learned
  /// from bytes, and bytes where it learned from 0 ... 1. Throws InvalidArgument for images of
  /// another shape or other values.
  [[nodiscard]] FeatureMatrix transform(const Context& context, const ImageSet& images) const;
  /// Scores, images × classes; with options().test_flips the mean of those of the image and its
  /// mirror image. Throws InvalidArgument without a classifier. Works through the images in rounds.
  [[nodiscard]] Matrix<float> scores(const Context& context, const ImageSet& images) const;
  /// The probabilities that belong to the scores. Throws InvalidArgument without a classifier or a
  /// temperature.
  [[nodiscard]] Matrix<float> probabilities(const Context& context, const ImageSet& images) const;
  [[nodiscard]] std::vector<int> predict(const Context& context, const ImageSet& images) const;

  /// The atoms as patches of pixels, K × receptive_field² · channels, un-whitened. Throws
  /// InvalidArgument for raw pixels.
  [[nodiscard]] Matrix<float> atom_images() const;

  [[nodiscard]] Archive to_archive() const;
  /// Throws DataError for an archive that is no model, is of a newer format, or whose shapes do not
  /// fit.
  static Model from_archive(const Archive& archive, const std::string& source);

  /// Throw IoError and DataError as Archive's.
  void save(const std::filesystem::path& path) const { to_archive().save(path); }
  static Model load(const std::filesystem::path& path);

 private:
  [[nodiscard]] FeatureMatrix features_in_range(const Context& context,
                                                const ImageSet& images) const;
  [[nodiscard]] Matrix<float> plain_scores(const Context& context, const ImageSet& images) const;

  Parts parts_;
};

}  // namespace krica
