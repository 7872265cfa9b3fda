// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "krica/bases/basis.hpp"
#include "krica/models/recommendation.hpp"
#include "krica/objectives/discrimination.hpp"
#include "models/parts.hpp"
#include "models/rica_checks.hpp"
#include "models/rules.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

using nlohmann::json;

template <class Value>
void write(json& entry, const Value& value) {
  entry = value;
}
template <class Value>
void write(json& entry, const Auto<Value>& value) {
  if (value) {
    entry = *value;
  } else {
    entry = "auto";
  }
}

template <class Value>
void read(const json& entry, Value& value) {
  value = entry.get<Value>();
}
template <class Value>
void read(const json& entry, Auto<Value>& value) {
  if (entry.is_string() && entry.get<std::string>() == "auto") {
    value.reset();
  } else {
    value = entry.get<Value>();
  }
}

// Defaults that depend on the method.
constexpr double kPatchWhitening = 0.1;
constexpr double kSampleWhitening = 0.1;  // of the mean variance
constexpr double kExactWhitening = 1e-6;  // for linear codes: more would blur separated sources
constexpr double kStandardising = 0.1;    // of the median variance: tames nearly constant features
constexpr double kPatchContrast = 10;
constexpr double kSampleContrast = 0.01;  // of the mean variance of a row
constexpr Index kPatchIterations = 100;
constexpr Index kSampleIterations = 1000;
constexpr ImageShape kSomeImage{2, 2, 1};
constexpr double kPatchRate = 0.01;
constexpr double kJointRate = 0.003;
constexpr double kJointPower = 0.5;
/// init where the first atoms come with the job.
constexpr std::string_view kGivenAtoms = "given";
/// The classifier learns more slowly than the basis.
constexpr double kClassifierRate = 1.0 / 3;

void require_positive(std::string_view name, Index value) {
  require(value > 0, "options", "{} must be > 0, got {}", name, value);
}

double sparsity_of(const PipelineOptions& options) {
  return options.sparsity.value_or(basis_method(options.method).sparsity);
}

std::string whitening_of(const PipelineOptions& options, const ImageShape& shape) {
  if (options.whitening) return *options.whitening;
  const BasisMethod& method = basis_method(options.method);
  if (is_matlab_rica(options) && method.whitening != "kpca") return "none";
  const bool own = shape.is_sample() && !method.sample_whitening.empty();
  return std::string(own ? method.sample_whitening : method.whitening);
}

/// Kernel principal components have small variances: they are parts of κ(x, x), about 1.
double default_whitening_epsilon(const PipelineOptions& options, const ImageShape& shape) {
  const std::string whitening = whitening_of(options, shape);
  if (whitening == "kpca") return 1e-4;
  if (!shape.is_sample()) return kPatchWhitening;
  if (whitening == "standardise") return kStandardising;
  return options.encoder == "linear" ? kExactWhitening : kSampleWhitening;
}

}  // namespace

std::pair<Index, Index> parse_grid(const std::string& grid) {
  Index rows = 0;
  Index cols = 0;
  const std::size_t cross = grid.find('x');
  if (cross != std::string::npos) {
    std::from_chars(grid.data(), grid.data() + cross, rows);
    std::from_chars(grid.data() + cross + 1, grid.data() + grid.size(), cols);
  }
  require(rows >= 1 && cols >= 1 && grid == fmt::format("{}x{}", rows, cols), "options",
          "pool must be ROWSxCOLUMNS such as 2x2, got '{}'", grid);
  return {rows, cols};
}

Pooling pooling_of(const PipelineOptions& options) {
  if (options.pooling_groups == "none") return Pooling::none();
  if (options.pooling_groups == "topographic") return Pooling::topographic();
  Index size = 0;
  const std::string& text = options.pooling_groups;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  require(error == std::errc() && end == text.data() + text.size() && size > 0, "options",
          "pooling-groups must be none, topographic or a group size, got '{}'", text);
  return Pooling::groups(size);
}

