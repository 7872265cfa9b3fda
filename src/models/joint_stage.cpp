// SPDX-License-Identifier: BSD-3-Clause
#include "models/joint_stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "classify/calibration.hpp"
#include "classify/sample_span.hpp"
#include "classify/splits.hpp"
#include "data/mirrored.hpp"
#include "joint/trainer.hpp"
#include "models/joint_choice.hpp"
#include "models/method_defaults.hpp"
#include "models/model_parts.hpp"
#include "models/parts.hpp"
#include "models/rules.hpp"
#include "objectives/basis_condition.hpp"
#include "runtime/check.hpp"
#include "runtime/digest.hpp"
#include "runtime/ranks.hpp"
#include "runtime/sharing.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";
const std::string kStage = "joint";
const std::string kTraining = "joint_training";
const std::string kEvidence = "joint_evidence";
constexpr std::array<std::string_view, 4> kInits = {"kmeans", "omp-1", "random-patches", "random"};
constexpr Index kReconstructionPatches = 20000;
constexpr Index kConditionPatches = 2000;
constexpr Index kFewestJudged = 6;  // images: two per fold

std::string digest_of(const Model& model) { return sha256_of({model.to_archive().bytes()}); }

Matrix<float> reconstruction_patches(const Context& context, const ImageSet& images,
                                     const Preprocessing& preprocessing,
                                     const PipelineOptions& options) {
  if (options.max_margin.reconstruction == 0) return {};
  const Index count = std::min(patches_of(options), kReconstructionPatches);
  return preprocessing.apply(context,
                             patches_to_learn_from(context, images, options, count).patches);
}

/// The status of the training, or what is wrong with its atoms.
Status settled_status(const Context& context, const ImageSet& images,
                      const Preprocessing& preprocessing, const PipelineOptions& options,
                      const JointResult& result) {
  if (result.status == Status::kNumericalTrouble || result.status == Status::kCancelled)
    return result.status;
  const Index count = std::min(patches_of(options), kConditionPatches);
  const Matrix<float> patches =
      preprocessing.apply(context, patches_to_learn_from(context, images, options, count).patches);
  const Encoder encoder(encoder_of(options), result.atoms, result.shapes);
  const Encode<float> encode = [&](ConstMatrixView<float> X, MatrixView<float> codes) {
    encoder.encode(X, codes);
  };
  if (codes_hardly_vary<float>(context, patches, result.atoms.rows(), encoder.channels(), encode))
    return Status::kDiverged;
  const Kernel products{.kind = KernelKind::kLinear};
  const bool collapsed = basis_condition<float>(context, products, patches, result.atoms) ==
                         BasisCondition::kCollapsed;
  return collapsed ? Status::kCollapsed : result.status;
}

std::string trouble(const JointResult& result) {
  if (result.status == Status::kDiverged) {
    return fmt::format(
        "[{}] the codes of more than half of the atoms hardly vary; a smaller rate may help",
        kName);
  }
  if (result.status == Status::kCollapsed) {
    return fmt::format(
        "[{}] more than half of the atoms coincide; fewer atoms or a smaller rate may help", kName);
  }
  if (result.status != Status::kNumericalTrouble) return {};
  const std::string kept = result.best_epoch > 0
                               ? fmt::format("the basis of epoch {} is kept", result.best_epoch)
                               : "the initial atoms are kept";
  return fmt::format(
      "[{}] the loss or its gradient was not finite at step {}; {}; a smaller rate may help", kName,
      result.failed_step, kept);
}

/// Runs the trainings one after another, evaluates their results and decides which one to keep.
class JointStage {
 public:
  JointStage(const Context& context, const ImageSet& images, bool best_when_cancelled,
             Checkpoint& checkpoint, LearnedBasis start)
      : context_(context),
        images_(images),
        best_when_cancelled_(best_when_cancelled),
        checkpoint_(checkpoint),
        start_(std::move(start)),
        options_(start_.options) {
    if (trains_on_mirrors(options_)) mirrored_.emplace(images);
    if (!options_.basis.batch) options_.basis.batch = batch_for(images.size());
    patches_ = reconstruction_patches(context, images, start_.preprocessing, options_);
    if (const auto known = checkpoint.state(kEvidence)) evidence_ = JointEvidence::load(*known);
  }

  JointOutcome run() {
    const std::vector<JointOptions> parts = trial_parts();
    for (auto i = static_cast<std::size_t>(evidence_.parts); i < parts.size(); ++i) {
      JointResult result = learn(parts[i]);
      judge(result, parts[i]);
      if (result.status == Status::kCancelled) return outcome(std::move(result), Kept::kJoint);
      keep_evidence();
    }
    JointOptions last = joint_of(options_);
    if (learns_from_all()) {
      last.held_out = 0;
      last.early_stopping = false;
    }
    JointResult result = learn(last);
    judge(result, last);
    if (result.status == Status::kCancelled) return outcome(std::move(result), Kept::kJoint);
    const Kept kept = choice(result);
    return outcome(std::move(result), kept);
  }

