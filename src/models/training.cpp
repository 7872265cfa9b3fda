// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/training.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <type_traits>
#include <utility>

#include "krica/classify/calibration.hpp"
#include "krica/classify/splits.hpp"
#include "krica/data/views.hpp"
#include "krica/patches/sampling.hpp"
#include "krica/runtime/memory.hpp"
#include "models/checkpoint.hpp"
#include "models/joint_stage.hpp"
#include "models/parts.hpp"
#include "models/raw_pixels.hpp"
#include "models/trouble.hpp"
#include "runtime/check.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

/// Patches are many and their codes pooled, which favours narrow kernels: 6 over the median squared
/// distance. Samples are few and stand for themselves: 1 over the median (docs/python.md).
constexpr double kPatchToSampleGamma = 6;

class Training {
 public:
  Training(const Context& context, const ImageSet& images, const TrainingJob& job,
           TrainingReport& report)
      : context_(context),
        images_(images),
        job_(job),
        report_(report),
        method_(basis_method(job.options.method)),
        fingerprint_(timed("read", [&] { return fingerprint(context, images); })),
        checkpoint_(job.checkpoint, job.options, fingerprint_) {
    parts_.options = job.options;
    parts_.shape = images.shape();
    parts_.fingerprint = fingerprint_;
    parts_.preparation = images.info().preparation;
    parts_.signal_channels = images.info().signal_channels;
    timed("read", [&] {
      parts_.seen = SeenImages::of(context, images);
      if (!images.shape().is_sample()) parts_.value_range = value_range_of(context, images);
    });
    report_.resumed = checkpoint_.resumed();
  }

  Model run() {
    try {
      if (method_.learn != nullptr) {
        if (parts_.shape.is_sample())
          parts_.units = timed("patches", [&] { return learn_units(); });
        learn_basis();
      }
      if (job_.classifier) learn_classifier_unless_cancelled();
    } catch (const Cancelled&) {
      if (checkpoint_.holds_progress()) checkpoint_.write();  // what came after the last write
      throw;
    }
    return Model(std::move(parts_));
  }

 private:
  /// Notes the time until the end of the work, whatever it returns.
  template <class Work>
  std::invoke_result_t<Work> timed(std::string stage, Work work) {
    struct Note {
      std::vector<StageTime>& stages;
      std::string stage;
      std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
      ~Note() {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        stages.push_back({std::move(stage), took.count(), peak_memory()});
      }
    } note{report_.stages, std::move(stage)};
    return work();
  }

  SampleUnits learn_units() {
    if (job_.start != nullptr) return job_.start->parts().units;
    if (checkpoint_.resumed()) return SampleUnits::load(checkpoint_.content());
    SampleUnits units = SampleUnits::of(context_, images_, units_of(job_.options));
    units.save(checkpoint_.content());
    return units;
  }

  /// The images, or the samples in the units that the basis is learned in.
  [[nodiscard]] SamplesInUnits input() const { return {images_, parts_.units}; }

  void learn_basis() {
    if (!checkpoint_.content().has("atoms") && job_.start != nullptr && job_.stream == nullptr) {
      const FeatureExtractor& from = *job_.start->parts().extractor;
      keep_basis(from.preprocessing(), {Matrix<float>::copy_of(from.encoder().atoms()), {}, {}},
                 from.encoder().shapes());
    }
    if (!checkpoint_.content().has("atoms")) {
      PatchSample sample = timed("patches", [&] {
        return sample_patches(context_, input(), *job_.options.receptive_field,
                              job_.options.patches);
      });
      const Preprocessing preprocessing = timed("whitening", [&] {
        return job_.start != nullptr ? taken_from(*job_.start) : fit_preprocessing(sample.patches);
      });
      const Matrix<float> patches = timed("whitening", [&] {
        return preprocessing.apply(context_, std::exchange(sample.patches, {}));
      });
      settle_gamma(patches);
      keep_basis(preprocessing,
                 timed("basis", [&] { return learn_atoms(patches, sample.labels); }));
    }
    const bool cancelled =
        checkpoint_.content().text("basis_status") == name_of(Status::kCancelled);
    if (method_.joint && !cancelled) {  // unfinished atoms are not learned from
      timed("max-margin", [&] {
        learn_jointly(context_, input(), job_.best_when_cancelled, checkpoint_, report_);
      });
    }
    const Archive& done = checkpoint_.content();
    parts_.options = options_from_json(done.text("settled_options"));
    parts_.basis_status = done.text("basis_status");
    if (done.has("atom_class")) parts_.atom_class = done.vector<std::int64_t>("atom_class");
    const Archive solver = checkpoint_.state("basis_result");
    parts_.history = history_from(solver);
    const bool limited = parts_.basis_status == name_of(Status::kIterationLimit);
    if (!method_.joint && !(limited && job_.stream != nullptr))  // a stream has no last part
      report_.warning = trouble_with(parts_.options, parts_.basis_status, parts_.history);
    parts_.extractor.emplace(features_of(parts_.options), parts_.shape, Preprocessing::load(done),
                             Encoder::load(encoder_of(parts_.options), done));
  }

