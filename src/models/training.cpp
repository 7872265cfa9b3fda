// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/mirrored.hpp"
#include "device/use_device.hpp"
#include "models/basis_stage.hpp"
#include "models/classifier_stage.hpp"
#include "models/dictionary_stage.hpp"
#include "models/joint_stage.hpp"
#include "models/layers.hpp"
#include "models/memory_plan.hpp"
#include "models/method_defaults.hpp"
#include "models/model_limits.hpp"
#include "models/model_parts.hpp"
#include "models/network_stage.hpp"
#include "models/parts.hpp"
#include "models/trouble.hpp"
#include "runtime/check.hpp"
#include "runtime/ranks.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

/// The model's metadata about its training images.
Model::Parts described(const Context& context, const ImageSet& images, const TrainingJob& job) {
  Model::Parts parts;
  parts.options = job.options;
  parts.shape = images.shape();
  parts.fingerprint = agreed_fingerprint(context, images);
  parts.preparation = images.info().preparation;
  parts.signal_channels = images.info().signal_channels;
  parts.seen = SeenImages::of(sharing(context), images);
  if (context.cuda_device()) parts.precision = name_of(context.precision());
  if (!images.shape().is_sample()) parts.value_range = value_range_of(sharing(context), images);
  return parts;
}

SampleUnits learn_units(TrainingRun& run, const ImageSet& images) {
  const bool learns = basis_method(run.job.options.method).learn != nullptr;
  if (!learns || !images.shape().is_sample()) return {};
  if (run.job.start != nullptr) return run.job.start->parts().units;
  return timed(run.report, "patches", [&] {
    return SampleUnits::of(sharing(run.context), images, units_of(run.job.options));
  });
}

/// Learns the atoms and, for joint methods, the classifier with them.
JointOutcome learn_all_atoms(TrainingRun& run, const ImageSet& input) {
  LearnedBasis basis = learn_basis(run, input);
  const bool joint = basis_method(run.job.options.method).joint;
  if (joint && !basis.cancelled()) {  // joint learning needs finished atoms
    return timed(run.report, "max-margin",
                 [&] { return learn_jointly(run, input, std::move(basis)); });
  }
  JointOutcome outcome{std::move(basis)};
  if (outcome.basis.class_map.size() > 0)
    outcome.classifier = classifier_from(outcome.basis.class_map, outcome.basis.temperature);
  const bool limited = outcome.basis.status == name_of(Status::kIterationLimit);
  if (!joint && !(limited && run.job.stream != nullptr)) {  // a stream has no last part
    outcome.warning =
        trouble_with(outcome.basis.options, outcome.basis.status, outcome.basis.history);
  }
  return outcome;
}

/// The same, of the features of a dictionary: an error that speaks of components means their words.
JointOutcome learn_words(TrainingRun& run, const ImageSet& input) {
  try {
    return learn_all_atoms(run, input);
  } catch (const InvalidArgument& error) {
    const std::string what = error.what();
    if (what.find("components") == std::string::npos) throw;
    throw InvalidArgument(fmt::format(
        "{} (this is about the features of {}, whose components are set by --words (words))", what,
        run.job.options.method));
  }
}

void take_basis(LearnedBasis basis, Model::Parts& parts) {
  parts.extractor.emplace(basis.extractor(parts.shape));
  parts.options = std::move(basis.options);
  parts.basis_status = std::move(basis.status);
  parts.history = std::move(basis.history);
  parts.atom_class = std::move(basis.atom_class);
}

/// The classifier learned with the atoms, or an SVM on their features. None if the job was
/// cancelled and wants what there is.
std::optional<ClassifierParts> learn_classifier(TrainingRun& run, const ImageSet& images,
                                                const ImageSet& input, JointOutcome* outcome,
                                                Model::Parts& parts) {
  if (outcome != nullptr && outcome->classifier) return std::move(outcome->classifier);
  const ImageFeatures* features = parts.features();
  std::optional<WithMirrors> doubled;
  if (trains_on_mirrors(run.job.options)) doubled.emplace(input);
  try {
    FeatureMatrix extracted = extract_features(run, features, doubled ? *doubled : input);
    if (is_layered(run.job.options))
      return fit_dictionary(run, images, std::move(extracted), parts);
    return fit_classifier(run, doubled ? *doubled : images, std::move(extracted),
                          outcome != nullptr ? outcome->temperature : std::nullopt, parts.options);
  } catch (const Cancelled&) {
    if (!run.job.best_when_cancelled || features == nullptr) throw;
    return std::nullopt;
  }
}

