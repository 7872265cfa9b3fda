// SPDX-License-Identifier: BSD-3-Clause
//
// Sets the options left open, from the method and the kind of data.
#include "models/resolved.hpp"

#include <algorithm>

#include "krica/bases/basis.hpp"
#include "models/layers.hpp"
#include "models/method_defaults.hpp"
#include "models/parts.hpp"
#include "models/recommendation.hpp"
#include "models/rica_checks.hpp"
#include "models/rules.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

bool is_kernel_code(EncoderKind kind) { return kind == EncoderKind::kKernel || is_lasso(kind); }

EncoderKind encoder_named(std::string_view name) {
  return from_words<EncoderKind>(name, "encoder");
}

std::string_view method_encoder(const PipelineOptions& options) {
  return basis_method(options.method).encoder;
}

/// Whether the options imply kernel codes for max-margin training without naming them.
bool asks_for_kernel(const PipelineOptions& options) {
  return options.kernel.gamma || options.max_margin.reconstruction > 0 ||
         options.kernel.kind != KernelChoice{}.kind;
}

EncoderKind encoder_for(const PipelineOptions& options, const DataFacts& facts) {
  const BasisMethod& method = basis_method(options.method);
  const bool sample = facts.shape.is_sample();
  if (method.joint) {
    return sample || asks_for_kernel(options) ? EncoderKind::kKernel
                                              : encoder_named(method.encoder);
  }
  const bool signed_codes = sample && facts.classes == 0 && !method.sample_encoder.empty();
  return encoder_named(signed_codes ? method.sample_encoder : method.encoder);
}

/// Kernel codes use patches scaled to length 1, but samples unscaled; SIFT has its own length.
bool unit_norm_for(const PipelineOptions& settled, const ImageShape& shape) {
  const BasisMethod& method = basis_method(settled.method);
  if (!shape.is_sample() && descriptor_of(settled) == DescriptorKind::kSift) return false;
  if (method.joint) return settled.encoder.kind == EncoderKind::kKernel && !shape.is_sample();
  return shape.is_sample() ? method.sample_unit_norm.value_or(method.unit_norm) : method.unit_norm;
}

/// The initial atoms: for max-margin training, those that suit the code.
std::string_view init_for(const PipelineOptions& settled) {
  const BasisMethod& method = basis_method(settled.method);
  if (!method.joint) return method.init;
  if (settled.encoder.kind == EncoderKind::kKernel) return "random-patches";
  return settled.encoder.kind == EncoderKind::kTriangle ? "kmeans" : method.init;
}

/// A code has at most all atoms as neighbours, and an atom as many tangents as a patch has values.
void settle_local_code(const ImageShape& shape, PipelineOptions& settled) {
  EncoderChoice& encoder = settled.encoder;
  if (!is_local(*encoder.kind)) return;
  encoder.neighbours =
      std::min(encoder.neighbours.value_or(kNeighbours), *settled.basis.components);
  if (encoder.kind != EncoderKind::kTangents) return;
  const bool kernel_pca = settled.whitening.method == WhiteningMethod::kKernelPca;
  Index values = kernel_pca ? EncoderOptions::kMostTangents
                            : descriptors_to_learn_from(shape, settled)->dimensions();
  if (settled.whitening.components > 0) values = std::min(values, settled.whitening.components);
  encoder.tangents = std::min(encoder.tangents.value_or(kTangents), values);
}

