// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/options.hpp"

#include <algorithm>
#include <cmath>

#include "krica/bases/basis.hpp"
#include "models/method_defaults.hpp"
#include "models/option_list.hpp"
#include "models/parts.hpp"
#include "models/rica_checks.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"

namespace krica {
namespace {

constexpr NameTable<WhiteningMethod, 5> kWhitenings = {
    {{WhiteningMethod::kNone, "none"},
     {WhiteningMethod::kZca, "zca"},
     {WhiteningMethod::kPca, "pca"},
     {WhiteningMethod::kStandardise, "standardise"},
     {WhiteningMethod::kKernelPca, "kpca"}}};

constexpr NameTable<FeatureScaling, 3> kScalings = {{{FeatureScaling::kStandardise, "standardise"},
                                                     {FeatureScaling::kL2, "l2"},
                                                     {FeatureScaling::kNone, "none"}}};

/// The value of init if the initial atoms are passed with the job.
constexpr std::string_view kGivenAtoms = "given";
constexpr ImageShape kSomeImage{2, 2, 1};

void require_positive(std::string_view name, Index value) {
  require(value > 0, "options", "{} must be > 0, got {}", name, value);
}

/// Requires `value`, if given, to be finite and greater than 0 (or equal, if `zero`).
void require_above(std::string_view name, const Auto<double>& value, bool zero = false) {
  require(!value || (std::isfinite(*value) && (*value > 0 || (zero && *value == 0))), "options",
          "{} must be auto or {} 0, got {}", name, zero ? ">=" : ">", value.value_or(0));
}
void require_at_least(std::string_view name, const Auto<Index>& value, Index least) {
  require(!value || *value >= least, "options", "{} must be auto or >= {}, got {}", name, least,
          value.value_or(0));
}

/// Max-margin training can also start from a model file, and atoms may be passed with the job.
void require_known_init(const PipelineOptions& options) {
  const Auto<std::string>& init = options.basis.init;
  if (!init || basis_method(options.method).joint || *init == kGivenAtoms) return;
  const std::vector<std::string> known = choices_of("init");
  if (std::find(known.begin(), known.end(), *init) == known.end())
    unknown_word("init", *init, known);
}

/// Rejects options that the method would ignore: the model file would record a setting that had no
/// effect.
void require_used(const PipelineOptions& options) {
  const BasisMethod& method = basis_method(options.method);
  const BasisChoice& basis = options.basis;
  require(!method.own_start || !basis.init || *basis.init == method.init, "options",
          "{} chooses its own start and takes no init, got '{}'; leave init auto", method.name,
          basis.init.value_or(""));
  const bool used = !basis.solver || method.solvers == SolverChoice::kAll ||
                    (method.solvers == SolverChoice::kAdam && basis.solver == SolverKind::kAdam);
  require(used, "options", "{} {}, got solver '{}'; leave solver auto", method.name,
          method.solvers == SolverChoice::kAdam ? "always learns by Adam" : "takes no solver",
          basis.solver ? name_of(*basis.solver) : "");
  const Auto<WhiteningMethod>& whitening = options.whitening.method;
  require(method.whitening != "kpca" ||
              whitening.value_or(WhiteningMethod::kKernelPca) == WhiteningMethod::kKernelPca,
          "options",
          "{} works on kernel principal components; leave whitening auto instead of '{}'",
          method.name, whitening ? name_of(*whitening) : "");
  if (!method.network) return;
  const WhiteningMethod images = whitening.value_or(WhiteningMethod::kZca);
  require(images == WhiteningMethod::kZca || images == WhiteningMethod::kNone, "options",
          "{} whitens whole images: whitening must be zca or none, got '{}'", method.name,
          name_of(images));
  require(options.descriptor.stride.value_or(1) == 1, "options",
          "{} places its filters at every pixel: stride must be 1, got {}", method.name,
          options.descriptor.stride.value_or(1));
  require(options.descriptor.kind.value_or(DescriptorKind::kPixels) == DescriptorKind::kPixels,
          "options", "{} learns from pixels; leave descriptor auto", method.name);
}

void require_basis(const PipelineOptions& options) {
  const BasisChoice& basis = options.basis;
  if (basis.components) require_positive("components", *basis.components);
  require_at_least("epochs", basis.epochs, 0);
  require_at_least("second-components", basis.second_components, 0);
  require_at_least("second-field", basis.second_field, 1);
  require_at_least("iterations", basis.iterations, 0);
  require_at_least("batch", basis.batch, 1);
  require_above("rate", basis.rate);
  require_above("sparsity", basis.sparsity, true);
  const double target = basis.sparsity_target.value_or(BasisOptions{}.sparsity_target);
  require(target > 0 && target < 1, "options", "sparsity-target must lie between 0 and 1, got {}",
          target);
  require(std::isfinite(basis.weight_decay) && basis.weight_decay >= 0, "options",
          "weight-decay must be >= 0, got {}", basis.weight_decay);
  basis.discrimination.validate();
  if (basis_method(options.method).learn != nullptr && basis.components)
    basis.groups.validate(*basis.components);
  require_rica_options(options);
}

void require_dictionary(const PipelineOptions& options) {
  const DictionaryChoice& dictionary = options.dictionary;
  require_at_least("nonzeros", options.encoder.nonzeros, 1);
  require_at_least("words", dictionary.words, 1);
  require_positive("feature-components", dictionary.feature_components);
  dictionary.label_terms.validate();
  if (dictionary.features) static_cast<void>(basis_method(*dictionary.features));
  const BasisMethod& method = basis_method(options.method);
  require(method.classifies || !(dictionary.features || dictionary.words), "options",
          "features and words apply to d-ksvd and lc-ksvd, not to {}", method.name);
  const KernelKind kernel = options.kernel.kind;
  require(!method.linear_codes || kernel == KernelKind::kLinear || kernel == KernelChoice{}.kind,
          "options", "{} codes patches as sums of atoms and takes no kernel, got '{}'", method.name,
          name_of(kernel));
}

}  // namespace

std::string_view name_of(WhiteningMethod method) { return find_name(kWhitenings, method); }
std::string_view name_of(FeatureScaling scaling) { return find_name(kScalings, scaling); }

void PipelineOptions::validate() const {
  if (method == kAutoMethod) {
    // Checks that hold whatever method the data selects: krica is the method that accepts the most
    // options.
    PipelineOptions any = *this;
    any.method = "krica";
    return any.validate();
  }
  const BasisMethod& chosen = basis_method(method);
  require_known_init(*this);
  require_used(*this);
  if (descriptor.receptive_field) require_positive("receptive-field", *descriptor.receptive_field);
  require_at_least("patches", descriptor.patches, 1);
  require(images >= 0, "options", "images must be >= 0 (0 for all), got {}", images);
  require_above("svm-c", classifier.C);
  require_above("gamma", kernel.gamma);
  require_at_least("neighbours", encoder.neighbours, 1);
  require_at_least("tangents", encoder.tangents, 1);
  require_above("tangent-scale", encoder.tangent_scale);
  require(!trains_on_mirrors(*this) || !chosen.classifies, "options",
          "{} learns its classifier with its dictionary, without mirror images; leave flips auto",
          method);
  require(!chosen.classifies || !classifier.C, "options",
          "{} learns its classifier with its dictionary, without an SVM; leave svm-c auto and set "
          "label-weight instead",
          method);
  require(!chosen.classifies || !classifier.balanced, "options",
          "{} learns its classifier with its dictionary, where all samples count alike; leave out "
          "balanced",
          method);
  require_dictionary(*this);
  require_basis(*this);
  if (chosen.joint) joint_of(*this).validate();
  require(!chosen.joint || feature_scaling_of(*this) == FeatureScaling::kStandardise, "options",
          "{} learns its classifier on standardised features; leave feature-scaling auto", method);
  features_of(*this).validate();
  // A method's own choice of SIFT does not hold for samples, whose field is 1.
  if (descriptor.kind == DescriptorKind::kSift)
    make_descriptors(features_of(*this).descriptors, kSomeImage);
  preprocessing_of(*this, kSomeImage).validate();
}

}  // namespace krica
