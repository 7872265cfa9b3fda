// SPDX-License-Identifier: BSD-3-Clause
#include "models/joint_stage.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "data/digest.hpp"
#include "krica/joint/trainer.hpp"
#include "krica/patches/sampling.hpp"
#include "models/parts.hpp"
#include "objectives/basis_condition.hpp"
#include "runtime/check.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";
constexpr std::array<std::string_view, 3> kInits = {"kmeans", "random-patches", "random"};
constexpr Index kReconstructionPatches = 20000;
constexpr Index kConditionPatches = 2000;
constexpr Index kSmallestBatch = 16;
constexpr Index kStepsAnEpoch = 30;  // at least, where the batch is left to the data

std::string digest_of(const Model& model) {
  const std::string bytes = model.to_archive().bytes();
  Digest digest(Digest::Kind::kSha256);
  digest.add(bytes.data(), bytes.size());
  return digest.finish();
}

/// 128, or fewer where an epoch would have too few steps; never more than half of the images.
Index batch_for(Index images) {
  const Index batch = std::clamp(images / kStepsAnEpoch, kSmallestBatch, JointOptions().batch);
  return std::max<Index>(2, std::min(batch, images / 2));
}

JointStart start_from(const Archive& content) {
  JointStart start{content.matrix<float>("atoms"), {}};
  if (content.has("atom_gammas")) start.gammas = content.vector<float>("atom_gammas");
  return start;
}

Matrix<float> reconstruction_patches(const Context& context, const ImageSet& images,
                                     const Preprocessing& preprocessing,
                                     const PipelineOptions& options) {
  if (options.reconstruction == 0) return {};
  const Index count = std::min(options.patches, kReconstructionPatches);
  return preprocessing.apply(
      context, sample_patches(context, images, *options.receptive_field, count).patches);
}

/// Atoms that answer to no patch, or are all the same, are told of as with every other method.
Status settled_status(const Context& context, const ImageSet& images,
                      const Preprocessing& preprocessing, const PipelineOptions& options,
                      const JointResult& result) {
  if (result.status == Status::kNumericalTrouble || result.status == Status::kCancelled)
    return result.status;
  const Matrix<float> patches = preprocessing.apply(
      context,
      sample_patches(context, images, *options.receptive_field, kConditionPatches).patches);
  switch (
      basis_condition<float>(context, kernel_of(options), patches, result.atoms, result.gammas)) {
    case BasisCondition::kDiverged:
      return Status::kDiverged;
    case BasisCondition::kCollapsed:
      return Status::kCollapsed;
    default:
      return result.status;
  }
}

std::string trouble(const JointResult& result) {
  if (result.status == Status::kDiverged) {
    return fmt::format("[{}] over half of the atoms answer to no patch; a smaller rate may help",
                       kName);
  }
  if (result.status == Status::kCollapsed) {
    return fmt::format(
        "[{}] over half of the atoms equal another one; fewer atoms or a smaller rate may help",
        kName);
  }
  if (result.status != Status::kNumericalTrouble) return {};
  return fmt::format(
      "[{}] the loss or its gradient was not finite at step {}; the basis of epoch {} is kept; a "
      "smaller rate may help",
      kName, result.failed_step, result.best_epoch);
}

void keep(const JointResult& result, const PipelineOptions& options, Checkpoint& checkpoint) {
  Archive& content = checkpoint.content();
  content.remove("joint_solver");
  content.put("atoms", result.atoms);
  if (!result.gammas.empty()) content.put_vector<float>("atom_gammas", result.gammas);
  // Where it was cancelled there is no time to fit another one.
  const bool keep_classifier =
      !options.refit.value_or(false) || result.status == Status::kCancelled;
  if (result.classifier && keep_classifier) {
    result.standardiser->save(content);
    result.classifier->save(content);
  }
  content.put_text("settled_options", to_json(options));
  content.put_text("basis_status", std::string(name_of(result.status)));
  content.put_text("joint", trouble(result));
  content.put_vector<double>("held_out_accuracy", result.held_out_accuracy);
  Archive history;
  put_history(history, result.history);
  checkpoint.put_state("basis_result", history);
  if (result.status != Status::kCancelled) checkpoint.write();
}

}  // namespace

std::shared_ptr<const Model> starting_model(PipelineOptions& options) {
  const std::string& init = *options.init;
  if (std::find(kInits.begin(), kInits.end(), init) != kInits.end()) return nullptr;
  require(std::filesystem::exists(init), kName,
          "init must be kmeans, random-patches, random or a model file, got '{}'", init);
  auto model = std::make_shared<const Model>(Model::load(init));
  const PipelineOptions& from = model->options();
  require(from.encoder == "kernel", kName, "{} has no kernel codes but '{}'", init,
          from.encoder.value_or("none"));
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
  options.contrast_epsilon = from.contrast_epsilon;
  options.init = "model " + digest_of(*model);
  return model;
}

void learn_jointly(const Context& context, const ImageSet& images, bool best_when_cancelled,
                   Checkpoint& checkpoint, TrainingReport& report) {
  Archive& content = checkpoint.content();
  if (!content.has_text("joint")) {
    PipelineOptions options = options_from_json(content.text("settled_options"));
    if (!options.batch) options.batch = batch_for(images.size());
    const Preprocessing preprocessing = Preprocessing::load(content);
    const Matrix<float> patches = reconstruction_patches(context, images, preprocessing, options);
    JointHooks hooks;
    hooks.best_when_cancelled = best_when_cancelled;
    hooks.checkpoint_due = [&] { return checkpoint.due(); };
    hooks.checkpoint = [&](const Archive& state) {
      checkpoint.put_state("joint_solver", state);
      checkpoint.write();
    };
    const auto state = checkpoint.state_if("joint_solver");
    JointResult result =
        train_jointly(context, images, preprocessing, start_from(content), joint_of(options),
                      patches, hooks, state ? &*state : nullptr);
    result.status = settled_status(context, images, preprocessing, options, result);
    keep(result, options, checkpoint);
  }
  report.warning = content.text("joint");
  report.held_out_accuracy = content.vector<double>("held_out_accuracy");
}

bool has_joint_classifier(const Checkpoint& checkpoint) {
  return checkpoint.content().has_text("joint") && checkpoint.content().has("svm.weights");
}

}  // namespace krica
