// SPDX-License-Identifier: BSD-3-Clause
//
// Model: a trained pipeline in one object, from images to features and, if trained with labels, to
// classes.
//
//   Model model = Model::load("model.krica");
//   std::vector<int> classes = model.predict(context, images);
//
// For samples: model.transform(context, *as_images(samples)).
//
// The file is an Archive (safetensors), described in docs/model-format.md. Equal models give equal
// files.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/features/feature_matrix.hpp"
#include "krica/models/options.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

class KRICA_EXPORT Model {
 public:
  struct Parts;  ///< models/model_parts.hpp in the sources
  explicit Model(Parts parts);

  [[nodiscard]] const Parts& parts() const { return *parts_; }
  /// As resolved by training.
  [[nodiscard]] const PipelineOptions& options() const;
  /// Of the training images; if they differ in size, of the smallest box that holds each.
  [[nodiscard]] ImageShape shape() const;
  /// Whether images may have other sizes than the training images, and differ among each other.
  [[nodiscard]] bool accepts_any_size() const;
  /// Whether the model can take images in a set of this shape.
  [[nodiscard]] bool accepts(const ImageShape& given) const;
  [[nodiscard]] const std::vector<std::string>& class_names() const;
  /// How learning the atoms ended: "converged", "iteration limit", ...
  [[nodiscard]] const std::string& basis_status() const;
  /// The images in the value range that the model learned from; the set itself if nothing changes.
  /// The result reads through `images`.
  [[nodiscard]] ImageSetPtr in_learned_range(const Context& context, const ImageSet& images) const;
  [[nodiscard]] bool has_classifier() const;
  [[nodiscard]] bool has_probabilities() const;
  [[nodiscard]] Index n_features() const;

  /// Pooled features, images × n_features(). Images in 0 ... 1 are rescaled if the model was
  /// trained on bytes, and bytes if it was trained on 0 ... 1. Throws InvalidArgument for images of
  /// a different shape or with other values.
  [[nodiscard]] FeatureMatrix transform(const Context& context, const ImageSet& images) const;
  /// Scores, images × classes; with options().test_flips, the mean over the image and its mirror
  /// image. Processes the images in batches. Throws InvalidArgument without a classifier.
  [[nodiscard]] Matrix<float> scores(const Context& context, const ImageSet& images) const;
  /// Calibrated probabilities. Throws InvalidArgument without a classifier or a temperature.
  [[nodiscard]] Matrix<float> probabilities(const Context& context, const ImageSet& images) const;
  [[nodiscard]] std::vector<int> predict(const Context& context, const ImageSet& images) const;

  /// Whether atoms are patches of pixels, or samples.
  [[nodiscard]] bool has_atom_images() const;
  /// The atoms as pixel patches, K × receptive_field² · channels, un-whitened. Throws
  /// InvalidArgument for raw pixels, SIFT and kernel PCA.
  [[nodiscard]] Matrix<float> atom_images() const;

  [[nodiscard]] Archive to_archive() const;
  /// Throws DataError for an archive that is not a model, has a newer format, or has inconsistent
  /// shapes.
  static Model from_archive(const Archive& archive, const std::string& source);

  /// Throw IoError and DataError, like Archive.
  void save(const std::filesystem::path& path) const { to_archive().save(path); }
  static Model load(const std::filesystem::path& path);

 private:
  [[nodiscard]] FeatureMatrix features_in_range(const Context& context,
                                                const ImageSet& images) const;
  /// Throws InvalidArgument without a classifier.
  [[nodiscard]] Index n_scores() const;
  /// The scores of a round of images at a time: those of all may be too many to keep.
  void visit_scores(
      const Context& context, const ImageSet& images,
      const std::function<void(Index first, const Matrix<float>& scores)>& visit) const;

  std::shared_ptr<const Parts> parts_;
};

}  // namespace krica