namespace {

/// A word that the option does not know. Two options know more than words: groups have sizes, and
/// joint training starts from model files.
void require_known(const PipelineOptions& options, std::string_view name, const std::string& word) {
  const std::vector<std::string> known = choices_of(name);
  if (known.empty() || name == "pooling-groups") return;
  if (name == "init" && (basis_method(options.method).joint || word == kGivenAtoms)) return;
  require(std::find(known.begin(), known.end(), word) != known.end(), "options",
          "unknown {} '{}'; known: {}", name, word, fmt::join(known, ", "));
}

/// A word that the method would not heed is refused: the model's file would tell of what never was.
void require_heeded(const PipelineOptions& options) {
  const BasisMethod& method = basis_method(options.method);
  require(!method.own_start || !options.init || *options.init == method.init, "options",
          "{} has a start of its own and takes no init, got '{}'; leave init auto", method.name,
          options.init.value_or(""));
  const bool heeded = options.solver == "auto" || method.solvers == SolverChoice::kAny ||
                      (method.solvers == SolverChoice::kAdam && options.solver == "adam");
  require(heeded, "options", "{} {}, got solver '{}'; leave solver auto", method.name,
          method.solvers == SolverChoice::kAdam ? "always learns by Adam" : "takes no solver",
          options.solver);
}

bool is_kernel_code(std::string_view encoder) { return encoder == "kernel" || encoder == "lasso"; }

/// Whether options ask for kernel codes in joint training without naming them.
bool asks_for_kernel(const PipelineOptions& options) {
  return options.gamma || options.reconstruction > 0 || options.kernel != PipelineOptions().kernel;
}

std::string_view encoder_for(const PipelineOptions& options, const DataFacts& facts) {
  const BasisMethod& method = basis_method(options.method);
  const bool sample = facts.shape.is_sample();
  if (method.joint) return sample || asks_for_kernel(options) ? "kernel" : method.encoder;
  const bool signed_codes = sample && facts.classes == 0 && !method.sample_encoder.empty();
  return signed_codes ? method.sample_encoder : method.encoder;
}

/// The kernel's codes of images are of patches of length 1; of samples as they are.
bool unit_norm_for(const PipelineOptions& settled, const ImageShape& shape) {
  const BasisMethod& method = basis_method(settled.method);
  if (method.joint) return settled.encoder == "kernel" && !shape.is_sample();
  return shape.is_sample() ? method.sample_unit_norm.value_or(method.unit_norm) : method.unit_norm;
}

/// The atoms that learning begins with: for joint training, those that suit the code.
std::string_view init_for(const PipelineOptions& settled) {
  const BasisMethod& method = basis_method(settled.method);
  if (!method.joint) return method.init;
  if (settled.encoder == "kernel") return "random-patches";
  return settled.encoder == "triangle" ? "kmeans" : method.init;
}

}  // namespace

bool uses_kernel(const PipelineOptions& settled) {
  const BasisMethod& method = basis_method(settled.method);
  const bool learns_by_it =
      is_kernel_code(method.encoder) && method.solvers != SolverChoice::kNone && !method.joint;
  return method.learn != nullptr && (learns_by_it || is_kernel_code(*settled.encoder));
}

bool has_effect(const PipelineOptions& settled, std::string_view option) {
  const KernelKind kernel = kernel_kind(settled.kernel);
  const bool scaled = kernel == KernelKind::kInverseDistance ||
                      kernel == KernelKind::kInverseSquareDistance ||
                      kernel == KernelKind::kHistogramIntersection;
  if (option == "gamma") return uses_kernel(settled) && kernel == KernelKind::kGaussian;
  if (option == "degree") return uses_kernel(settled) && kernel == KernelKind::kPolynomial;
  if (option == "kernel-scale") return uses_kernel(settled) && scaled;
  if (option == "threshold") return settled.encoder == "soft-threshold";
  if (option == "contrast-epsilon") return settled.contrast == true;
  if (option == "whitening-epsilon") return settled.whitening != "none";
  if (option == "whitening-gamma") return settled.whitening == "kpca";
  if (option == "discrimination-reading") return settled.discrimination > 0;
  return true;
}