/// The layers of a network, and the images per step.
void settle_network(const DataFacts& facts, PipelineOptions& settled) {
  if (!basis_method(settled.method).network) return;
  require(!facts.shape.is_sample(), "options",
          "{} learns from images, not from samples; use another method such as sparse-rbm",
          settled.method);
  BasisChoice& basis = settled.basis;
  basis.batch = basis.batch.value_or(batch_for(facts.size));
  basis.second_components = basis.second_components.value_or(2 * *basis.components);
  conv_layers_of(settled, facts.shape).front().validate();
  if (*basis.second_components == 0) return;
  const ImageShape map = conv_layers_of(settled, facts.shape).front().pooled();
  const Index side = std::min(map.height, map.width);
  require(side >= 2, "options",
          "the first layer's map of {} x {} blocks is too small for a second layer; use "
          "second-components 0, a smaller receptive-field or larger images",
          map.height, map.width);
  basis.second_field = basis.second_field.value_or(std::min(kSecondField, side / 2));
  conv_layers_of(settled, facts.shape).back().validate();
}

Index iterations_for(const BasisMethod& method, const ImageShape& shape) {
  if (method.iterations > 0) return method.iterations;
  return shape.is_sample() ? kSampleIterations : BasisOptions{}.iterations;
}

}  // namespace

double sparsity_of(const PipelineOptions& options) {
  return options.basis.sparsity.value_or(basis_method(options.method).sparsity);
}

namespace {

/// The method that makes features of images: of two layers the first.
const BasisMethod& feature_method(const PipelineOptions& options) {
  return basis_method(is_layered(options) ? *options.dictionary.features : options.method);
}

}  // namespace

DescriptorKind descriptor_of(const PipelineOptions& options) {
  if (options.descriptor.kind) return *options.descriptor.kind;
  return options.method == kAutoMethod ? DescriptorKind::kPixels
                                       : feature_method(options).descriptor;
}

Index stride_of(const PipelineOptions& options) {
  const bool sift = descriptor_of(options) == DescriptorKind::kSift;
  return options.descriptor.stride.value_or(sift ? kSiftStride : 1);
}

Index patches_of(const PipelineOptions& options) {
  return options.descriptor.patches.value_or(feature_method(options).patches);
}

PoolLevels pool_levels_of(const PipelineOptions& options) {
  if (options.pooling.levels) return *options.pooling.levels;
  return PoolLevels::from_text(feature_method(options).pool);
}

PoolFunction pool_function_of(const PipelineOptions& options) {
  if (options.pooling.function) return *options.pooling.function;
  return from_words<PoolFunction>(feature_method(options).pool_function, "pool-function");
}

FeatureScaling feature_scaling_of(const PipelineOptions& options) {
  if (options.classifier.scaling) return *options.classifier.scaling;
  return from_words<FeatureScaling>(feature_method(options).feature_scaling, "feature-scaling");
}

bool trains_on_mirrors(const PipelineOptions& options) {
  return options.classifier.flips.value_or(false);
}

WhiteningMethod whitening_of(const PipelineOptions& options, const ImageShape& shape) {
  if (options.whitening.method) return *options.whitening.method;
  const BasisMethod& method = basis_method(options.method);
  if (is_matlab_rica(options) && method.whitening != "kpca") return WhiteningMethod::kNone;
  // SIFT is normalised already; methods that separate sources need whitened input all the same.
  const bool sift = !shape.is_sample() && descriptor_of(options) == DescriptorKind::kSift;
  if (sift && method.purpose != Purpose::kSources) return WhiteningMethod::kNone;
  const bool own = shape.is_sample() && !method.sample_whitening.empty();
  return from_words<WhiteningMethod>(own ? method.sample_whitening : method.whitening, "whitening");
}

double default_whitening_epsilon(const PipelineOptions& options, const ImageShape& shape) {
  const WhiteningMethod whitening = whitening_of(options, shape);
  if (whitening == WhiteningMethod::kKernelPca) return kKernelPcaWhitening;
  if (basis_method(options.method).network) return kImageWhitening;
  if (!shape.is_sample()) return kPatchWhitening;
  if (whitening == WhiteningMethod::kStandardise) return kStandardising;
  return options.encoder.kind == EncoderKind::kLinear ? kExactWhitening : kSampleWhitening;
}

