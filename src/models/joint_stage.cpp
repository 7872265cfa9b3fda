// SPDX-License-Identifier: BSD-3-Clause
#include "models/joint_stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "data/digest.hpp"
#include "krica/classify/calibration.hpp"
#include "krica/classify/splits.hpp"
#include "krica/joint/trainer.hpp"
#include "krica/patches/sampling.hpp"
#include "models/joint_choice.hpp"
#include "models/parts.hpp"
#include "models/rules.hpp"
#include "objectives/basis_condition.hpp"
#include "runtime/check.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";
constexpr std::array<std::string_view, 4> kInits = {"kmeans", "omp-1", "random-patches", "random"};
constexpr Index kReconstructionPatches = 20000;
constexpr Index kConditionPatches = 2000;
constexpr Index kFewestJudged = 6;  // images: two a fold

std::string digest_of(const Model& model) {
  const std::string bytes = model.to_archive().bytes();
  Digest digest(Digest::Kind::kSha256);
  digest.add(bytes.data(), bytes.size());
  return digest.finish();
}

JointStart start_from(const Archive& content, const PipelineOptions& options) {
  const Encoder encoder = Encoder::load(encoder_of(options), content);
  return {Matrix<float>::copy_of(encoder.atoms()),
          {encoder.shapes().begin(), encoder.shapes().end()}};
}

Matrix<float> reconstruction_patches(const Context& context, const ImageSet& images,
                                     const Preprocessing& preprocessing,
                                     const PipelineOptions& options) {
  if (options.reconstruction == 0) return {};
  const Index count = std::min(options.patches, kReconstructionPatches);
  return preprocessing.apply(
      context, sample_patches(context, images, *options.receptive_field, count).patches);
}

/// Atoms that no patch excites, or that are all the same, are told of as with every other method.
Status settled_status(const Context& context, const ImageSet& images,
                      const Preprocessing& preprocessing, const PipelineOptions& options,
                      const JointResult& result) {
  if (result.status == Status::kNumericalTrouble || result.status == Status::kCancelled)
    return result.status;
  const Matrix<float> patches = preprocessing.apply(
      context,
      sample_patches(context, images, *options.receptive_field, kConditionPatches).patches);
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
        "[{}] over half of the atoms equal another one; fewer atoms or a smaller rate may help",
        kName);
  }
  if (result.status != Status::kNumericalTrouble) return {};
  const std::string kept = result.best_epoch > 0
                               ? fmt::format("the basis of epoch {} is kept", result.best_epoch)
                               : "the first atoms are kept";
  return fmt::format(
      "[{}] the loss or its gradient was not finite at step {}; {}; a smaller rate may help", kName,
      result.failed_step, kept);
}

/// One training after the other, what speaks for their results, and which of them is kept.
class JointStage {
 public:
  JointStage(const Context& context, const ImageSet& images, bool best_when_cancelled,
             Checkpoint& checkpoint)
      : context_(context),
        images_(images),
        best_when_cancelled_(best_when_cancelled),
        checkpoint_(checkpoint),
        options_(options_from_json(checkpoint.content().text("settled_options"))),
        preprocessing_(Preprocessing::load(checkpoint.content())),
        start_(start_from(checkpoint.content(), options_)) {
    if (!options_.batch) options_.batch = batch_for(images.size());
    patches_ = reconstruction_patches(context, images, preprocessing_, options_);
    if (const auto known = checkpoint.state_if("joint_evidence"))
      evidence_ = JointEvidence::load(*known);
  }

  void run() {
    const std::vector<JointOptions> parts = trial_parts();
    for (std::size_t i = static_cast<std::size_t>(evidence_.parts); i < parts.size(); ++i) {
      JointResult result = learn(parts[i]);
      judge(result, parts[i]);
      if (result.status == Status::kCancelled) return keep(result, Kept::kJoint);
      keep_evidence();
    }
    JointOptions last = joint_of(options_);
    if (learns_from_all()) {
      last.held_out = 0;
      last.early_stopping = false;
    }
    JointResult result = learn(last);
    judge(result, last);
    if (result.status == Status::kCancelled) return keep(result, Kept::kJoint);
    keep(result, choice(result));
  }

 private:
  /// Whoever asks for early stopping asks for one training with images held out.
  [[nodiscard]] bool learns_from_all() const {
    return !options_.held_out && !options_.patience && is_small(images_.size());
  }

