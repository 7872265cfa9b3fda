// SPDX-License-Identifier: BSD-3-Clause
//
// The list of options: name, member and help of each, in one place. It generates the command line,
// JSON, the model file, the comparison with a checkpoint and Python's signatures. To add an option,
// add a member of PipelineOptions with its default, and a line here.
#pragma once

#include "krica/models/options.hpp"
#include "krica/runtime/library.hpp"

namespace krica {
namespace internal {

/// Descriptors and codes of an image.
template <class Options, class Visitor>
void visit_feature_options(Options& o, Visitor& visit) {
  visit("method", o.method, "how to learn the basis; auto is chosen by the data");
  visit("components", o.basis.components, "number of atoms in the basis; auto depends on the data");
  visit("descriptor", o.descriptor.kind,
        "what describes a patch: its pixels, or sift, histograms of its gradients, for images of "
        "any size; auto is the method's own, mostly pixels");
  visit("receptive-field", o.descriptor.receptive_field,
        "side of a patch in pixels; auto is 6, or 8 for images of 64 pixels or more, for sift 16 "
        "(a multiple of 4)");
  visit("stride", o.descriptor.stride,
        "step between neighbouring patches when encoding, in pixels; auto is 1, for sift 6");
  visit("pool", o.pooling.levels,
        "grid of cells over which codes are pooled, rows x columns; or several, such as "
        "1x1,2x2,4x4; auto is the method's own, mostly 2x2");
  visit("pool-function", o.pooling.function,
        "how to pool the codes of a cell: sum, mean or max; with pool-overlap sum means mean; "
        "max-margin-krica accepts sum or mean; auto is the method's own, mostly sum");
  visit("pool-overlap", o.pooling.overlap,
        "let cells overlap, 1.5 times as wide as their spacing, and average over them instead of "
        "summing");
  visit("pool-power", o.pooling.power,
        "exponent applied to the pooled codes; auto is 0.5 for max-margin-krica, otherwise 1");
  visit("kernel", o.kernel.kind,
        "linear, gaussian, polynomial, inverse-distance, inverse-square-distance or "
        "histogram-intersection");
  visit("gamma", o.kernel.gamma,
        "width parameter of the Gaussian kernel; auto is 6 divided by the median squared distance "
        "between patches (krica and d-krica: 3 divided by it), for samples 1 divided by it");
  visit("degree", o.kernel.degree, "degree of the polynomial kernel");
  visit("kernel-scale", o.kernel.scale,
        "scale b of the inverse-distance and histogram-intersection kernels");
  visit(
      "encoder", o.encoder.kind,
      "kernel, abs, linear, triangle, hard, soft-threshold, soft-abs, sigmoid, lasso, omp, "
      "signed-lasso, signed-omp, llc or tangents; auto is the method's own, and a signed code for "
      "linear methods on samples without a classifier; max-margin-krica: kernel for samples and "
      "if kernel, gamma or reconstruction is given");
  visit("nonzeros", o.encoder.nonzeros,
        "atoms in a code of the omp encoder, and of ksvd, d-ksvd and lc-ksvd when learning; auto "
        "is a tenth of the values of a patch, 3 to 10, and 30 for d-ksvd and lc-ksvd");
  visit("threshold", o.encoder.threshold, "threshold of the soft-threshold encoder");
  visit("neighbours", o.encoder.neighbours,
        "nearest atoms that make up a code of the llc or tangents encoder, at most all; auto is 5");
  visit(
      "tangents", o.encoder.tangents,
      "directions per atom of the tangents encoder, each of which is a channel; at most the values "
      "of a patch; auto is 8");
  visit("tangent-scale", o.encoder.tangent_scale,
        "factor of the weights in the code of the tangents encoder; auto makes them as large as "
        "the coordinates along the tangents");
  visit("unit-norm", o.descriptor.unit_norm,
        "scale preprocessed patches to length 1; auto is the method's own, for samples and sift "
        "no");
}

/// The objective of the basis, and its initialisation.
template <class Options, class Visitor>
void visit_basis_options(Options& o, Visitor& visit) {
  visit("sparsity", o.basis.sparsity,
        "weight of the sparsity term; auto is the method's own; for sparse-coding against half the "
        "squared error, as scikit-learn's alpha");
  visit("epsilon", o.basis.epsilon, "smoothing of the sparsity term");
  visit(
      "init", o.basis.init,
      "initial basis: kmeans, omp-1, random-patches, random, class-kmeans or label-affinity; auto "
      "is the method's own; or a .npy file with one atom per row; max-margin-krica also accepts a "
      "model file and takes its atoms, patches and kernel");
  visit("discrimination", o.basis.discrimination.weight,
        "weight of the class-aware term of drica, d-rica and d-krica");
  visit("discrimination-reading", o.basis.discrimination.reading,
        "class-aware term: sum (squared sums of codes, as written in the paper) or select (sums of "
        "squared codes)");
  visit("elastic", o.basis.discrimination.elastic,
        "weight of the squared codes in the class-aware term; auto is atoms per class + 1 (sum), 2 "
        "(select) or 0 (drica)");
  visit("sparsity-target", o.basis.sparsity_target,
        "target mean activity of a unit of the sparse autoencoder, sparse RBM or conv-dbn; auto is "
        "0.05, for conv-dbn 0.02");
  visit("weight-decay", o.basis.weight_decay, "weight decay of the sparse autoencoder");
  visit("untied", o.basis.untied, "give the sparse autoencoder separate decoder weights");
  visit("convention", o.basis.rica.convention,
        "form of RICA's objective: paper, le (Le's code) or matlab (MATLAB's rica: "
        "reconstruction-weight, unit rows, no whitening)");
  visit("rica-contrast", o.basis.rica.contrast,
        "RICA's contrast: smooth-l1, or MATLAB's logcosh, exp or sqrt; auto is smooth-l1, with "
        "convention matlab logcosh");
  visit("reconstruction-weight", o.basis.rica.reconstruction_weight,
        "weight of the reconstruction term with convention matlab (its Lambda), in place of "
        "sparsity; auto is 1");
  visit("non-gaussianity", o.basis.rica.non_gaussianity,
        "RICA: 1 to seek sparse (super-Gaussian) sources, -1 for sub-Gaussian ones; one value, or "
        "one per atom separated by commas");
  visit("second-components", o.basis.second_components,
        "conv-dbn: groups of the second layer; 0 for a single layer; auto is twice components");
  visit("second-field", o.basis.second_field,
        "conv-dbn: side of the second layer's filters, in blocks of the first layer; auto is 5, or "
        "less for small images");
  visit("pooling-groups", o.basis.groups,
        "groups of the sparsity term: none, topographic or a group size");
}

/// Preprocessing of patches.
template <class Options, class Visitor>
void visit_preprocessing_options(Options& o, Visitor& visit) {
  visit("whitening", o.whitening.method,
        "zca, pca, kpca, standardise (every feature to variance 1) or none; auto is the method's "
        "own, for samples standardise with kernel methods and none with d-ksvd and lc-ksvd, none "
        "for sift and with convention matlab");
  visit("whitening-epsilon", o.whitening.epsilon,
        "added to the variances before dividing by them; for samples a fraction of their mean "
        "variance, for standardise of the median one; auto is 0.1, 1e-6 for linear codes of "
        "samples, 1e-4 for kpca");
  visit("whitening-components", o.whitening.components,
        "number of directions that pca and kpca keep; 0 keeps all directions with variance (kica: "
        "as many as components; kpca-rica: half as many)");
  visit("whitening-gamma", o.whitening.gamma,
        "width parameter of kpca's Gaussian kernel; auto is 1 divided by the median squared "
        "distance");
  visit("landmarks", o.whitening.landmarks,
        "maximum number of landmark samples for kpca; 0 uses all patches (exact)");
  visit("landmark-choice", o.whitening.landmark_choice,
        "how to choose landmarks: kmeans or random");
  visit("contrast", o.descriptor.contrast,
        "normalise the contrast of patches; auto is yes for images, no for samples and sift");
  visit("contrast-epsilon", o.descriptor.contrast_epsilon,
        "added to a patch's variance, for pixel values from 0 to 255; for samples a fraction of "
        "the mean variance of a row; auto is 10 for images, 0.01 for samples");
}

/// Solver and training length.
template <class Options, class Visitor>
void visit_solver_options(Options& o, Visitor& visit) {
  visit("solver", o.basis.solver,
        "auto, lbfgs, adam or fixed-point; auto is adam when there are many patches, otherwise "
        "lbfgs");
  visit("iterations", o.basis.iterations,
        "maximum iterations of L-BFGS, the fixed point, ica, kica, omp-1 and the dictionary "
        "methods; auto is 100 for images, 1000 for samples, 30 for ksvd and 50 for the other "
        "dictionaries");
  visit("epochs", o.basis.epochs,
        "maximum epochs of Adam; auto is 10, for max-margin-krica 12 or more");
  visit("batch", o.basis.batch,
        "samples per step of Adam; auto is 1024 patches or a tenth of all patches, for "
        "max-margin-krica and conv-dbn up to 128 images");
  visit("rate", o.basis.rate,
        "peak learning rate of Adam; auto is 0.01, for max-margin-krica 0.003 (a third of it for "
        "the classifier)");
}

/// max-margin-krica only.
template <class Options, class Visitor>
void visit_joint_options(Options& o, Visitor& visit) {
  visit("crops", o.max_margin.crops,
        "max-margin-krica: shift training images by up to this many pixels");
  visit("loss", o.max_margin.loss, "max-margin-krica: squared-hinge or cross-entropy");
  visit("decay", o.max_margin.decay, "max-margin-krica: weight decay of the classifier");
  visit("reconstruction", o.max_margin.reconstruction,
        "max-margin-krica: weight of kRICA's objective, added to the loss");
  visit("learn-gamma", o.max_margin.learn_gamma,
        "max-margin-krica: learn one kernel width, threshold or bias per atom; auto is yes if the "
        "code has one");
  visit("held-out", o.max_margin.held_out,
        "max-margin-krica: fraction of the images held out for early stopping and for judging the "
        "result (at most 2,000); auto is 0.2, and if images are few a final training uses all of "
        "them; 0 holds out none");
  visit("patience", o.max_margin.patience,
        "max-margin-krica: epochs without a better held-out accuracy before stopping, counted once "
        "the rate decreases; auto is 10");
  visit("refit", o.max_margin.refit,
        "max-margin-krica: whether to fit an SVM to the learned features, as for other methods, or "
        "keep the classifier learned with them; auto decides on held-out images");
}

/// d-ksvd and lc-ksvd only.
template <class Options, class Visitor>
void visit_dictionary_options(Options& o, Visitor& visit) {
  visit("features", o.dictionary.features,
        "d-ksvd and lc-ksvd on images: the method whose pooled features the dictionary codes; auto "
        "is kmeans-hard with a pyramid of 1x1,2x2,4x4, of SIFT for images of 64 pixels or more");
  visit("words", o.dictionary.words,
        "d-ksvd and lc-ksvd on images: number of atoms of that method; auto is 1024");
  visit("feature-components", o.dictionary.feature_components,
        "d-ksvd and lc-ksvd on images: principal components of the features to keep, at most one "
        "less than there are images");
  visit(
      "consistency", o.dictionary.label_terms.consistency,
      "lc-ksvd: weight of codes that use atoms of their own class, the root of the paper's alpha");
  visit("label-weight", o.dictionary.label_terms.label_weight,
        "d-ksvd and lc-ksvd: weight of the labels, the root of the paper's beta");
  visit("lc-version", o.dictionary.label_terms.version,
        "lc-ksvd: 1 fits the classifier to the codes afterwards, 2 learns it with the dictionary");
}

/// Training data and classifier.
template <class Options, class Visitor>
void visit_data_options(Options& o, Visitor& visit) {
  visit("patches", o.descriptor.patches,
        "number of patches to learn from (for samples: the maximum number of rows); auto is the "
        "method's own, mostly 400000");
  visit("images", o.images, "number of training images or samples to use; 0 uses all");
  visit("feature-scaling", o.classifier.scaling,
        "features before the classifier: standardise (each by its mean and deviation), l2 (those "
        "of an image to length 1) or none; auto is the method's own, mostly standardise");
  visit("svm-c", o.classifier.C,
        "C of the linear SVM; auto chooses it on a held-out fifth of the training images");
  visit("balanced", o.classifier.balanced, "weight classes equally in the SVM");
  visit("flips", o.classifier.flips,
        "also train on mirror images: the SVM, and max-margin-krica its atoms; auto is yes for "
        "colour images with max-margin-krica, otherwise no");
  visit("test-flips", o.classifier.test_flips,
        "predict from the mean score of an image and its mirror image");
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
  internal::visit_dictionary_options(o, visit);
  internal::visit_data_options(o, visit);
}

/// The words that an option accepts, for help and completion; empty if it takes a number. An option
/// that may be left open also accepts "auto", and pooling-groups also accepts a number.
KRICA_EXPORT std::vector<std::string> choices_of(std::string_view option);

}  // namespace krica