bool uses_kernel(const PipelineOptions& settled) {
  const BasisMethod& method = basis_method(settled.method);
  const bool learns_by_it = is_kernel_code(encoder_named(method.encoder)) &&
                            method.solvers != SolverChoice::kNone && !method.joint;
  return method.learn != nullptr && (learns_by_it || is_kernel_code(*settled.encoder.kind));
}

bool has_effect(const PipelineOptions& settled, std::string_view option) {
  const KernelKind kernel = settled.kernel.kind;
  const bool scaled = kernel == KernelKind::kInverseDistance ||
                      kernel == KernelKind::kInverseSquareDistance ||
                      kernel == KernelKind::kHistogramIntersection;
  if (option == "gamma") return uses_kernel(settled) && kernel == KernelKind::kGaussian;
  if (option == "degree") return uses_kernel(settled) && kernel == KernelKind::kPolynomial;
  if (option == "kernel-scale") return uses_kernel(settled) && scaled;
  if (option == "threshold") return settled.encoder.kind == EncoderKind::kSoftThreshold;
  if (option == "nonzeros")
    return is_omp(*settled.encoder.kind) || is_omp(encoder_named(method_encoder(settled)));
  if (option == "consistency" || option == "lc-version") return settled.method == "lc-ksvd";
  if (option == "neighbours") return is_local(*settled.encoder.kind);
  if (option == "tangents" || option == "tangent-scale")
    return settled.encoder.kind == EncoderKind::kTangents;
  if (option == "contrast-epsilon") return settled.descriptor.contrast == true;
  if (option == "whitening-epsilon") return settled.whitening.method != WhiteningMethod::kNone;
  if (option == "whitening-gamma") return settled.whitening.method == WhiteningMethod::kKernelPca;
  if (option == "discrimination-reading") return settled.basis.discrimination.weight > 0;
  return true;
}

namespace {

/// What a dictionary codes and the codes that it classifies are not standardised, which is a part
/// of other methods' classifier.
void settle_dictionary_scaling(PipelineOptions& settled) {
  Auto<FeatureScaling>& scaling = settled.classifier.scaling;
  require(scaling != FeatureScaling::kStandardise, "options",
          "{} classifies codes as they are: feature-scaling must be l2 or none, got 'standardise'; "
          "leave feature-scaling auto",
          settled.method);
  if (!scaling && feature_scaling_of(settled) == FeatureScaling::kStandardise)
    scaling = FeatureScaling::kNone;
}

/// Both layers of a dictionary on images.
PipelineOptions resolved_layers(PipelineOptions settled, const DataFacts& facts) {
  const BasisMethod& features = basis_method(*settled.dictionary.features);
  require(!features.joint && !features.classifies && !features.network, "options",
          "features must be a method that learns atoms, and no classifier of its own, got '{}'",
          features.name);
  settle_dictionary_scaling(settled);
  if (!settled.dictionary.words)
    settled.dictionary.words = std::clamp<Index>(patches_of(settled) / kPatchesPerWord, 1, kWords);
  const BasisMethod& method = basis_method(settled.method);
  if (!settled.encoder.nonzeros) settled.encoder.nonzeros = nonzeros_for(method, 0);
  if (!settled.basis.iterations) settled.basis.iterations = method.iterations;
  return with_layer(settled, resolved(layer_of(settled), facts));
}

/// A dictionary on samples codes them by itself.
void require_single_layer(const PipelineOptions& settled) {
  require(!settled.dictionary.features && !settled.dictionary.words, "options",
          "features and words are for images; {} codes samples themselves", settled.method);
  require(settled.encoder.kind.value_or(EncoderKind::kSignedOmp) == EncoderKind::kSignedOmp,
          "options", "{} classifies codes by signed-omp, got encoder '{}'; leave encoder auto",
          settled.method, name_of(*settled.encoder.kind));
}

/// Descriptors, pooling and scaling, as the method has them.
void settle_features(const DataFacts& facts, PipelineOptions& settled) {
  const bool sample = facts.shape.is_sample();
  settled.descriptor.kind = sample ? DescriptorKind::kPixels : descriptor_of(settled);
  settled.descriptor.stride = stride_of(settled);
  settled.descriptor.patches = patches_of(settled);
  settled.pooling.levels = pool_levels_of(settled);
  settled.pooling.function = pool_function_of(settled);
  // A sample has no pooled features, only a code, whose scale may mean something.
  settled.classifier.scaling =
      sample ? settled.classifier.scaling.value_or(FeatureScaling::kStandardise)
             : feature_scaling_of(settled);
  if (!sample) return;
  settled.descriptor.receptive_field = 1;
  settled.descriptor.stride = 1;
  settled.pooling.levels = PoolLevels{{{1, 1}}};
}

}  // namespace

