// SPDX-License-Identifier: BSD-3-Clause
#include "models/stage_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "classify/feature_projection.hpp"
#include "krica/clustering/kmeans.hpp"
#include "models/layers.hpp"
#include "models/method_costs.hpp"
#include "models/method_defaults.hpp"
#include "models/parts.hpp"
#include "models/rules.hpp"

namespace krica {
namespace {

// The library's loops reach this fraction of the speed of an in-cache product.
constexpr double kReachedProducts = 0.77;
// A term of a single-threaded sum costs this many operations of a product.
constexpr double kTermAsProducts = 57;

Cost products(double count) { return {.products = count}; }
Cost loops(double count) { return {.loops = count}; }
Cost serial_loops(double count) { return {.serial_products = kTermAsProducts * count}; }
Cost eigen(double n) { return {.serial_products = kEigenProducts * n * n * n}; }

double as_double(Index value) { return static_cast<double>(value); }

/// Iterations of assignment and update.
Cost kmeans_turns_cost(double samples, double values, double centers, double turns) {
  const Cost turn = products(2 * samples * values * centers) + loops(3 * samples * values);
  return turn * (turns + 1);
}

double kmeans_turns() { return as_double(KmeansOptions().max_iterations); }

/// K-means++ on 32 samples per centre, then the iterations.
Cost kmeans_cost(double samples, double values, double centers, double turns) {
  const double pool = std::min(samples, 32 * centers);
  return loops(pool * centers * values) + kmeans_turns_cost(samples, values, centers, turns);
}

Cost kmeans_cost(double samples, double values, double centers) {
  return kmeans_cost(samples, values, centers, kmeans_turns());
}

Cost kernel_pca_cost(const TrainingSizes& s) {
  constexpr double kLandmarkTurns = 10;
  constexpr double kWideProducts = 2;  // in double precision
  const double l = s.landmarks;
  const double rank = std::min(l, std::max(s.outputs, l / 4));  // directions above rounding error
  const bool drawn =
      s.options.whitening.landmark_choice == LandmarkChoice::kRandom || l >= s.patches;
  const Cost landmarks = drawn ? Cost{} : kmeans_cost(s.patches, s.inputs, l, kLandmarkTurns);
  const double moments =
      2 * l * s.inputs + kWideProducts * 2 * rank * (l + rank);  // products per patch
  return landmarks + eigen(l) + eigen(rank) + products(s.patches * moments) +
         loops(s.patches * 4 * l);
}

/// Contrast normalisation, whitening or kernel PCA, and unit norm of one patch.
Cost preprocessing_cost(const TrainingSizes& s) {
  const Cost contrast = loops(6 * s.inputs);
  if (s.landmarks > 0)
    return contrast + products(2 * s.landmarks * (s.inputs + s.outputs)) + loops(4 * s.landmarks);
  const bool whitens = s.options.whitening.method == WhiteningMethod::kZca ||
                       s.options.whitening.method == WhiteningMethod::kPca;
  return contrast + products(whitens ? 2 * s.inputs * s.outputs : 0);
}

/// Random rows without near-duplicates: each new row is compared with all previous ones.
Cost drawing_cost(const TrainingSizes& s) {
  return serial_loops(s.outputs * (4 * s.patches + s.atoms * s.atoms));
}

Cost spherical_turns_cost(const TrainingSizes& s) {
  constexpr double kUsualTurns = 65;
  const double turns = std::min(as_double(*s.options.basis.iterations), kUsualTurns);
  const Cost turn =
      products(2 * s.patches * s.outputs * s.atoms) + loops(3 * s.patches * s.outputs);
  return turn * (turns + 1);
}

Cost start_cost(const TrainingSizes& s) {
  const std::string init = s.options.basis.init.value_or("random");
  if (init == "omp-1") return spherical_turns_cost(s);
  if (init == "kmeans" || init == "label-affinity")
    return kmeans_cost(s.patches, s.outputs, s.atoms);
  if (init == "class-kmeans")  // each class has its share of the samples and the centres
    return kmeans_cost(s.patches, s.outputs, s.atoms / std::max(1.0, s.classes));
  return init == "random-patches" ? drawing_cost(s) : Cost{};
}

/// The start "kmeans" of K-means is k-means++: its iterations are those of the method.
Cost kmeans_basis_cost(const TrainingSizes& s) {
  if (s.options.basis.init == "kmeans") return start_cost(s);
  return start_cost(s) + kmeans_turns_cost(s.patches, s.outputs, s.atoms, kmeans_turns());
}

/// Value and gradient of an objective on one sample of n values, with K atoms.
struct ObjectiveCost {
  std::string_view method;
  double layers;            ///< products: multiples of n K
  double squares = 0;       ///< products: multiples of K²
  double terms = 0;         ///< loops: multiples of K
  double serial_terms = 0;  ///< single-threaded loops
  double iterations = 250;  ///< of L-BFGS: usually sufficient if more are allowed
  double epochs = 1;        ///< of Adam: fraction of the epochs that is usually needed
};

constexpr auto kObjectives = std::to_array<ObjectiveCost>({
    {.method = "krica", .layers = 4, .squares = 3, .terms = 12},
    {.method = "d-krica", .layers = 4, .squares = 3, .terms = 12, .iterations = 25, .epochs = 0.6},
    {.method = "ksr", .layers = 4, .squares = 1, .terms = 95},
    {.method = "sparse-filtering", .layers = 4, .serial_terms = 27},
    {.method = "sparse-autoencoder", .layers = 6, .terms = 28},
    {.method = "sparse-rbm", .layers = 6, .terms = 45},
    {.method = "rica", .layers = 4, .terms = 4},  // last: also for all other methods
});

const ObjectiveCost& objective_of(const BasisMethod& method) {
  const auto* found =
      std::find_if(kObjectives.begin(), kObjectives.end(),
                   [&](const ObjectiveCost& objective) { return objective.method == method.name; });
  return found != kObjectives.end() ? *found : kObjectives.back();
}

Cost evaluation_cost(const TrainingSizes& s) {
  const ObjectiveCost& f = objective_of(s.method);
  return products(s.atoms * (f.layers * s.outputs + f.squares * s.atoms)) +
         loops(f.terms * s.atoms) + serial_loops(f.serial_terms * s.atoms);
}

/// The cost of an Adam step besides the evaluation on its batch: the update, and what an objective
/// computes from the atoms alone.
Cost step_cost(const TrainingSizes& s, double batch) {
  const double n = s.outputs;
  const Cost update = serial_loops(10 * s.atoms * n);
  if (!s.method.rica) return update + products(2 * s.atoms * s.atoms * n);
  return update + Cost{.serial_products = n * n * (2 * batch + 12 * s.atoms)};
}

Cost adam_cost(const TrainingSizes& s) {
  const double held_out = std::min(0.1 * s.patches, 10000.0);
  const double epochs =
      objective_of(s.method).epochs * as_double(s.options.basis.epochs.value_or(kEpochs));
  const double batch = std::clamp(as_double(s.options.basis.batch.value_or(1024)), 1.0,
                                  std::max(1.0, s.patches / 10));
  const double steps = epochs * std::floor((s.patches - held_out) / batch);
  return evaluation_cost(s) * (steps * batch + (epochs + 1) * held_out / 2) +
         step_cost(s, batch) * steps;
}

/// L-BFGS and the fixed point: mostly one evaluation per iteration.
Cost batch_solver_cost(const TrainingSizes& s) {
  constexpr double kEvaluationsPerIteration = 1.1;
  const double iterations =
      std::min(as_double(*s.options.basis.iterations), objective_of(s.method).iterations);
  return evaluation_cost(s) * (s.patches * kEvaluationsPerIteration * iterations);
}

Cost solver_cost(const TrainingSizes& s) {
  constexpr double kManyPatches = 50000;  // `auto` uses Adam from here on
  const bool adam = s.options.basis.solver == SolverKind::kAdam ||
                    s.method.solvers == SolverChoice::kAdam ||
                    (!s.options.basis.solver && s.patches >= kManyPatches);
  return start_cost(s) + (adam ? adam_cost(s) : batch_solver_cost(s));
}

Cost fast_ica_cost(const TrainingSizes& s) {
  constexpr double kUsualIterations = 150;
  const double iterations = std::min(as_double(*s.options.basis.iterations), kUsualIterations);
  const double K = s.atoms;
  const Cost turn = products(s.patches * 4 * K * K) + loops(s.patches * 24 * K) + eigen(K);
  return turn * iterations;
}

constexpr double kLassoTerms = 40;

/// A step over k chosen atoms costs k multiply-adds per atom, and a search for the largest slope.
double pursuit_terms(double nonzeros) { return 0.15 * nonzeros * nonzeros + 2 * nonzeros; }

/// K-SVD of `samples` of `values`; a pursuit of all, then the atoms and their codes.
Cost ksvd_cost(double samples, double values, double atoms, double nonzeros, double iterations) {
  const Cost coding = products(2 * values * atoms) + loops(pursuit_terms(nonzeros) * atoms);
  const Cost update = loops(6 * nonzeros * values);
  return (coding + update) * (samples * (iterations + 1)) +
         products(4 * atoms * atoms * values * iterations);
}

Cost sparse_coding_cost(const TrainingSizes& s) {
  constexpr double kUsualIterations = 30;
  const double iterations = std::min(as_double(*s.options.basis.iterations), kUsualIterations);
  const Cost coding = products(2 * s.outputs * s.atoms) + loops(kLassoTerms * s.atoms);
  return coding * (s.patches * (iterations + 1));
}

/// The dictionaries of the classes, then that of all samples.
Cost label_ksvd_cost(double samples, double values, double atoms, double nonzeros,
                     double iterations, double classes) {
  constexpr double kClassIterations = 20;
  return ksvd_cost(samples, values, atoms / std::max(1.0, classes), nonzeros, kClassIterations) +
         ksvd_cost(samples, values + classes, atoms, nonzeros, iterations);
}

Cost spherical_kmeans_cost(const TrainingSizes& s) {
  return start_cost(s) + spherical_turns_cost(s);
}

/// Loop cost per code value, besides the products.
double code_terms(EncoderKind encoder, double nonzeros) {
  if (is_lasso(encoder)) return kLassoTerms;
  if (is_omp(encoder)) return pursuit_terms(nonzeros);
  if (encoder == EncoderKind::kSoftAbs) return 12;
  if (encoder == EncoderKind::kSigmoid) return 4;
  return encoder == EncoderKind::kTriangle ? 1.5 : 0.5;
}

/// Of one patch.
Cost code_cost(const TrainingSizes& s) {
  return products(2 * s.outputs * s.atoms) +
         loops(code_terms(s.options.encoder.kind.value_or(EncoderKind::kKernel), s.nonzeros) *
               s.atoms) +
         local_code_cost(s);
}

/// The gradients of an image, and SIFT descriptors at some positions.
Cost sift_cost(const TrainingSizes& s, double positions) {
  constexpr double kPerPixel = 12;
  constexpr double kPerPosition = 2500;
  return s.sift ? loops(kPerPixel * s.filled * s.pixels + kPerPosition * positions) : Cost{};
}

/// One evaluation of the squared hinge loss on `rows` × `width` values, and the change of
/// variables.
Cost hinge_cost(double rows, double width, double metric_width, double classes) {
  return {.products = 4 * rows * width * classes + 2 * width * metric_width * classes,
          .bytes = 4 * (rows * width + width * metric_width)};
}

}  // namespace

Cost Cost::operator+(const Cost& other) const {
  return {products + other.products, serial_products + other.serial_products, loops + other.loops,
          bytes + other.bytes};
}

Cost Cost::operator*(double times) const {
  return {times * products, times * serial_products, times * loops, times * bytes};
}

double Cost::seconds(const MachineSpeed& speed) const {
  return products / (kReachedProducts * speed.products) + serial_products / speed.serial_products +
         loops / speed.loops + bytes / speed.reading;
}

TrainingSizes::TrainingSizes(const DataFacts& facts, const PipelineOptions& settled)
    : options(layer_of(settled)), method(basis_method(options.method)) {
  const ImageShape& shape = facts.shape;
  const LocalDescriptorsPtr descriptors = make_descriptors(features_of(options).descriptors, shape);
  images = as_double(facts.size);
  values = as_double(shape.values());
  filled = facts.filled;
  pixels = as_double(shape.pixels());
  sift = !shape.is_sample() && descriptor_of(settled) == DescriptorKind::kSift;
  positions = std::max(1.0, filled * as_double(descriptors->positions(shape).count()));
  patches = as_double(patches_of(settled));
  if (shape.is_sample()) patches = std::min(patches, images);
  inputs = as_double(descriptors->dimensions());
  const bool kernel_pca = settled.whitening.method == WhiteningMethod::kKernelPca;
  const double wanted = settled.whitening.landmarks > 0 ? as_double(settled.whitening.landmarks)
                                                        : patches;  // 0: all patches
  landmarks = kernel_pca ? std::min(wanted, patches) : 0;
  const double kept = as_double(settled.whitening.components);
  outputs = kept > 0 ? std::min(kept, kernel_pca ? landmarks : inputs)
                     : (kernel_pca ? landmarks / 2 : inputs);
  atoms = as_double(options.basis.components.value_or(0));
  nonzeros = as_double(encoder_of(options).nonzeros);
  if (method.network) layers = conv_layers_of(options, shape);
  features = features_per_image(*this);
  classes = as_double(facts.classes);
  classified = trains_on_mirrors(settled) ? 2 * images : images;
  if (!is_layered(settled)) return;
  dictionary_atoms = as_double(settled.basis.components.value_or(0));
  dictionary_nonzeros = as_double(settled.encoder.nonzeros.value_or(0));
  dictionary_iterations = as_double(settled.basis.iterations.value_or(0));
  dictionary_inputs = std::min(
      {as_double(settled.dictionary.feature_components), projected_samples() - 1, features});
}

double TrainingSizes::projected_samples() const {
  return std::min(images, as_double(FeatureProjection::kMostSamples));
}

Cost fingerprint_cost(const TrainingSizes& s) { return loops(14 * s.images * s.filled * s.values); }

/// Positions are drawn and sorted on one thread.
Cost sampling_cost(const TrainingSizes& s) {
  if (!s.sift) return serial_loops(s.patches * (370 + 10 * s.inputs));
  return serial_loops(s.patches * 370) + sift_cost(s, s.patches / s.images) * s.images;
}

Cost whitening_cost(const TrainingSizes& s) {
  const Cost checks = serial_loops(20 * s.patches * s.inputs);
  const Cost fit = s.landmarks > 0 ? kernel_pca_cost(s)
                                   : products(s.patches * s.inputs * s.inputs) + eigen(s.inputs);
  return checks + fit + preprocessing_cost(s) * s.patches;
}

/// A second dictionary, of fewer samples, calibrates the probabilities.
constexpr double kWithCalibration = 1.8;

Cost dictionary_cost(const TrainingSizes& s) {
  const double rows = s.projected_samples();
  const double side = std::min(rows, s.features);
  const Cost projection = products(2 * side * rows * s.features) + eigen(side) +
                          products(2 * s.dictionary_inputs * s.features * (rows + s.images));
  return projection + label_ksvd_cost(s.images, s.dictionary_inputs, s.dictionary_atoms,
                                      s.dictionary_nonzeros, s.dictionary_iterations, s.classes) *
                          kWithCalibration;
}

Cost basis_cost(const TrainingSizes& s) {
  if (s.method.learn == nullptr) return {};
  const std::string_view name = s.method.name;
  if (learns_as(s.method, "kmeans-hard")) return kmeans_basis_cost(s) + tangents_cost(s);
  if (name == "omp-1") return spherical_kmeans_cost(s);
  if (learns_as(s.method, "sparse-coding")) return start_cost(s) + sparse_coding_cost(s);
  const auto iterations = as_double(s.options.basis.iterations.value_or(0));
  if (name == "ksvd")
    return start_cost(s) + ksvd_cost(s.patches, s.outputs, s.atoms, s.nonzeros, iterations);
  if (s.method.classifies) {
    return label_ksvd_cost(s.patches, s.outputs, s.atoms, s.nonzeros, iterations, s.classes) *
           (s.classes > 0 ? kWithCalibration : 1);
  }
  if (name == "ica" || name == "kica") return fast_ica_cost(s);
  if (s.method.joint || name == "random-patches") return start_cost(s);
  return solver_cost(s);
}

namespace {

/// The number of passes over the images per epoch, over all trainings of max-margin kRICA, and how
/// many of these trainings are evaluated on held-out images (joint_stage.cpp).
struct JointPasses {
  double learned = 0;  // images to learn from
  double judged = 0;   // trainings
};

JointPasses joint_passes(const TrainingSizes& s) {
  constexpr double kMostHeldOut = 2000;
  const auto images = static_cast<Index>(s.images);
  const double held_out =
      std::min(s.options.max_margin.held_out.value_or(kHeldOut) * s.images, kMostHeldOut);
  if (s.options.max_margin.held_out || !is_small(images))
    return {s.images - held_out, held_out > 0 ? 1.0 : 0.0};
  const double folds = as_double(folds_for(images));
  if (folds > 0)
    return {folds * s.images, folds};  // each fold leaves out its part; then a training on all
  return {2 * s.images - held_out, 1};
}

}  // namespace

Cost joint_cost(const TrainingSizes& s) {
  if (!s.method.joint) return {};
  // A forward and backward pass costs this many times the codes alone, and this many loops per
  // code; patches are preprocessed once.
  constexpr double kPasses = 3.6;
  constexpr double kTermsPerCode = 2;
  const double epochs = as_double(s.options.basis.epochs.value_or(kEpochs));
  const JointPasses passes = joint_passes(s);
  const Cost step =
      (preprocessing_cost(s) + code_cost(s) * kPasses + loops(kTermsPerCode * s.atoms)) *
      s.positions;
  // Evaluation: the features of all images and an SVM, for the initial and for the learned atoms.
  const Cost judging = (encoding_cost(s) * s.classified + svm_cost(s)) * 2;
  return step * (passes.learned * epochs) + judging * passes.judged;
}

Cost encoding_cost(const TrainingSizes& s) {
  if (s.method.network) return network_encoding_cost(s);
  if (s.method.learn == nullptr) return loops(s.values);
  return (preprocessing_cost(s) + code_cost(s)) * s.positions + sift_cost(s, s.positions);
}

/// With fewer samples than features the problem is solved in the samples' span (SampleSpan), whose
/// dimension is the number of samples.
Cost svm_cost(const TrainingSizes& s) {
  constexpr double kMostSpanned = 8192;
  constexpr double kMetricBlock = 8192;
  constexpr double kMetricRows = 32768;
  constexpr double kSlowProducts = 2;  // factorisations reach half the speed of products
  const double m = s.classified;
  const bool spanned = m <= kMostSpanned && 4 * m <= 3 * s.features;
  const double width = spanned ? m : s.features;
  const double block = std::min(width, kMetricBlock);
  const bool searches = !s.options.classifier.C;
  const double evaluations = searches ? 110 : 40;
  const double factorings = searches ? 5 : 1;
  Cost cost = loops(10 * m * s.features);  // standardising
  if (spanned) cost = cost + products(m * m * s.features + kSlowProducts * m * m * m / 3 * 2);
  cost = cost + products(std::min(m, kMetricRows) * width * block);
  cost = cost + products(kSlowProducts * factorings * width * block * block * 2 / 3);
  return cost + hinge_cost(m, width, block, s.classes) * evaluations;
}

}  // namespace krica
