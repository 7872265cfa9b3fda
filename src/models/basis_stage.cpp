// SPDX-License-Identifier: BSD-3-Clause
#include "models/basis_stage.hpp"

#include <algorithm>
#include <utility>

#include "bases/start.hpp"
#include "features/tangents.hpp"
#include "krica/bases/basis.hpp"
#include "models/dictionary_stage.hpp"
#include "models/method_defaults.hpp"
#include "models/model_parts.hpp"
#include "models/parts.hpp"
#include "models/resolved.hpp"
#include "patches/held_patches.hpp"
#include "patches/shared_sampling.hpp"
#include "runtime/check.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

const std::string kStage = "basis";

/// What auto_gamma() returns, times the median squared distance.
constexpr double kAutoGamma = 6;

/// Leaves the patches with their contrast normalised.
Preprocessing fit_preprocessing(const Context& context, LargeMatrix& patches,
                                const ImageShape& shape, PipelineOptions& options) {
  const auto contrast =
      Preprocessing::normalise_contrast(context, patches.view(), preprocessing_of(options, shape));
  const ConstMatrixView<float> normalised = std::as_const(patches).view();
  if (options.whitening.method == WhiteningMethod::kKernelPca && !options.whitening.gamma) {
    // From the input of the kernel PCA; 1/median is the usual width.
    options.whitening.gamma = auto_gamma<float>(context, normalised) / kAutoGamma;
  }
  return Preprocessing::fit_normalised(context, normalised, contrast,
                                       preprocessing_of(options, shape));
}

/// The preprocessing of the model learned so far, and its kernel widths; normalises the contrast of
/// the patches.
Preprocessing taken_from(const Context& context, const Model& model, LargeMatrix& patches,
                         PipelineOptions& options) {
  options.kernel.gamma = model.options().kernel.gamma;
  options.whitening.gamma = model.options().whitening.gamma;
  const Preprocessing& preprocessing = model.parts().extractor->preprocessing();
  preprocessing.apply_contrast(context, patches.view());
  return preprocessing;
}

/// Patches are many and their codes are pooled, which favours narrow kernels. Samples are few and
/// not pooled: 1 over the median squared distance (docs/python.md).
void settle_gamma(const Context& context, ConstMatrixView<float> patches, bool samples,
                  PipelineOptions& options) {
  if (options.kernel.gamma || !has_effect(options, "gamma")) {
    options.kernel.gamma = options.kernel.gamma.value_or(1.0);
    return;
  }
  const double gamma = auto_gamma<float>(context, patches);
  const double of_patches = basis_method(options.method).patch_gamma;
  options.kernel.gamma = samples ? gamma / kAutoGamma : gamma * (of_patches / kAutoGamma);
}

/// The context to prepare patches in. What reads patches here and there needs all of them.
Context preparing(const TrainingRun& run) {
  const bool all = run.job.start != nullptr || run.job.stream != nullptr ||
                   run.job.options.whitening.method == WhiteningMethod::kKernelPca;
  return all ? run.context : sharing(run.context);
}

/// The context to learn the atoms in.
Context learning(const TrainingRun& run, Index patches) {
  const PipelineOptions& options = run.job.options;
  const Index K = options.basis.components.value_or(1);
  const bool divides = basis_method(options.method).shares_rows &&
                       !starts_by_class(options.basis.init.value_or("")) &&
                       options.encoder.kind != EncoderKind::kTangents && lloyd::divides(patches, K);
  return divides ? preparing(run) : run.context;
}

/// Into the rows that this rank holds.
std::vector<int> sample_into(const Context& context, const ImageSet& input,
                             const LocalDescriptors& descriptors, MatrixView<float> patches) {
  if (!context.shares_rows()) return sample_patches_into(context, input, descriptors, patches);
  return sample_held_patches(context, input, descriptors, held_patches(patches.rows()), patches);
}

