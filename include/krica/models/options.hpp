// SPDX-License-Identifier: BSD-3-Clause
//
// Every option that shapes a model, nested like the pipeline. Options that depend on the method or
// the data stay open (Auto) until resolved() sets them. Their names are in option_list.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "krica/bases/basis.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/features/encoder.hpp"
#include "krica/features/pooling.hpp"
#include "krica/kernels/kernel.hpp"
#include "krica/patches/whitening.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/words.hpp"

namespace krica {

/// Chooses the method from the data (recommendation.hpp).
constexpr std::string_view kAutoMethod = "auto";

/// The patches that describe an image, and their preprocessing.
struct DescriptorOptions {
  Auto<DescriptorKind> kind = {};
  Auto<Index> receptive_field = {};
  Auto<Index> stride = {};
  Auto<Index> patches = {};
  Auto<bool> contrast = {};
  Auto<double> contrast_epsilon = {};
  Auto<bool> unit_norm = {};
};

enum class WhiteningMethod { kNone, kZca, kPca, kStandardise, kKernelPca };
KRICA_EXPORT std::string_view name_of(WhiteningMethod method);

struct WhiteningChoice {
  Auto<WhiteningMethod> method = {};
  Auto<double> epsilon = {};
  Index components = 0;
  Auto<double> gamma = {};
  Index landmarks = 1000;
  LandmarkChoice landmark_choice = LandmarkChoice::kKmeans;
};

struct KernelChoice {
  KernelKind kind = KernelKind::kGaussian;
  Auto<double> gamma = {};
  int degree = Kernel{}.degree;
  double scale = Kernel{}.scale;
};

struct EncoderChoice {
  Auto<EncoderKind> kind = {};
  double threshold = EncoderOptions{}.threshold;
  Auto<Index> nonzeros = {};  ///< also of ksvd, d-ksvd and lc-ksvd
  Auto<Index> neighbours = {};
  Auto<Index> tangents = {};
  Auto<double> tangent_scale = {};
};

/// The variants of RICA's objective.
struct RicaChoice {
  RicaConvention convention = RicaConvention::kPaper;
  Auto<RicaContrast> contrast = {};
  Auto<double> reconstruction_weight = {};
  SourceSigns non_gaussianity = {};
};

/// As BasisOptions, with values that depend on method and data left open.
struct BasisChoice {
  Auto<Index> components = {};
  Auto<double> sparsity = {};
  double epsilon = BasisOptions{}.epsilon;
  Auto<std::string> init = {};  ///< a name, or a file
  Discrimination discrimination = BasisOptions{}.discrimination;
  Auto<double> sparsity_target = {};
  double weight_decay = BasisOptions{}.weight_decay;
  bool untied = false;
  RicaChoice rica = {};
  AtomGroups groups = {};
  Auto<SolverKind> solver = {};
  Auto<Index> iterations = {};
  Auto<Index> epochs = {};
  Auto<Index> batch = {};
  Auto<double> rate = {};
  Auto<Index> second_components = {};  ///< conv-dbn only
  Auto<Index> second_field = {};       ///< conv-dbn only
};

struct PoolingChoice {
  Auto<PoolLevels> levels = {};
  Auto<PoolFunction> function = {};
  bool overlap = false;
  Auto<double> power = {};
};

/// For d-ksvd and lc-ksvd only: their dictionary, and the features of images that it is learned on.
struct DictionaryChoice {
  LabelTerms label_terms = {};
  Auto<std::string> features = {};  ///< a method; for images only
  Auto<Index> words = {};           ///< number of atoms of that method
  Index feature_components = 3000;
};

/// For max-margin-krica only.
struct MaxMarginChoice {
  Index crops = 0;
  MarginLoss loss = MarginLoss::kSquaredHinge;
  double decay = kLearnedDecay;
  double reconstruction = 0;
  Auto<bool> learn_gamma = {};
  Auto<double> held_out = {};
  Auto<Index> patience = {};
  Auto<bool> refit = {};
};

/// What is done to features before the classifier.
enum class FeatureScaling {
  kStandardise,  ///< "standardise": each feature by its mean and deviation over the training images
  kL2,           ///< "l2": all features of an image to length 1
  kNone,
};
KRICA_EXPORT std::string_view name_of(FeatureScaling scaling);

struct ClassifierChoice {
  Auto<FeatureScaling> scaling = {};
  Auto<double> C = {};
  bool balanced = false;
  Auto<bool> flips = {};  ///< also learn from mirror images
  bool test_flips = false;
};

struct KRICA_EXPORT PipelineOptions {
  std::string method{kAutoMethod};
  DescriptorOptions descriptor = {};
  WhiteningChoice whitening = {};
  BasisChoice basis = {};
  KernelChoice kernel = {};
  EncoderChoice encoder = {};
  PoolingChoice pooling = {};
  MaxMarginChoice max_margin = {};
  DictionaryChoice dictionary = {};
  ClassifierChoice classifier = {};
  Index images = 0;
  std::uint64_t seed = 0;

  /// Throws InvalidArgument with the option, its value and the allowed values.
  void validate() const;
};

/// To and from JSON text; unset values are "auto". Throws DataError for any other text and for
/// unknown names.
KRICA_EXPORT std::string to_json(const PipelineOptions& options);
KRICA_EXPORT PipelineOptions options_from_json(const std::string& text);

/// Options that were found together for one purpose, as JSON text: a start for options_from_json(),
/// to be changed where wanted. "accurate": found on CIFAR-10, for small photographs in colour and a
/// GPU (docs/methods.md). Throws InvalidArgument for an unknown name.
KRICA_EXPORT std::string recipe(std::string_view name);
KRICA_EXPORT std::vector<std::string> recipe_names();

}  // namespace krica
