// SPDX-License-Identifier: BSD-3-Clause
#include "krica/models/training.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>

#include "krica/patches/sampling.hpp"
#include "models/checkpoint.hpp"
#include "models/parts.hpp"
#include "models/raw_pixels.hpp"
#include "runtime/check.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

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
    report_.resumed = checkpoint_.resumed();
  }

  Model run() {
    if (method_.learn != nullptr) learn_basis();
    if (job_.classifier) learn_classifier();
    return Model(std::move(parts_));
  }

  void finish() { checkpoint_.remove(); }

 private:
  template <class Work>
  std::invoke_result_t<Work> timed(std::string stage, Work work) {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    report_.stages.push_back({std::move(stage), took.count()});
    return result;
  }

  void learn_basis() {
    if (!checkpoint_.content().has("atoms")) {
      PatchSample sample = timed("patches", [&] {
        return sample_patches(context_, images_, job_.options.receptive_field,
                              job_.options.patches);
      });
      const Preprocessing preprocessing =
          timed("whitening", [&] { return fit_preprocessing(sample.patches); });
      const Matrix<float> patches = timed("whitening", [&] {
        return preprocessing.apply(context_, std::exchange(sample.patches, {}));
      });
      settle_gamma(patches);
      keep_basis(preprocessing,
                 timed("basis", [&] { return learn_atoms(patches, sample.labels); }));
    }
    const Archive& done = checkpoint_.content();
    parts_.options = options_from_json(done.text("settled_options"));
    parts_.basis_status = done.text("basis_status");
    const Archive solver = checkpoint_.state("basis_result");
    parts_.history = history_from(solver);
    parts_.extractor.emplace(features_of(parts_.options), parts_.shape, Preprocessing::load(done),
                             Encoder(encoder_of(parts_.options), done.matrix<float>("atoms")));
  }

  Preprocessing fit_preprocessing(const Matrix<float>& raw_patches) {
    PipelineOptions& options = parts_.options;
    if (options.whitening == "kpca" && !options.whitening_gamma) {
      // On what kernel PCA will see; 1/median is the usual width.
      PreprocessingOptions plain = preprocessing_of(options);
      plain.kernel_pca.reset();
      plain.whitening.kind = WhiteningKind::kNone;
      plain.unit_norm = false;
      const Matrix<float> seen =
          Preprocessing::fit(context_, raw_patches, plain).apply(context_, raw_patches);
      options.whitening_gamma = auto_gamma<float>(context_, seen) / 6;
    }
    return Preprocessing::fit(context_, raw_patches, preprocessing_of(options));
  }

  void settle_gamma(const Matrix<float>& patches) {
    const bool used = kernel_kind(parts_.options.kernel) == KernelKind::kGaussian &&
                      parts_.options.encoder == "kernel";
    if (parts_.options.gamma || !used) {
      parts_.options.gamma = parts_.options.gamma.value_or(1.0);
      return;
    }
    parts_.options.gamma = auto_gamma<float>(context_, patches);
  }

  Basis learn_atoms(const Matrix<float>& patches, const std::vector<int>& labels) {
    BasisRequest request{patches, labels, basis_of(parts_.options), {}, nullptr};
    request.hooks.checkpoint_every = 1;
    request.hooks.checkpoint = [&](const Archive& state) {
      if (!checkpoint_.due() && !context_.cancelled()) return;
      checkpoint_.put_state("solver", state);
      checkpoint_.write();
    };
    Archive state;
    if (checkpoint_.content().has("solver")) {
      state = checkpoint_.state("solver");
      request.state = &state;
    }
    return method_.learn(context_, request);
  }

  void keep_basis(const Preprocessing& preprocessing, const Basis& basis) {
    Archive& content = checkpoint_.content();
    content.remove("solver");
    content.put("atoms", basis.atoms);
    preprocessing.save(content);
    content.put_text("settled_options", to_json(parts_.options));
    content.put_text("basis_status", std::string(name_of(basis.status)));
    Archive result;
    put_history(result, basis.history);
    checkpoint_.put_state("basis_result", result);
    checkpoint_.write();
  }

  void learn_classifier() {
    parts_.class_names = images_.class_names();
    FeatureMatrix features = timed("features", [&] { return extract_features(); });
    timed("svm", [&] {
      parts_.standardiser = Standardiser::fit(context_, std::as_const(features).view());
      parts_.standardiser->apply_in_place(context_, features.view());
      parts_.options.svm_c = settle_c(std::as_const(features).view());
      parts_.svm = fit_svm(std::as_const(features).view());
      return true;
    });
  }

  FeatureMatrix extract_features() {
    if (!parts_.extractor) return raw_pixels(context_, images_, parts_.shape);
    if (!checkpoint_.active()) return parts_.extractor->extract(context_, images_);
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
      parts_.extractor->extract(context_, images_, first, features, [&](Index done) {
        if (checkpoint_.due()) keep(done);
      });
      keep(images_.size());
    }
    features.detach();
    return features;
  }

  double settle_c(ConstMatrixView<float> features) {
    if (parts_.options.svm_c) return *parts_.options.svm_c;
    Archive& content = checkpoint_.content();
    if (!content.has("svm_c")) {
      report_.chosen_c = choose_svm_c(context_, features, images_.labels(), images_.classes(),
                                      {.balanced = parts_.options.balanced});
      const std::vector<double> chosen = {report_.chosen_c.C};
      content.put_vector<double>("svm_c", chosen);
      checkpoint_.write();
    }
    return content.vector<double>("svm_c").at(0);
  }

  LinearSvm fit_svm(ConstMatrixView<float> features) {
    SolverHooks hooks;
    hooks.checkpoint_every = 1;
    hooks.checkpoint = [&](const Archive& state) {
      if (!checkpoint_.due() && !context_.cancelled()) return;
      checkpoint_.put_state("svm_solver", state);
      checkpoint_.write();
    };
    Archive state;
    const bool resume = checkpoint_.content().has("svm_solver");
    if (resume) state = checkpoint_.state("svm_solver");
    return LinearSvm::fit(context_, features, images_.labels(), images_.classes(),
                          {.C = *parts_.options.svm_c, .balanced = parts_.options.balanced},
                          nullptr, hooks, resume ? &state : nullptr);
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

Model train(const Context& context, const ImageSet& images, const TrainingJob& job,
            TrainingReport* report) {
  TrainingReport unused;
  TrainingJob settled = job;
  settled.options = resolved(job.options);
  require(images.size() >= 2, "train", "at least 2 images are needed, got {}", images.size());
  if (job.classifier) {
    require(!images.labels().empty(), "train",
            "the images have no labels; use fit to learn a basis without them");
    require(images.classes() >= 2, "train", "at least 2 classes are needed, got {}",
            images.classes());
  }
  Training training(context, images, settled, report != nullptr ? *report : unused);
  Model model = training.run();
  training.finish();
  return model;
}

}  // namespace krica