 private:
  /// Setting held_out or patience asks for a single training with early stopping.
  [[nodiscard]] bool learns_from_all() const {
    return !options_.max_margin.held_out && !options_.max_margin.patience &&
           is_small(images_.size());
  }

  /// Evaluates a training on the images it held out, and checks its atoms. If cancelled here, the
  /// training counts as cancelled if the caller wants the best so far.
  void judge(JointResult& result, const JointOptions& options) {
    if (result.status == Status::kCancelled) return;
    const JointEvidence before = evidence_;
    try {
      const std::vector<Index> held_out = held_out_of(options);
      if (!held_out.empty()) gather(result, held_out);
      result.status = settled_status(context_, images_, start_.preprocessing, options_, result);
    } catch (const Cancelled&) {
      if (!best_when_cancelled_) throw;
      evidence_ = before;
      result.status = Status::kCancelled;
    }
  }

  /// Stores the evidence of a trial, which completes its training.
  void keep_evidence() {
    checkpoint_.forget_state(kTraining);
    checkpoint_.store_state(kEvidence, evidence_.saved());
  }

  /// The trials that only decide what to keep, before training on all images.
  [[nodiscard]] std::vector<JointOptions> trial_parts() const {
    std::vector<JointOptions> parts;
    if (!learns_from_all() || images_.size() < kFewestJudged) return parts;
    JointOptions part = joint_of(options_);
    part.early_stopping = false;
    part.folds = folds_for(images_.size());
    for (Index fold = 0; fold < std::max<Index>(1, part.folds); ++fold) {
      part.fold = fold;
      parts.push_back(part);
    }
    return parts;
  }

  JointResult learn(const JointOptions& options) {
    const JointHooks hooks{checkpoint_.solver_hooks(kTraining), best_when_cancelled_};
    const auto state = checkpoint_.state(kTraining);
    const JointStart start{Matrix<float>::copy_of(start_.encoder.atoms()),
                           {start_.encoder.shapes().begin(), start_.encoder.shapes().end()}};
    return train_jointly(context_, images_, start_.preprocessing, start, options, patches_, hooks,
                         state ? &*state : nullptr);
  }

  /// What SVMs learn from and are judged on: with flips, the images and their mirrors.
  [[nodiscard]] const ImageSet& judged() const { return mirrored_ ? *mirrored_ : images_; }

  /// The held-out images, with flips each with its mirror: the one would give the other away.
  [[nodiscard]] std::vector<Index> held_out_of(const JointOptions& options) const {
    std::vector<Index> places = held_out_images(context_, images_, options);
    const std::size_t count = mirrored_ ? places.size() : 0;
    for (std::size_t i = 0; i < count; ++i) places.push_back(places[i] + images_.size());
    return places;
  }

  /// Evaluates the start and the result on the held-out images.
  void gather(const JointResult& result, const std::vector<Index>& held_out) {
    const std::vector<int> labels = values_at(judged().labels(), held_out);
    const auto count = static_cast<Index>(held_out.size()) / (mirrored_ ? 2 : 1);  // of images
    FeatureMatrix features = features_by(learned_encoder(result));
    if (result.classifier) {
      const Matrix<float> scores = scores_of(result, features, held_out);
      evidence_.joint_right +=
          accuracy_of(best_classes(scores), labels) * static_cast<double>(count);
      note_temperature(Kept::kJoint, scores, labels);
    }
    if (options_.max_margin.refit.value_or(true))
      evidence_.learned.add(try_svm(Kept::kRefitted, features, held_out), count);
    features = features_by(start_.encoder);
    evidence_.start.add(try_svm(Kept::kStart, features, held_out), count);
    evidence_.images += static_cast<double>(count);
    ++evidence_.parts;
  }

  [[nodiscard]] Encoder learned_encoder(const JointResult& result) const {
    return {encoder_of(options_), result.atoms, result.shapes};
  }

  FeatureMatrix features_by(const Encoder& encoder) {
    const FeatureExtractor extractor(features_of(options_), images_.shape(), start_.preprocessing,
                                     encoder);
    return extractor.extract(sharing(context_), judged());
  }

  Matrix<float> scores_of(const JointResult& result, const FeatureMatrix& features,
                          const std::vector<Index>& chosen) {
    Matrix<float> rows = gather_rows<float>(sharing(context_), features.view(), chosen);
    result.standardiser->apply_in_place(context_, rows);
    return result.classifier->scores(context_, rows);
  }

  /// Fits SVMs to the features, standardising them in place.
  ChosenC try_svm(Kept candidate, FeatureMatrix& features, const std::vector<Index>& held_out) {
    Context context = sharing(context_);
    Standardiser::fit(context, std::as_const(features).view())
        .apply_in_place(context, features.view());
    if (SampleSpan::pays(features.rows(), features.cols())) {  // needs every pair of rows
      gather_all_rows<float>(context, features.view());
      context = context.with_all_rows();
    }
    SvmTrainer trainer(context, std::as_const(features).view(), judged().labels(),
                       images_.classes(), {.balanced = options_.classifier.balanced});
    trainer.hold_out(held_out);
    ChosenC chosen =
        options_.classifier.C ? ChosenC{*options_.classifier.C, {}} : trainer.choose_c();
    const HeldOutScores held = trainer.held_out_scores(chosen.C);
    note_temperature(candidate, held.scores, held.labels);
    if (options_.classifier.C)
      chosen.tried.emplace_back(chosen.C, accuracy_of(best_classes(held.scores), held.labels));
    return chosen;
  }