void PipelineOptions::validate() const {
  if (method == kAutoMethod) {
    // What holds whatever the data will choose: krica is the method that accepts most.
    PipelineOptions any = *this;
    any.method = "krica";
    return any.validate();
  }
  const BasisMethod& chosen = basis_method(method);
  for_each_option(*this, [this](std::string_view name, const auto& value, std::string_view) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) require_known(*this, name, value);
    if constexpr (std::is_same_v<Value, Auto<std::string>>) {
      if (value) require_known(*this, name, *value);
    }
  });
  require_heeded(*this);
  if (components) require_positive("components", *components);
  if (receptive_field) require_positive("receptive-field", *receptive_field);
  require(!epochs || *epochs >= 0, "options", "epochs must be auto or >= 0, got {}",
          epochs.value_or(0));
  require_positive("patches", patches);
  require(images >= 0, "options", "images must be >= 0 (0 for all), got {}", images);
  require(!svm_c || (std::isfinite(*svm_c) && *svm_c > 0), "options",
          "svm-c must be auto or > 0, got {}", svm_c.value_or(0));
  require(!gamma || (std::isfinite(*gamma) && *gamma > 0), "options",
          "gamma must be auto or > 0, got {}", gamma.value_or(0));
  require(!batch || *batch >= 1, "options", "batch must be auto or >= 1, got {}",
          batch.value_or(0));
  require(!rate || (std::isfinite(*rate) && *rate > 0), "options",
          "rate must be auto or > 0, got {}", rate.value_or(0));
  if (chosen.joint) {
    joint_of(*this).validate();
  }
  features_of(*this).validate();
  preprocessing_of(*this, kSomeImage).validate();
  require(!iterations || *iterations >= 0, "options", "iterations must be auto or >= 0, got {}",
          iterations.value_or(0));
  const Pooling groups = pooling_of(*this);
  if (chosen.learn != nullptr && components) groups.validate(*components);
  require(!sparsity || (std::isfinite(*sparsity) && *sparsity >= 0), "options",
          "sparsity must be auto or >= 0, got {}", sparsity.value_or(0));
  require(sparsity_target > 0 && sparsity_target < 1, "options",
          "sparsity-target must lie between 0 and 1, got {}", sparsity_target);
  require(std::isfinite(weight_decay) && weight_decay >= 0, "options",
          "weight-decay must be >= 0, got {}", weight_decay);
  require(chosen.whitening != "kpca" || !whitening || *whitening == "kpca", "options",
          "{} works on kernel principal components; leave whitening auto instead of '{}'", method,
          whitening.value_or(""));
  Discrimination{.weight = discrimination,
                 .reading = krica::discrimination_reading(discrimination_reading),
                 .elastic = elastic}
      .validate();
  require_rica_options(*this);
}

PipelineOptions resolved(const PipelineOptions& options, const DataFacts& facts) {
  options.validate();
  PipelineOptions settled = recommended(options, facts).options;
  settled.validate();
  const ImageShape& shape = facts.shape;
  const BasisMethod& method = basis_method(settled.method);
  if (!settled.encoder) settled.encoder = std::string(encoder_for(settled, facts));
  if (!settled.unit_norm) settled.unit_norm = unit_norm_for(settled, shape);
  if (!settled.init) settled.init = std::string(init_for(settled));
  if (is_matlab_rica(settled)) {
    settled.reconstruction_weight = settled.reconstruction_weight.value_or(1.0);
  } else {
    settled.sparsity = settled.sparsity.value_or(method.sparsity);
  }
  settled.whitening = whitening_of(settled, shape);
  if (!settled.whitening_epsilon)
    settled.whitening_epsilon = default_whitening_epsilon(settled, shape);
  if (!settled.contrast_epsilon)
    settled.contrast_epsilon = shape.is_sample() ? kSampleContrast : kPatchContrast;
  if (!settled.iterations)
    settled.iterations = shape.is_sample() ? kSampleIterations : kPatchIterations;
  if (settled.whitening_components == 0 && method.whitening_share > 0) {
    const double share = method.whitening_share * static_cast<double>(*settled.components);
    settled.whitening_components = std::max<Index>(1, static_cast<Index>(share));
  }
  if (!settled.contrast) settled.contrast = !shape.is_sample();
  if (shape.is_sample()) {
    settled.receptive_field = 1;
    settled.stride = 1;
    settled.pool = "1x1";
  }
  if (!settled.pool_power) settled.pool_power = method.joint ? kJointPower : 1.0;
  if (!settled.rate) settled.rate = method.joint ? kJointRate : kPatchRate;
  if (!settled.learn_gamma) settled.learn_gamma = method.joint && has_shapes(encoder_of(settled));
  return settled;
}

std::string to_json(const PipelineOptions& options) {
  json object = json::object();
  for_each_option(options, [&](const char* name, const auto& value, const char*) {
    write(object[name], value);
  });
  return object.dump();
}

PipelineOptions options_from_json(const std::string& text) {
  PipelineOptions options;
  try {
    json object = json::parse(text);
    for_each_option(options, [&](const char* name, auto& value, const char*) {
      if (!object.contains(name)) return;
      try {
        read(object[name], value);
      } catch (const json::exception&) {
        throw DataError(fmt::format("[options] {} cannot be {}", name, object[name].dump()));
      }
      object.erase(name);
    });
    if (!object.empty()) {
      throw DataError(fmt::format("[options] unknown option '{}'", object.begin().key()));
    }
  } catch (const json::exception& error) {
    throw DataError(fmt::format("[options] {}", error.what()));
  }
  return options;
}

