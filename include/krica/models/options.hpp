// SPDX-License-Identifier: BSD-3-Clause
//
// Every option that shapes a model, in one place: its name, default and meaning. The command line,
// the model file and Python read them from here (for_each_option), so they cannot differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "krica/classify/linear_svm.hpp"
#include "krica/features/encoder.hpp"
#include "krica/features/extractor.hpp"
#include "krica/kernels/kernel.hpp"
#include "krica/models/data_facts.hpp"
#include "krica/patches/preprocessing.hpp"

namespace krica {

/// An option whose value may be left to the method or to the data.
template <class Value>
using Auto = std::optional<Value>;

/// The method that is chosen by the data (recommendation.hpp).
constexpr std::string_view kAutoMethod = "auto";

struct PipelineOptions {
  std::string method{kAutoMethod};
  Auto<Index> components = {};
  Auto<Index> receptive_field = {};
  Index stride = 1;
  std::string pool = "2x2";
  bool pool_overlap = false;
  Auto<double> pool_power = {};
  std::string kernel = "gaussian";
  Auto<double> gamma = {};
  int degree = 3;
  double kernel_scale = 1.0;
  Auto<double> sparsity = {};
  double epsilon = 1e-4;
  Auto<std::string> encoder = {};
  double threshold = 0.25;
  Auto<bool> unit_norm = {};
  Auto<std::string> init = {};
  double discrimination = 0.1;
  std::string discrimination_reading = "sum";
  Auto<double> elastic = {};
  double sparsity_target = 0.05;
  double weight_decay = 3e-3;
  bool untied = false;
  std::string convention = "paper";
  Auto<std::string> rica_contrast = {};
  Auto<double> reconstruction_weight = {};
  std::string non_gaussianity = "1";
  std::string pooling_groups = "none";
  Auto<std::string> whitening = {};
  Auto<double> whitening_epsilon = {};
  Index whitening_components = 0;
  Auto<double> whitening_gamma = {};
  Index landmarks = 1000;
  std::string landmark_choice = "kmeans";
  Auto<bool> contrast = {};
  Auto<double> contrast_epsilon = {};
  std::string solver = "auto";
  Auto<Index> iterations = {};
  Auto<Index> epochs = {};
  Auto<Index> batch = {};
  Auto<double> rate = {};
  Auto<bool> flips = {};
  Index crops = 0;
  std::string loss = "squared-hinge";
  double decay = 0.05;
  double reconstruction = 0;
  Auto<bool> learn_gamma = {};
  Auto<double> held_out = {};
  Auto<Index> patience = {};
  Auto<bool> refit = {};
  Index patches = 400000;
  Index images = 0;
  Auto<double> svm_c = {};
  bool balanced = false;
  bool test_flips = false;
  std::uint64_t seed = 0;