PreparedPatches prepare_patches(TrainingRun& run, const ImageSet& input) {
  const Context context = preparing(run);
  PipelineOptions options = run.job.options;
  const LocalDescriptorsPtr descriptors = descriptors_to_learn_from(input.shape(), options);
  LargeMatrix patches(context, sampled_count(input, *descriptors, patches_of(options)),
                      descriptors->dimensions());
  std::vector<int> labels = timed(run.report, "patches", [&] {
    return sample_into(context, input, *descriptors, patches.view());
  });
  return timed(run.report, "whitening", [&] {
    Preprocessing preprocessing = run.job.start != nullptr
                                      ? taken_from(context, *run.job.start, patches, options)
                                      : fit_preprocessing(context, patches, input.shape(), options);
    LargeMatrix prepared = preprocessing.apply_normalised(context, std::move(patches));
    settle_gamma(context, std::as_const(prepared).view(), input.shape().is_sample(), options);
    if (!learning(run, prepared.rows()).shares_rows())
      gather_all_rows<float>(context, prepared.view());
    return PreparedPatches{std::move(options), std::move(preprocessing), std::move(prepared),
                           std::move(labels)};
  });
}

/// The tangents of the atoms, if the encoder has any; determines their scale if it is open.
Matrix<float> tangents_of(TrainingRun& run, const Basis& basis, PreparedPatches& prepared) {
  EncoderChoice& encoder = prepared.options.encoder;
  if (encoder.kind != EncoderKind::kTangents) return {};
  // Whitening may have dropped directions without variance.
  encoder.tangents = std::min(*encoder.tangents, prepared.patches.cols());
  return timed(run.report, "tangents", [&] {
    LocalTangents tangents = learn_tangents(run.context, std::as_const(prepared.patches).view(),
                                            basis.atoms, *encoder.neighbours, *encoder.tangents);
    if (!encoder.tangent_scale) encoder.tangent_scale = tangents.scale;
    return std::move(tangents.directions);
  });
}

LearnedBasis with_atoms(TrainingRun& run, PreparedPatches prepared, const Basis& basis) {
  const Matrix<float> tangents = tangents_of(run, basis, prepared);
  return {prepared.options,
          std::move(prepared.preprocessing),
          Encoder(encoder_of(prepared.options), basis.atoms, basis.bias, tangents),
          std::string(name_of(basis.status)),
          basis.history,
          {basis.atom_class.begin(), basis.atom_class.end()}};
}

LearnedBasis learn_atoms(TrainingRun& run, PreparedPatches prepared) {
  const TrainingJob& job = run.job;
  const BasisMethod& method = basis_method(job.options.method);
  if (job.stream != nullptr && !job.stream->begun() && job.start != nullptr)
    job.stream->begin(job.start->parts().extractor->encoder().atoms());
  const auto state = run.checkpoint.state(kStage);
  const BasisRequest request{std::as_const(prepared.patches).view(),
                             prepared.labels,
                             basis_of(prepared.options),
                             run.checkpoint.solver_hooks(kStage),
                             state ? &*state : nullptr,
                             job.best_when_cancelled,
                             job.stream,
                             job.initial_atoms};
  const Basis basis = timed(run.report, "basis", [&] {
    return method.learn(learning(run, prepared.patches.rows()), request);
  });
  require(job.stream == nullptr || job.stream->begun(), "train",
          "{} has no solver that learns from one part of the data after another", method.name);
  std::optional<double> temperature;
  if (job.classifier && basis.class_map.size() > 0 && basis.status != Status::kCancelled) {
    temperature = timed(run.report, "calibration", [&] {
      return calibrate_dictionary(run, std::as_const(prepared.patches).view(), prepared.labels,
                                  prepared.options);
    });
  }
  LearnedBasis learned = with_atoms(run, std::move(prepared), basis);
  learned.class_map = basis.class_map;
  learned.temperature = temperature;
  return learned;
}

LearnedBasis basis_of_start(const TrainingJob& job) {
  const FeatureExtractor& from = *job.start->parts().extractor;
  return {job.options, from.preprocessing(),
          Encoder(encoder_of(job.options), from.encoder().atoms(), from.encoder().shapes()),
          std::string(name_of(Status::kConverged))};
}

}  // namespace

LearnedBasis learn_basis(TrainingRun& run, const ImageSet& input) {
  if (auto done = run.checkpoint.restored<LearnedBasis>(kStage)) return *std::move(done);
  const bool takes_start = run.job.start != nullptr && run.job.stream == nullptr;
  LearnedBasis basis =
      takes_start ? basis_of_start(run.job) : learn_atoms(run, prepare_patches(run, input));
  // If cancelled, the file keeps the solver's state, so that the job can be resumed.
  if (!basis.cancelled()) run.checkpoint.store(kStage, basis);
  return basis;
}

}  // namespace krica