PipelineOptions resolved(const PipelineOptions& options, const DataFacts& facts) {
  options.validate();
  require(!facts.shape.is_sample() || options.descriptor.kind != DescriptorKind::kSift, "options",
          "sift describes images, not samples; leave descriptor auto");
  require(!facts.shape.is_sample() || !options.classifier.flips.value_or(false), "options",
          "flips mirror images, and samples have no left and right; leave flips auto");
  PipelineOptions settled = recommended(options, facts).options;
  settled.validate();
  const ImageShape& shape = facts.shape;
  if (basis_method(settled.method).classifies) {
    if (!shape.is_sample()) return resolved_layers(std::move(settled), facts);
    require_single_layer(settled);
    settle_dictionary_scaling(settled);
  }
  const BasisMethod& method = basis_method(settled.method);
  if (!settled.encoder.kind) settled.encoder.kind = encoder_for(settled, facts);
  if (!settled.descriptor.unit_norm) settled.descriptor.unit_norm = unit_norm_for(settled, shape);
  if (!settled.basis.init) settled.basis.init = std::string(init_for(settled));
  if (is_matlab_rica(settled)) {
    settled.basis.rica.reconstruction_weight =
        settled.basis.rica.reconstruction_weight.value_or(1.0);
  } else {
    settled.basis.sparsity = settled.basis.sparsity.value_or(method.sparsity);
  }
  if (method.linear_codes) settled.kernel.kind = KernelKind::kLinear;
  settled.basis.sparsity_target = settled.basis.sparsity_target.value_or(method.sparsity_target);
  settled.whitening.method = whitening_of(settled, shape);
  if (!settled.whitening.epsilon)
    settled.whitening.epsilon = default_whitening_epsilon(settled, shape);
  if (!settled.descriptor.contrast_epsilon)
    settled.descriptor.contrast_epsilon = shape.is_sample() ? kSampleContrast : kPatchContrast;
  if (!settled.basis.iterations) settled.basis.iterations = iterations_for(method, shape);
  if (settled.whitening.components == 0 && method.whitening_share > 0) {
    const double share = method.whitening_share * static_cast<double>(*settled.basis.components);
    settled.whitening.components = std::max<Index>(1, static_cast<Index>(share));
  }
  if (!settled.descriptor.contrast) {
    settled.descriptor.contrast =
        !shape.is_sample() && descriptor_of(settled) == DescriptorKind::kPixels;
  }
  if (!settled.encoder.nonzeros) {
    settled.encoder.nonzeros =
        nonzeros_for(method, descriptors_to_learn_from(shape, settled)->dimensions());
  }
  settle_features(facts, settled);
  settle_local_code(shape, settled);
  settle_network(facts, settled);
  if (!settled.pooling.power) settled.pooling.power = method.joint ? kJointPower : 1.0;
  if (!settled.basis.rate)
    settled.basis.rate = method.joint ? JointOptions{}.rate : BasisOptions{}.rate;
  if (!settled.max_margin.learn_gamma)
    settled.max_margin.learn_gamma = method.joint && has_shapes(encoder_of(settled));
  return settled;
}

}  // namespace krica