  void note_temperature(Kept candidate, const Matrix<float>& scores,
                        const std::vector<int>& labels) {
    JointEvidence::Temperature& sum = evidence_.temperatures[static_cast<std::size_t>(candidate)];
    sum.logarithms += std::log(fit_temperature(scores, labels));
    sum.parts += 1;
  }

  [[nodiscard]] Kept choice(const JointResult& result) const {
    // If training on all images failed, the trials say nothing about what remains.
    if (learns_from_all() && result.status == Status::kNumericalTrouble) return Kept::kStart;
    if (evidence_.parts > 0) return evidence_.choice(options_.max_margin.refit);
    return options_.max_margin.refit.value_or(true) || !result.classifier ? Kept::kRefitted
                                                                          : Kept::kJoint;
  }

  JointOutcome outcome(JointResult result, Kept kept) {
    options_.max_margin.refit = kept != Kept::kJoint;
    const SvmTrials& svms = kept == Kept::kStart ? evidence_.start : evidence_.learned;
    if (evidence_.parts > 0 && kept != Kept::kJoint && !options_.classifier.C)
      options_.classifier.C = svms.C();
    const bool start_kept = kept == Kept::kStart && result.status != Status::kNumericalTrouble;
    JointOutcome outcome{{options_, start_.preprocessing,
                          kept == Kept::kStart ? start_.encoder : learned_encoder(result),
                          start_kept ? "start-kept" : std::string(name_of(result.status)),
                          result.history, start_.atom_class}};
    if (evidence_.parts > 0) outcome.temperature = evidence_.temperature(kept);
    if (result.classifier && kept == Kept::kJoint) {
      outcome.classifier = {*std::move(result.standardiser), *std::move(result.classifier),
                            outcome.temperature};
    }
    outcome.held_out_accuracy = std::move(result.held_out_accuracy);
    outcome.comparison = evidence_.comparison(kept);
    outcome.warning = start_kept ? start_text() : trouble(result);
    return outcome;
  }

  [[nodiscard]] std::string start_text() const {
    const double learned = std::max(evidence_.learned.accuracy(), evidence_.joint_accuracy());
    return fmt::format(
        "[{}] learning from the labels did not help: on {} held-out images the learned atoms reach "
        "{:.1f} % and the initial atoms {:.1f} %; the initial atoms are kept",
        kName, static_cast<std::int64_t>(evidence_.images), 100 * learned,
        100 * evidence_.start.accuracy());
  }

  const Context& context_;
  const ImageSet& images_;
  std::optional<WithMirrors> mirrored_;
  bool best_when_cancelled_;
  Checkpoint& checkpoint_;
  LearnedBasis start_;
  PipelineOptions options_;
  Matrix<float> patches_;
  JointEvidence evidence_;
};

}  // namespace

std::shared_ptr<const Model> starting_model(PipelineOptions& options) {
  const std::string& init = *options.basis.init;
  if (std::find(kInits.begin(), kInits.end(), init) != kInits.end()) return nullptr;
  require(std::filesystem::exists(init), kName,
          "init must be kmeans, omp-1, random-patches, random or a model file, got '{}'", init);
  auto model = std::make_shared<const Model>(Model::load(init));
  const PipelineOptions& from = model->options();
  require(from.encoder.kind && has_derivative(*from.encoder.kind), kName,
          "{} has '{}' codes, which have no derivative and cannot be learned", init,
          from.encoder.kind ? name_of(*from.encoder.kind) : "none");
  options.basis.components = model->parts().extractor->encoder().atoms().rows();
  const Auto<Index> stride = options.descriptor.stride;
  const Auto<Index> patches = options.descriptor.patches;
  options.descriptor = from.descriptor;
  options.descriptor.stride = stride;
  options.descriptor.patches = patches;
  options.whitening = from.whitening;
  options.kernel = from.kernel;
  options.encoder = from.encoder;
  options.basis.init = "model " + digest_of(*model);
  return model;
}

JointOutcome learn_jointly(TrainingRun& run, const ImageSet& images, LearnedBasis start) {
  if (auto done = run.checkpoint.restored<JointOutcome>(kStage)) return *std::move(done);
  JointOutcome outcome =
      JointStage(run.context, images, run.job.best_when_cancelled, run.checkpoint, std::move(start))
          .run();
  if (outcome.basis.cancelled()) return outcome;
  run.checkpoint.forget_state(kTraining);
  run.checkpoint.forget_state(kEvidence);
  run.checkpoint.store(kStage, outcome);
  return outcome;
}

}  // namespace krica
