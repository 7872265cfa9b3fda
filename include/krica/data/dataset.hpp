// SPDX-License-Identifier: BSD-3-Clause
//
// Opening data sets. The format is detected from the content (docs/data.md) or forced by name:
//
//   format        contents
//   auto          detect the format
//   cifar10       CIFAR-10 binary: a directory of data_batch_*.bin and test_batch.bin, or one file
//   cifar100      CIFAR-100 binary: train.bin and test.bin, or one file
//   cifar10-png   CIFAR-10 as PNG strips, one image per row, with train_lables.json
//   stl10         STL-10 binary
//   idx           MNIST and similar sets, plain or gzip
//   folder        image files in class directories, in train/ and test/, or without labels
//   npy           one .npy, or train_x.npy, train_y.npy, test_x.npy, test_y.npy; a three-
//                 dimensional array holds images (N, H, W)
//   signals       the same files with signals (N, T) or (N, T, C); see SampleSetInfo::channels
//   csv           one .csv, .tsv or .txt with a sample per line, or train.csv and test.csv
//   embedded      2,000 + 1,000 images of Fashion-MNIST inside the library; the path is ignored
//
//   DataSet data = open_dataset(context, "embedded");
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/data/sample_set.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

enum class DataFormat {
  kAuto,
  kCifar10,
  kCifar100,
  kCifar10Png,
  kStl10,
  kIdx,
  kFolder,
  kNpy,
  kSignals,
  kCsv,
  kEmbedded,
};
KRICA_EXPORT std::string_view name_of(DataFormat format);
KRICA_EXPORT DataFormat data_format(std::string_view name);

struct KRICA_EXPORT OpenOptions {
  DataFormat format = DataFormat::kAuto;
  /// Resize images to image_size × image_size; 0: keep their size; unset: automatic_image_size().
  /// With rule kWithin: the longest side that images keep; 0: any; unset: 300.
  std::optional<Index> image_size = 0;
  ImageSizeRule image_size_rule = ImageSizeRule::kSquare;
  Index channels = 0;  ///< 1: grey, 3: colour, 0: unchanged
  /// Labels of a single .npy, IDX or CSV file: .npy (numbers or strings), IDX, or text with one
  /// label per line.
  std::filesystem::path labels = {};
  /// CSV: the name of the label column, its number counted from 1, or "none". Empty: a column named
  /// label, class, target or y, otherwise the only text column, if it is first or last.
  std::string label_column = {};
  double test_fraction = 0;    ///< in [0, 1): split off this fraction if the set has no test part
  bool coarse_labels = false;  ///< CIFAR-100: use the 20 coarse classes
  bool one_class_allowed = false;  ///< accept a labelled set with a single class
  bool exif_orientation = true;    ///< folders: rotate images according to their orientation tags
  bool skip_bad = false;  ///< folders: skip unreadable files; decodes every file when opening

  void validate() const;
};

/// Holds images (train is set) or samples (train_samples is set), never both. Parts that the data
/// set does not have are null.
struct DataSet {
  ImageSetPtr train;
  ImageSetPtr test;
  ImageSetPtr unlabelled;
  SampleSetPtr train_samples;
  SampleSetPtr test_samples;
  std::vector<std::vector<Index>> folds;  ///< STL-10: the training images of each official fold
  DataFormat format = DataFormat::kAuto;  ///< as detected, never kAuto
  bool test_was_split_off = false;        ///< by test_fraction
  std::vector<std::string> notes;         ///< what was skipped or assumed, for the user

  [[nodiscard]] bool is_samples() const { return train_samples != nullptr; }
};

/// Throws InvalidArgument for invalid options, DataError for invalid content, IoError if a file
/// cannot be read. The context provides the seed of the split, the threads that scan files, and the
/// limit for unpacking gzip and column-major files. Ranks open a set together; if they find
/// different files, all throw the same DataError (docs/cluster.md).
KRICA_EXPORT DataSet open_dataset(const Context& context, const std::filesystem::path& path,
                                  const OpenOptions& options = {});

/// The format that open_dataset would use for a path, without opening it: kFolder for an image file
/// and for a directory in no other format. Throws DataError for a file in none of the formats,
/// IoError if it cannot be read.
KRICA_EXPORT DataFormat recognised_format(const std::filesystem::path& path);

/// The built-in set: 28 × 28 grey, 10 classes of clothing, 200 training and 100 test images per
/// class.
KRICA_EXPORT DataSet embedded_dataset();

}  // namespace krica