  /// The preprocessing of what was learned so far, and the widths that belong to it.
  Preprocessing taken_from(const Model& model) {
    parts_.options.gamma = model.options().gamma;
    parts_.options.whitening_gamma = model.options().whitening_gamma;
    return model.parts().extractor->preprocessing();
  }

  Preprocessing fit_preprocessing(const Matrix<float>& raw_patches) {
    PipelineOptions& options = parts_.options;
    if (options.whitening == "kpca" && !options.whitening_gamma) {
      // From the input of the kernel PCA; 1/median is the usual width.
      const Matrix<float> input = Preprocessing::with_contrast(
          context_, raw_patches, preprocessing_of(options, parts_.shape));
      options.whitening_gamma = auto_gamma<float>(context_, input) / kPatchToSampleGamma;
    }
    return Preprocessing::fit(context_, raw_patches, preprocessing_of(options, parts_.shape));
  }

  void settle_gamma(const Matrix<float>& patches) {
    if (parts_.options.gamma || !has_effect(parts_.options, "gamma")) {
      parts_.options.gamma = parts_.options.gamma.value_or(1.0);
      return;
    }
    const double gamma = auto_gamma<float>(context_, patches);
    parts_.options.gamma = parts_.shape.is_sample() ? gamma / kPatchToSampleGamma : gamma;
  }

  Basis learn_atoms(const Matrix<float>& patches, const std::vector<int>& labels) {
    if (job_.stream != nullptr && !job_.stream->begun() && job_.start != nullptr)
      job_.stream->begin(job_.start->parts().extractor->encoder().atoms());
    const auto state = checkpoint_.state_if("solver");
    const BasisRequest request{patches,
                               labels,
                               basis_of(parts_.options),
                               solver_hooks("solver"),
                               state ? &*state : nullptr,
                               job_.best_when_cancelled,
                               job_.stream,
                               job_.initial_atoms};
    Basis basis = method_.learn(context_, request);
    require(job_.stream == nullptr || job_.stream->begun(), "train",
            "{} has no solver that learns from one part of the data after another", method_.name);
    return basis;
  }

  void keep_basis(const Preprocessing& preprocessing, const Basis& basis,
                  std::span<const float> shapes = {}) {
    Archive& content = checkpoint_.content();
    content.remove("solver");
    const std::span<const float> own =
        basis.bias.empty() ? shapes : std::span<const float>(basis.bias);
    Encoder(encoder_of(parts_.options), basis.atoms, own).save(content);
    preprocessing.save(content);
    if (!basis.atom_class.empty()) {
      const std::vector<std::int64_t> classes(basis.atom_class.begin(), basis.atom_class.end());
      content.put_vector<std::int64_t>("atom_class", classes);
    }
    content.put_text("settled_options", to_json(parts_.options));
    content.put_text("basis_status", std::string(name_of(basis.status)));
    Archive result;
    put_history(result, basis.history);
    checkpoint_.put_state("basis_result", result);
    // A basis that was cancelled is not done: the file keeps the solver's state.
    if (basis.status != Status::kCancelled) checkpoint_.write();
  }

  void learn_classifier_unless_cancelled() {
    try {
      learn_classifier();
    } catch (const Cancelled&) {
      if (!job_.best_when_cancelled || !parts_.extractor) throw;
      parts_.class_names.clear();
      parts_.standardiser.reset();
    }
  }