  /// What the images that a training held out say about it, and what its atoms look like. Where
  /// that is cancelled, the training counts as cancelled, if something is wanted then.
  void judge(JointResult& result, const JointOptions& options) {
    if (result.status == Status::kCancelled) return;
    const JointEvidence before = evidence_;
    try {
      const std::vector<Index> held_out = held_out_images(context_, images_, options);
      if (!held_out.empty()) gather(result, held_out);
      result.status = settled_status(context_, images_, preprocessing_, options_, result);
    } catch (const Cancelled&) {
      if (!best_when_cancelled_) throw;
      evidence_ = before;
      result.status = Status::kCancelled;
    }
  }

  /// A trial's, with which its training is done.
  void keep_evidence() {
    checkpoint_.content().remove("joint_solver");
    checkpoint_.put_state("joint_evidence", evidence_.saved());
    checkpoint_.write();
  }

  /// The trainings that only tell what to keep, before the one from all images.
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
    JointHooks hooks;
    hooks.best_when_cancelled = best_when_cancelled_;
    hooks.checkpoint_due = [&] { return checkpoint_.due(); };
    hooks.checkpoint = [&](const Archive& state) {
      checkpoint_.put_state("joint_solver", state);
      checkpoint_.write();
    };
    const auto state = checkpoint_.state_if("joint_solver");
    return train_jointly(context_, images_, preprocessing_, start_, options, patches_, hooks,
                         state ? &*state : nullptr);
  }

  /// What the held-out images say about the start and about the result.
  void gather(const JointResult& result, const std::vector<Index>& held_out) {
    const std::vector<int> labels = values_at(images_.labels(), held_out);
    const auto count = static_cast<Index>(held_out.size());
    FeatureMatrix features = features_of_atoms(result.atoms, result.shapes);
    if (result.classifier) {
      const Matrix<float> scores = scores_of(result, features, held_out);
      evidence_.joint_right +=
          accuracy_of(best_classes(scores), labels) * static_cast<double>(count);
      note_temperature(Kept::kJoint, scores, labels);
    }
    if (options_.refit.value_or(true))
      evidence_.learned.add(try_svm(Kept::kRefitted, features, held_out), count);
    features = features_of_atoms(start_.atoms, start_.shapes);
    evidence_.start.add(try_svm(Kept::kStart, features, held_out), count);
    evidence_.images += static_cast<double>(count);
    ++evidence_.parts;
  }

  FeatureMatrix features_of_atoms(const Matrix<float>& atoms, std::span<const float> shapes) {
    const FeatureExtractor extractor(features_of(options_), images_.shape(), preprocessing_,
                                     Encoder(encoder_of(options_), atoms, shapes));
    return extractor.extract(context_, images_);
  }

  Matrix<float> scores_of(const JointResult& result, const FeatureMatrix& features,
                          const std::vector<Index>& chosen) {
    Matrix<float> rows(static_cast<Index>(chosen.size()), features.cols());
    for (std::size_t i = 0; i < chosen.size(); ++i)
      rows.view().row(static_cast<Index>(i)) = features.view().row(chosen[i]);
    result.standardiser->apply_in_place(context_, rows);
    return result.classifier->scores(context_, rows);
  }

  /// SVMs on the features, which are standardised on the way.
  ChosenC try_svm(Kept candidate, FeatureMatrix& features, const std::vector<Index>& held_out) {
    Standardiser::fit(context_, std::as_const(features).view())
        .apply_in_place(context_, features.view());
    SvmTrainer trainer(context_, std::as_const(features).view(), images_.labels(),
                       images_.classes(), {.balanced = options_.balanced});
    trainer.hold_out(held_out);
    ChosenC chosen = options_.svm_c ? ChosenC{*options_.svm_c, {}} : trainer.choose_c();
    const HeldOutScores held = trainer.held_out_scores(chosen.C);
    note_temperature(candidate, held.scores, held.labels);
    if (options_.svm_c)
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
    // Where learning from all images failed, the trials say nothing about what is left.
    if (learns_from_all() && result.status == Status::kNumericalTrouble) return Kept::kStart;
    if (evidence_.parts > 0) return evidence_.choice(options_.refit);
    return options_.refit.value_or(true) || !result.classifier ? Kept::kRefitted : Kept::kJoint;
  }

  void keep(const JointResult& result, Kept kept) {
    Archive& content = checkpoint_.content();
    content.remove("joint_solver");
    options_.refit = kept != Kept::kJoint;
    if (kept != Kept::kStart)
      Encoder(encoder_of(options_), result.atoms, result.shapes).save(content);
    if (result.classifier && kept == Kept::kJoint) {
      result.standardiser->save(content);
      result.classifier->save(content);
    }
    if (evidence_.parts > 0) {
      const SvmTrials& svms = kept == Kept::kStart ? evidence_.start : evidence_.learned;
      if (kept != Kept::kJoint && !options_.svm_c) options_.svm_c = svms.C();
      const std::vector<double> temperature = {evidence_.temperature(kept)};
      content.put_vector<double>("temperature", temperature);
    }
    Archive evidence = evidence_.saved();
    const std::vector<std::int64_t> choice = {static_cast<std::int64_t>(kept)};
    evidence.put_vector<std::int64_t>("kept", choice);
    checkpoint_.put_state("joint_evidence", evidence);
    const bool start_kept = kept == Kept::kStart && result.status != Status::kNumericalTrouble;
    content.put_text("settled_options", to_json(options_));
    content.put_text("basis_status",
                     start_kept ? "start-kept" : std::string(name_of(result.status)));
    content.put_text("joint", start_kept ? start_text() : trouble(result));
    content.put_vector<double>("held_out_accuracy", result.held_out_accuracy);
    Archive history;
    put_history(history, result.history);
    checkpoint_.put_state("basis_result", history);
    if (result.status != Status::kCancelled) checkpoint_.write();
  }

  [[nodiscard]] std::string start_text() const {
    const double learned = std::max(evidence_.learned.accuracy(), evidence_.joint_accuracy());
    return fmt::format(
        "[{}] learning with the labels did not help: of {} images that took no part, {:.1f} % are "
        "classified correctly with the learned atoms and {:.1f} % with those that training began "
        "with, which are kept",
        kName, evidence_.images, 100 * learned, 100 * evidence_.start.accuracy());
  }

  const Context& context_;
  const ImageSet& images_;
  bool best_when_cancelled_;
  Checkpoint& checkpoint_;
  PipelineOptions options_;
  Preprocessing preprocessing_;
  JointStart start_;
  Matrix<float> patches_;
  JointEvidence evidence_;
};

}  // namespace