Kernel kernel_of(const PipelineOptions& options) {
  return {.kind = kernel_kind(options.kernel),
          .gamma = options.gamma.value_or(1.0),
          .degree = options.degree,
          .scale = options.kernel_scale};
}

EncoderOptions encoder_of(const PipelineOptions& options) {
  return {.kind = encoder_kind(options.encoder.value_or("kernel")),
          .kernel = kernel_of(options),
          .threshold = options.threshold,
          .sparsity = sparsity_of(options)};
}

FeatureOptions features_of(const PipelineOptions& options) {
  const auto [rows, cols] = parse_grid(options.pool);
  return {.receptive_field = options.receptive_field.value_or(kField),
          .stride = options.stride,
          .pool_rows = rows,
          .pool_cols = cols,
          .pool_overlap = options.pool_overlap,
          .pool_power = options.pool_power.value_or(1.0)};
}

SampleUnits::Options units_of(const PipelineOptions& settled) {
  // MATLAB's objective depends on the unit of the samples, so in its convention they keep it.
  return {.rescaled = !is_matlab_rica(settled),
          .centred = settled.whitening != "none",
          .by_rows = settled.contrast == true};
}

PreprocessingOptions preprocessing_of(const PipelineOptions& options, const ImageShape& shape) {
  const double epsilon =
      options.whitening_epsilon.value_or(default_whitening_epsilon(options, shape));
  PreprocessingOptions result{
      .contrast = options.contrast.value_or(true),
      .contrast_epsilon = options.contrast_epsilon.value_or(kPatchContrast),
      .relative = shape.is_sample(),
      .whitening = {.epsilon = epsilon, .components = options.whitening_components},
      .unit_norm = options.unit_norm.value_or(false)};
  const std::string whitening = whitening_of(options, shape);
  if (whitening != "kpca") {
    result.whitening.kind = whitening_kind(whitening);
    return result;
  }
  const bool random = options.landmark_choice == "random";
  result.kernel_pca = {.kernel = {.gamma = options.whitening_gamma.value_or(1.0)},
                       .landmarks = options.landmarks,
                       .choice = random ? LandmarkChoice::kRandom : LandmarkChoice::kKmeans,
                       .components = options.whitening_components,
                       .epsilon = epsilon};
  return result;
}

BasisOptions basis_of(const PipelineOptions& options) {
  return {.components = options.components.value_or(0),
          .kernel = kernel_of(options),
          .sparsity = sparsity_of(options),
          .epsilon = options.epsilon,
          .init = options.init.value_or("kmeans"),
          .convention = options.convention,
          .rica_contrast = options.rica_contrast.value_or("auto"),
          .reconstruction_weight = options.reconstruction_weight.value_or(1.0),
          .non_gaussianity =
              parse_non_gaussianity(options.non_gaussianity, options.components.value_or(0)),
          .pooling = pooling_of(options),
          .solver = options.solver,
          .iterations = options.iterations.value_or(kPatchIterations),
          .epochs = options.epochs.value_or(kEpochs),
          .batch = options.batch,
          .rate = options.rate.value_or(kPatchRate),
          .discrimination = options.discrimination,
          .discrimination_reading = options.discrimination_reading,
          .elastic = options.elastic,
          .sparsity_target = options.sparsity_target,
          .weight_decay = options.weight_decay,
          .untied = options.untied};
}

JointOptions joint_of(const PipelineOptions& options) {
  const double rate = options.rate.value_or(kJointRate);
  JointOptions joint;
  joint.objective = {.encoder = encoder_of(options),
                     .features = features_of(options),
                     .loss = margin_loss(options.loss),
                     .reconstruction = options.reconstruction,
                     .sparsity = sparsity_of(options),
                     .epsilon = options.epsilon};
  joint.learn_shapes = options.learn_gamma.value_or(true);
  joint.augmentation = {.flips = options.flips.value_or(false), .crops = options.crops};
  joint.epochs = options.epochs.value_or(kEpochs);
  joint.batch = options.batch.value_or(joint.batch);
  joint.rate = rate;
  joint.classifier_rate = rate * kClassifierRate;
  joint.decay = options.decay;
  joint.held_out = options.held_out.value_or(kHeldOut);
  joint.patience = options.patience.value_or(kPatience);
  return joint;
}

}  // namespace krica