  /// Throws InvalidArgument naming the option, its value and what is allowed.
  void validate() const;
};

namespace internal {

/// What is computed from an image.
template <class Options, class Visitor>
void visit_feature_options(Options& o, Visitor& visit) {
  visit("method", o.method, "how to learn the basis; auto is chosen by the data");
  visit("components", o.components, "number of atoms in the basis; auto depends on the data");
  visit("receptive-field", o.receptive_field,
        "side of a patch in pixels; auto is 6, or 8 for images of 64 pixels or more");
  visit("stride", o.stride, "step between neighbouring patches when encoding, in pixels");
  visit("pool", o.pool, "grid of cells over which codes are summed, rows x columns");
  visit("pool-overlap", o.pool_overlap,
        "average over overlapping cells, 1.5 times as wide as their spacing, instead of summing");
  visit("pool-power", o.pool_power,
        "exponent applied to the pooled codes; auto is 0.5 for max-margin-krica, otherwise 1");
  visit("kernel", o.kernel,
        "linear, gaussian, polynomial, inverse-distance, inverse-square-distance or "
        "histogram-intersection");
  visit("gamma", o.gamma,
        "width parameter of the Gaussian kernel; auto is 6 divided by the median squared distance "
        "between patches, for samples 1 divided by it");
  visit("degree", o.degree, "degree of the polynomial kernel");
  visit("kernel-scale", o.kernel_scale,
        "scale b of the inverse-distance and histogram-intersection kernels");
  visit("encoder", o.encoder,
        "kernel, abs, linear, triangle, hard, soft-threshold, soft-abs, sigmoid or lasso; auto is "
        "the method's own, and linear for rica, ica and kica on samples without a classifier; "
        "max-margin-krica: kernel for samples and where kernel, gamma or reconstruction is given");
  visit("threshold", o.threshold, "threshold of the soft-threshold encoder");
  visit("unit-norm", o.unit_norm,
        "scale preprocessed patches to length 1; auto is the method's own, for samples no");
}

/// What the basis' objective weighs, and where its learning begins.
template <class Options, class Visitor>
void visit_basis_options(Options& o, Visitor& visit) {
  visit("sparsity", o.sparsity, "weight of the sparsity term; auto is the method's own");
  visit("epsilon", o.epsilon, "smoothing of the sparsity term");
  visit(
      "init", o.init,
      "initial basis: kmeans, omp-1, random-patches, random, class-kmeans or label-affinity; auto "
      "is the method's own; or a .npy file with one atom per row; max-margin-krica also accepts a "
      "model file and takes its atoms, patches and kernel");
  visit("discrimination", o.discrimination,
        "weight of the class-aware term of drica, d-rica and d-krica");
  visit("discrimination-reading", o.discrimination_reading,
        "class-aware term: sum (squared sums of codes, as written in the paper) or select (sums of "
        "squared codes)");
  visit("elastic", o.elastic,
        "weight of the squared codes in the class-aware term; auto is atoms per class + 1 (sum), 2 "
        "(select) or 0 (drica)");
  visit("sparsity-target", o.sparsity_target,
        "target mean activity of a unit of the sparse autoencoder or sparse RBM");
  visit("weight-decay", o.weight_decay, "weight decay of the sparse autoencoder");
  visit("untied", o.untied, "give the sparse autoencoder separate decoder weights");
  visit("convention", o.convention,
        "form of RICA's objective: paper, le (Le's code) or matlab (MATLAB's rica: "
        "reconstruction-weight, unit rows, no whitening)");
  visit("rica-contrast", o.rica_contrast,
        "RICA's contrast: smooth-l1, or MATLAB's logcosh, exp or sqrt; auto is smooth-l1, with "
        "convention matlab logcosh");
  visit("reconstruction-weight", o.reconstruction_weight,
        "weight of the reconstruction term with convention matlab (its Lambda), in place of "
        "sparsity; auto is 1");
  visit("non-gaussianity", o.non_gaussianity,
        "RICA: 1 to seek sparse (super-Gaussian) sources, -1 for sub-Gaussian ones; one value, or "
        "one per atom separated by commas");
  visit("pooling-groups", o.pooling_groups,
        "groups of the sparsity term: none, topographic or a group size");
}

/// What happens to patches before.
template <class Options, class Visitor>
void visit_preprocessing_options(Options& o, Visitor& visit) {
  visit("whitening", o.whitening,
        "zca, pca, kpca, standardise (every feature to variance 1) or none; auto is the method's "
        "own, standardise for kernel methods on samples, none with convention matlab");
  visit("whitening-epsilon", o.whitening_epsilon,
        "added to the variances before dividing by them; for samples a fraction of their mean "
        "variance, for standardise of the median one; auto is 0.1, 1e-6 for linear codes of "
        "samples, 1e-4 for kpca");
  visit("whitening-components", o.whitening_components,
        "number of directions that pca and kpca keep; 0 keeps all directions with variance (kica: "
        "as many as components; kpca-rica: half as many)");
  visit("whitening-gamma", o.whitening_gamma,
        "width parameter of kpca's Gaussian kernel; auto is 1 divided by the median squared "
        "distance");
  visit("landmarks", o.landmarks,
        "maximum number of landmark samples for kpca; 0 uses all patches (exact)");
  visit("landmark-choice", o.landmark_choice, "how to choose landmarks: kmeans or random");
  visit("contrast", o.contrast,
        "normalise the contrast of patches; auto is yes for images, no for samples");
  visit("contrast-epsilon", o.contrast_epsilon,
        "added to a patch's variance, for pixel values from 0 to 255; for samples a fraction of "
        "the mean variance of a row; auto is 10 for images, 0.01 for samples");
}

/// How long and how fast it learns.
template <class Options, class Visitor>
void visit_solver_options(Options& o, Visitor& visit) {
  visit("solver", o.solver,
        "auto, lbfgs, adam or fixed-point; auto is adam when there are many patches, otherwise "
        "lbfgs");
  visit("iterations", o.iterations,
        "maximum iterations of L-BFGS, the fixed point, ica, kica and omp-1; auto is 100 for "
        "images, 1000 for samples");
  visit("epochs", o.epochs, "maximum epochs of Adam; auto is 10, for max-margin-krica 12 or more");
  visit("batch", o.batch,
        "samples per step of Adam; auto is 1024 patches or a tenth of all patches, for "
        "max-margin-krica up to 128 images");
  visit("rate", o.rate,
        "peak learning rate of Adam; auto is 0.01, for max-margin-krica 0.003 (a third of it for "
        "the classifier)");
}

/// Of max-margin-krica alone.
template <class Options, class Visitor>
void visit_joint_options(Options& o, Visitor& visit) {
  visit("flips", o.flips,
        "max-margin-krica: also train on mirror images; auto is yes for colour images");
  visit("crops", o.crops, "max-margin-krica: shift training images by up to this many pixels");
  visit("loss", o.loss, "max-margin-krica: squared-hinge or cross-entropy");
  visit("decay", o.decay, "max-margin-krica: weight decay of the classifier");
  visit("reconstruction", o.reconstruction,
        "max-margin-krica: weight of kRICA's objective, added to the loss");
  visit(
      "learn-gamma", o.learn_gamma,
      "max-margin-krica: learn one kernel width, threshold or bias per atom; auto is yes where the "
      "code has one");
  visit("held-out", o.held_out,
        "max-margin-krica: fraction of the images held out (at most 2,000), which stop training "
        "early and tell whether it helped; auto is 0.2, and where images are few all of them are "
        "learned from afterwards; 0 holds out none");
  visit("patience", o.patience,
        "max-margin-krica: epochs without a better held-out accuracy before stopping, counted "
        "from when the rate falls; auto is 10");
  visit("refit", o.refit,
        "max-margin-krica: whether to fit an SVM to the learned features, as for other methods, or "
        "keep the classifier learned with them; auto is what held-out images say");
}

/// What is learned from, and the classifier.
template <class Options, class Visitor>
void visit_data_options(Options& o, Visitor& visit) {
  visit("patches", o.patches,
        "number of patches to learn from (for samples: the maximum number of rows)");
  visit("images", o.images, "number of training images or samples to use; 0 uses all");
  visit("svm-c", o.svm_c,
        "C of the linear SVM; auto chooses it on a held-out fifth of the training images");
  visit("balanced", o.balanced, "weight classes equally in the SVM");
  visit("test-flips", o.test_flips, "predict from the mean score of an image and its mirror image");
  visit("seed", o.seed, "seed of every random choice");
}

}  // namespace internal

/// Calls visit(name, member, help) for every option, in the order in which help lists them.
template <class Options, class Visitor>
void for_each_option(Options& o, Visitor&& visit) {
  internal::visit_feature_options(o, visit);
  internal::visit_basis_options(o, visit);
  internal::visit_preprocessing_options(o, visit);
  internal::visit_solver_options(o, visit);
  internal::visit_joint_options(o, visit);
  internal::visit_data_options(o, visit);
}

/// The words that an option knows, for help and completion; empty where it takes a number. Where a
/// value may be left open, "auto" is allowed beside them, and pooling-groups also takes a number.
std::vector<std::string> choices_of(std::string_view option);

/// What is left to the data (recommendation.hpp) or to the method, settled: a copy without unset
/// values except gamma, svm_c, batch, held_out and refit, which training settles, and those without
/// effect. Samples
/// are their own patches: for them receptive_field and stride are 1, pool is 1x1 whatever was
/// given. Without a classifier (no classes), the codes themselves are the result: those of linear
/// methods keep their sign then.
PipelineOptions resolved(const PipelineOptions& options, const DataFacts& facts);

/// Whether the kernel shapes the model: its codes, or how its basis is learned. For options that
/// resolved() gave.
bool uses_kernel(const PipelineOptions& settled);
/// False where the option's value would change nothing beside the others, as the width of the
/// Gaussian with another kernel. Knows what the methods' grids search; true for all else.
bool has_effect(const PipelineOptions& settled, std::string_view option);

/// As JSON text and back; unset values are "auto". Throws DataError for text that is not such a
/// list; unknown names are refused.
std::string to_json(const PipelineOptions& options);
PipelineOptions options_from_json(const std::string& text);

/// "2x3" as {2, 3}. Throws InvalidArgument.
std::pair<Index, Index> parse_grid(const std::string& grid);

/// "1,-1,1" as {1, -1, 1}; one value is that of all atoms, and all +1 is empty. The number is not
/// checked where components is 0. Throws InvalidArgument.
std::vector<int> parse_non_gaussianity(const std::string& text, Index components);

/// The parts' own options. gamma must be set for the kernel of kernel methods.
Kernel kernel_of(const PipelineOptions& options);
EncoderOptions encoder_of(const PipelineOptions& options);
FeatureOptions features_of(const PipelineOptions& options);
PreprocessingOptions preprocessing_of(const PipelineOptions& options, const ImageShape& shape);

}  // namespace krica