std::shared_ptr<const Model> starting_model(PipelineOptions& options) {
  const std::string& init = *options.init;
  if (std::find(kInits.begin(), kInits.end(), init) != kInits.end()) return nullptr;
  require(std::filesystem::exists(init), kName,
          "init must be kmeans, omp-1, random-patches, random or a model file, got '{}'", init);
  auto model = std::make_shared<const Model>(Model::load(init));
  const PipelineOptions& from = model->options();
  const std::string encoder = from.encoder.value_or("none");
  require(encoder != "none" && has_derivative(encoder_kind(encoder)), kName,
          "{} has '{}' codes, which have no derivative to learn by", init, encoder);
  options.encoder = encoder;
  options.threshold = from.threshold;
  options.components = model->parts().extractor->encoder().atoms().rows();
  options.receptive_field = from.receptive_field;
  options.kernel = from.kernel;
  options.gamma = from.gamma;
  options.degree = from.degree;
  options.kernel_scale = from.kernel_scale;
  options.unit_norm = from.unit_norm;
  options.whitening = from.whitening;
  options.whitening_epsilon = from.whitening_epsilon;
  options.whitening_components = from.whitening_components;
  options.whitening_gamma = from.whitening_gamma;
  options.landmarks = from.landmarks;
  options.landmark_choice = from.landmark_choice;
  options.contrast = from.contrast;
  options.contrast_epsilon = from.contrast_epsilon;
  options.init = "model " + digest_of(*model);
  return model;
}

void learn_jointly(const Context& context, const ImageSet& images, bool best_when_cancelled,
                   Checkpoint& checkpoint, TrainingReport& report) {
  Archive& content = checkpoint.content();
  if (!content.has_text("joint"))
    JointStage(context, images, best_when_cancelled, checkpoint).run();
  report.warning = content.text("joint");
  const auto evidence = checkpoint.state_if("joint_evidence");
  if (evidence && evidence->has("kept")) {  // not in files of version 0.1
    const auto kept = static_cast<Kept>(evidence->vector<std::int64_t>("kept").at(0));
    report.comparison = JointEvidence::load(*evidence).comparison(kept);
  }
  report.held_out_accuracy = content.vector<double>("held_out_accuracy");
}

bool has_joint_classifier(const Checkpoint& checkpoint) {
  return checkpoint.content().has_text("joint") && checkpoint.content().has("svm.weights");
}

}  // namespace krica