Model learn(TrainingRun& run, const ImageSet& images, Model::Parts parts) {
  parts.units = learn_units(run, images);
  const SamplesInUnits input(images, parts.units);
  std::optional<JointOutcome> outcome;
  TrainingJob layer = run.job;
  layer.options = layer_of(run.job.options);
  TrainingRun layer_run{run.context, layer, run.checkpoint, run.report};
  if (basis_method(layer.options.method).learn != nullptr) {
    outcome = is_layered(run.job.options) ? learn_words(layer_run, input)
                                          : learn_all_atoms(layer_run, input);
    run.report.warning = outcome->warning;
    run.report.comparison = outcome->comparison;
    run.report.held_out_accuracy = outcome->held_out_accuracy;
    take_basis(std::move(outcome->basis), parts);
    parts.options = with_layer(run.job.options, parts.options);
  }
  if (basis_method(run.job.options.method).network) {
    learn_network(run, input, parts);
    run.report.warning = trouble_with(parts.options, parts.basis_status, parts.history);
  }
  if (run.job.classifier) {
    parts.classifier = learn_classifier(run, images, input, outcome ? &*outcome : nullptr, parts);
    if (parts.classifier) parts.class_names = images.class_names();
    parts.label_type = images.info().label_type;
    if (run.report.warning.empty()) run.report.warning = ignored_options(run.job.options);
  }
  return Model(std::move(parts));
}

/// The job with everything set that its options leave to the data.
TrainingJob settled_job(const TrainingJob& job, const ImageSet& images) {
  TrainingJob settled = job;
  settled.options = resolved(job.options, facts_of(images, job.classifier));
  if (basis_method(settled.options.method).joint) {
    require(job.classifier, "train", "{} learns from labels; use train", settled.options.method);
    settled.start = starting_model(settled.options);
  }
  require(job.classifier || !is_layered(settled.options), "train",
          "{} learns from the labels of images; use train", settled.options.method);
  return settled;
}

void check_images(const ImageSet& images, bool classifier) {
  require(images.size() >= 2, "train", "at least 2 images or samples are needed, got {}",
          images.size());
  if (!classifier) return;
  require(!images.labels().empty(), "train",
          "the data has no labels; use fit to learn a basis without them");
  require(images.classes() >= 2, "train", "at least 2 classes are needed, got {}",
          images.classes());
}

/// Images of different sizes need descriptors that allow it, and every image room for one.
void check_sizes(const ImageSet& images, const PipelineOptions& settled) {
  const BasisMethod& method = basis_method(settled.method);
  if (method.learn == nullptr || images.shape().is_sample() ||
      descriptor_of(settled) != DescriptorKind::kSift) {
    return require(!images.varied(), "train",
                   "the images differ in size, but {} needs one size; --image-size-rule square, "
                   "shorter or longer (image_size_rule) makes them one, or --descriptor sift takes "
                   "them as they are",
                   method.learn == nullptr ? settled.method : "a patch of pixels");
  }
  require(!images.varied() || !method.joint, "train",
          "the images differ in size, but {} needs one size; --image-size-rule square, shorter or "
          "longer (image_size_rule) makes them one",
          settled.method);
  check_room(images, *descriptors_to_learn_from(images.shape(), settled));
}

}  // namespace

std::vector<StageTime> summed(const std::vector<StageTime>& stages) {
  std::vector<StageTime> sums;
  for (const StageTime& stage : stages) {
    auto same = std::find_if(sums.begin(), sums.end(),
                             [&](const StageTime& s) { return s.stage == stage.stage; });
    if (same == sums.end()) {
      sums.push_back(stage);
    } else {
      same->seconds += stage.seconds;
      same->peak_bytes = std::max(same->peak_bytes, stage.peak_bytes);
    }
  }
  return sums;
}

Model train(const Context& caller, const ImageSet& images, const TrainingJob& job,
            TrainingReport* wanted_report) {
  TrainingReport unused;
  TrainingReport& report = wanted_report != nullptr ? *wanted_report : unused;
  device::prepare_to_train(caller);
  const TrainingJob settled = settled_job(job, images);
  check_images(images, job.classifier);
  if (is_layered(settled.options)) check_dictionary(images, settled.options);
  const PipelineOptions layer = layer_of(settled.options);
  check_sizes(images, layer);
  const BasisMethod& method = basis_method(layer.method);
  if (method.network) {
    check_network_size(images.shape(), layer);
  } else {
    check_model_size(images.shape(), layer,
                     method.learn != nullptr ? layer.basis.components.value_or(1) : 0);
  }
  const Context context = planned(caller, facts_of(images, job.classifier), settled.options);
  Model::Parts parts = timed(report, "read", [&] { return described(context, images, settled); });
  Checkpoint checkpoint(context, settled.checkpoint, settled.options, parts.fingerprint);
  report.resumed = checkpoint.resumed();
  TrainingRun run{context, settled, checkpoint, report};
  try {
    return learn(run, images, std::move(parts));
  } catch (const Cancelled&) {
    checkpoint.write_progress();
    throw;
  }
}

}  // namespace krica