  void learn_classifier() {
    parts_.class_names = images_.class_names();
    parts_.label_type = images_.info().label_type;
    if (has_joint_classifier(checkpoint_)) {
      parts_.standardiser = Standardiser::load(checkpoint_.content());
      parts_.svm = LinearSvm::load(checkpoint_.content());
      if (checkpoint_.content().has("temperature")) take_temperature();
      return;
    }
    FeatureMatrix features = extract_features();
    timed("svm", [&] {
      parts_.standardiser = Standardiser::fit(context_, std::as_const(features).view());
      parts_.standardiser->apply_in_place(context_, features.view());
      SvmTrainer trainer(context_, std::as_const(features).view(), images_.labels(),
                         images_.classes(), {.balanced = parts_.options.balanced});
      if (!parts_.options.svm_c) parts_.options.svm_c = choose_c(trainer);
      calibrate(trainer);
      parts_.svm = fit_svm(trainer);
    });
  }

  /// Fits the temperature to the scores of images that the classifier was not trained on, unless
  /// joint training has done so.
  void calibrate(SvmTrainer& trainer) {
    Archive& content = checkpoint_.content();
    if (!content.has("temperature")) {
      const HeldOutScores held_out = trainer.held_out_scores(*parts_.options.svm_c);
      if (held_out.labels.empty()) return;
      const std::vector<double> fitted = {fit_temperature(held_out.scores, held_out.labels)};
      content.put_vector<double>("temperature", fitted);
      if (checkpoint_.due()) checkpoint_.write();
    }
    take_temperature();
  }

  void take_temperature() {
    parts_.temperature = checkpoint_.content().vector<double>("temperature").at(0);
  }

  FeatureMatrix extract_features() {
    const std::string stage = "features";
    if (!parts_.extractor)
      return timed(stage, [&] { return raw_pixels(context_, images_, parts_.shape); });
    if (!checkpoint_.active())
      return timed(stage, [&] { return parts_.extractor->extract(context_, input()); });
    FeatureMatrix features(checkpoint_.features_path(), images_.size(),
                           parts_.extractor->features());
    Archive& content = checkpoint_.content();
    const Index first =
        content.has("features_done") ? content.vector<std::int64_t>("features_done").at(0) : 0;
    const auto keep = [&](Index done) {
      const std::vector<std::int64_t> count = {done};
      features.sync();  // first the features, then the word that they are there
      content.put_vector<std::int64_t>("features_done", count);
      checkpoint_.write();
    };
    if (first < images_.size()) {
      timed(stage, [&] {
        parts_.extractor->extract(context_, input(), first, features, [&](Index done) {
          if (checkpoint_.due()) keep(done);
        });
        keep(images_.size());
      });
    }
    features.detach();
    return features;
  }

  double choose_c(SvmTrainer& trainer) {
    const auto keep = [&](const Archive& state) {
      checkpoint_.put_state("svm_search", state);
      if (checkpoint_.due()) checkpoint_.write();
    };
    const auto state = checkpoint_.state_if("svm_search");
    report_.chosen_c = trainer.choose_c(keep, state ? &*state : nullptr);
    return report_.chosen_c.C;
  }

  LinearSvm fit_svm(SvmTrainer& trainer) {
    const auto state = checkpoint_.state_if("svm_solver");
    return trainer.fit(*parts_.options.svm_c, solver_hooks("svm_solver"),
                       state ? &*state : nullptr);
  }

  /// Keeps a solver's state in the checkpoint under `name`.
  SolverHooks solver_hooks(const std::string& name) {
    SolverHooks hooks;
    hooks.checkpoint_due = [this] { return checkpoint_.due(); };
    hooks.checkpoint = [this, name](const Archive& state) {
      checkpoint_.put_state(name, state);
      checkpoint_.write();
    };
    return hooks;
  }

  const Context& context_;
  const ImageSet& images_;
  const TrainingJob& job_;
  TrainingReport& report_;
  const BasisMethod& method_;
  std::string fingerprint_;
  Checkpoint checkpoint_;
  Model::Parts parts_;
};

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

Model train(const Context& context, const ImageSet& images, const TrainingJob& job,
            TrainingReport* report) {
  TrainingReport unused;
  TrainingJob settled = job;
  settled.options =
      resolved(continued(job.options, job.checkpoint), facts_of(images, job.classifier));
  if (basis_method(settled.options.method).joint) {
    require(job.classifier, "train", "{} learns from labels; use train", settled.options.method);
    settled.start = starting_model(settled.options);
  }
  require(images.size() >= 2, "train", "at least 2 images or samples are needed, got {}",
          images.size());
  if (job.classifier) {
    require(!images.labels().empty(), "train",
            "the data has no labels; use fit to learn a basis without them");
    require(images.classes() >= 2, "train", "at least 2 classes are needed, got {}",
            images.classes());
  }
  return Training(context, images, settled, report != nullptr ? *report : unused).run();
}

}  // namespace krica
