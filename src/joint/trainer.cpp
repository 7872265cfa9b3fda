// SPDX-License-Identifier: BSD-3-Clause
#include "joint/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/splits.hpp"
#include "features/patch_source.hpp"
#include "joint/engine.hpp"
#include "joint/option_fields.hpp"
#include "krica/data/image_set.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "solvers/common.hpp"
#include "solvers/iterations.hpp"
#include "solvers/minibatches.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";
constexpr Index kReconstructed = 1024;   // patches of the reconstruction term per step
constexpr Index kMomentImages = 2000;    // for the moments during training
constexpr Index kFewMomentImages = 500;  // if they are used only when training is cancelled

Split split_of(const Context& context, const ImageSet& images, const JointOptions& options) {
  if (options.folds > 0) {
    Split split;
    const std::vector<int> folds =
        stratified_folds(context, images.labels(), static_cast<int>(options.folds), "joint.folds");
    for (Index i = 0; i < images.size(); ++i) {
      const bool held = folds[static_cast<std::size_t>(i)] == options.fold;
      (held ? split.test : split.train).push_back(i);
    }
    return split;
  }
  if (options.held_out > 0) {
    const double limit =
        static_cast<double>(options.held_out_limit) / static_cast<double>(images.size());
    return stratified_split(images.labels(), std::min(options.held_out, limit), context.seed());
  }
  Split all;
  for (Index i = 0; i < images.size(); ++i) all.train.push_back(i);
  return all;
}

bool is_finite(const BatchMoments& moments) {
  const auto finite = [](double value) { return std::isfinite(value); };
  return std::all_of(moments.mean.begin(), moments.mean.end(), finite) &&
         std::all_of(moments.variance.begin(), moments.variance.end(), finite);
}

bool is_success(Status status) {
  return status == Status::kConverged || status == Status::kIterationLimit;
}

/// For atoms without a shape of their own.
float common_shape(const EncoderOptions& encoder) {
  if (encoder.kind == EncoderKind::kSoftThreshold) return static_cast<float>(encoder.threshold);
  if (encoder.kind == EncoderKind::kKernel) return static_cast<float>(encoder.kernel.gamma);
  return 0;
}

class Trainer {
 public:
  Trainer(const Context& context, const ImageSet& images, const Preprocessing& preprocessing,
          const JointOptions& options, ConstMatrixView<float> patches, const JointHooks& hooks)
      : context_(context),
        images_(images),
        options_(options),
        best_when_cancelled_(hooks.best_when_cancelled),
        patches_(std::move(patches)),
        source_(options.features, images.shape(), preprocessing),
        split_(split_of(context, images, options)),
        batches_(context, "joint.shuffle", split_.train, options.batch, kName, "images"),
        iterations_(context, hooks, kName, options.epochs) {
    schedule_.rate = 1;
    schedule_.schedule = RateSchedule::kOneCycle;
  }

  void begin(const JointStart& start) {
    const EncoderOptions& encoder = options_.objective.encoder;
    JointParameters<float>& at = state_.now;
    at.W = start.atoms;
    const Index K = at.W.rows();
    if (options_.learn_shapes && has_shapes(encoder)) {
      std::vector<float> shapes = start.shapes;
      if (shapes.empty()) shapes.assign(static_cast<std::size_t>(K), common_shape(encoder));
      at.shapes = learned_shapes<float>(encoder, shapes);
    }
    at.T = Matrix<float>(images_.classes(), source_.grid().cells() * channels_of(encoder, K));
    at.bias = Matrix<float>(1, images_.classes());
    const std::vector<double> constant =
        best_constant_scores(options_.objective.loss, images_.labels(), images_.classes());
    for (Index c = 0; c < at.bias.cols(); ++c)
      at.bias(0, c) = static_cast<float>(constant[static_cast<std::size_t>(c)]);
    state_.best.parameters = at;
    start_ = at;
    state_.first = at.zeros();
    state_.second = at.zeros();
    engine_ = make_engine({context_, images_, source_, options_, patches_}, state_);
  }

  void resume(const Archive& saved) {
    check_origin(saved, kName, identity_of(options_, context_.seed()));
    state_.load(saved);
    engine_->load(state_);
    iterations_.resume(history_from(saved, &HistoryRow::training_value), state_.step);
  }

  JointResult run() {
    const Status status =
        iterations_.run([this] { return turn(); }, [this](Status end) { return settled(end); },
                        [this] { return saved(); });
    if (status == Status::kCancelled && !best_when_cancelled_) throw Cancelled();
    return result(status);
  }

 private:
  [[nodiscard]] Index total_steps() const { return options_.epochs * batches_.steps_an_epoch(); }

  /// One step, preceded by the measurement of the previous epoch if it is due.
  std::optional<Status> turn() {
    const Index epochs_done = batches_.epoch_of(state_.step);
    if (iterations_.done() < epochs_done && !measure(epochs_done)) return Status::kNumericalTrouble;
    if (state_.stale_epochs >= options_.patience) return Status::kConverged;
    if (epochs_done >= options_.epochs) return Status::kIterationLimit;
    if (!take_step()) return Status::kNumericalTrouble;
    return std::nullopt;
  }

  std::vector<Index> reconstructed() {
    if (options_.objective.reconstruction == 0) return {};
    Random random =
        context_.random("joint.reconstruction", static_cast<std::uint64_t>(state_.step));
    return random_subset(random, patches_.rows(), std::min(kReconstructed, patches_.rows()));
  }

  bool take_step() {
    const std::vector<Index> chosen = batches_.of_step(state_.step);
    const std::vector<Index> rows = reconstructed();
    const double part = rate_at(schedule_, state_.step, total_steps());
    const JointRates rates = {part * options_.rate, part * options_.classifier_rate,
                              options_.decay};
    const auto epoch = static_cast<std::uint64_t>(batches_.epoch_of(state_.step));
    const std::optional<double> value = engine_->step({chosen, epoch, rows, rates}, state_);
    if (!value) return false;
    state_.loss_sum += *value;
    tell();
    return true;
  }

  void tell() const {
    const Index in_epoch = (state_.step - 1) % batches_.steps_an_epoch() + 1;
    std::string note =
        fmt::format("epoch {} of {}", batches_.epoch_of(state_.step - 1) + 1, options_.epochs);
    if (!state_.held_out_accuracy.empty())
      note += fmt::format(", held-out {:.1f} %", 100 * state_.held_out_accuracy.back());
    context_.report(
        {kName, state_.step, total_steps(), state_.loss_sum / static_cast<double>(in_epoch), note});
  }

  /// At the end of an epoch: measures accuracy and loss on the held-out images and acts on them.
  /// Returns false and changes nothing if they are not finite.
  bool measure(Index epoch) {
    engine_->store(state_);
    const double mean_loss = state_.loss_sum / static_cast<double>(batches_.steps_an_epoch());
    double held_out_loss = mean_loss;
    auto accuracy = static_cast<double>(epoch);  // without early stopping the last epoch is best
    const bool last = epoch == options_.epochs;
    const bool judged = options_.early_stopping || last;
    BatchMoments moments;
    if (last) moments = moments_of(state_.now, static_cast<Index>(split_.train.size()));
    if (judged && !last) moments = moments_of(state_.now, kMomentImages);
    if (!judged && best_when_cancelled_) moments = moments_of(state_.now, kFewMomentImages);
    double held_out = 0;
    const bool tested = judged && !split_.test.empty();
    if (tested) held_out = held_out_accuracy(moments, held_out_loss);
    if (!all_finite(state_.now) || !is_finite(moments) || !std::isfinite(held_out_loss))
      return false;
    if (tested) state_.held_out_accuracy.push_back(held_out);
    if (tested && options_.early_stopping) accuracy = held_out;
    const bool settling = state_.step >= warm_up_steps(total_steps());
    if (settling)
      state_.stale_epochs = accuracy > state_.best_accuracy ? 0 : state_.stale_epochs + 1;
    if (accuracy >= state_.best_accuracy && !moments.mean.empty()) {
      state_.best_accuracy = accuracy;
      state_.best_epoch = epoch;
      state_.best = {state_.now, std::move(moments)};
    }
    state_.loss_sum = 0;
    iterations_.keep({.iteration = epoch,
                      .evaluations = state_.step,
                      .value = held_out_loss,
                      .training_value = mean_loss,
                      .step = options_.rate * rate_at(schedule_, state_.step - 1, total_steps())});
    return true;
  }

  /// Over at most `most` training images.
  BatchMoments moments_of(const JointParameters<float>& at, Index most) {
    std::vector<Index> chosen = split_.train;
    if (static_cast<Index>(chosen.size()) > most) {
      Random random = context_.random("joint.moments");
      chosen = random_subset(random, static_cast<Index>(split_.train.size()), most);
      for (Index& place : chosen) place = split_.train[static_cast<std::size_t>(place)];
    }
    return engine_->moments_of(at, chosen);
  }

  double held_out_accuracy(const BatchMoments& moments, double& loss) {
    double right = 0;
    loss = 0;
    Matrix<float> all = engine_->scores(state_.now, moments, split_.test);
    for_batches(split_.test, options_.batch, [&](Range rows, std::span<const Index> chosen) {
      const auto scores = MatrixView<float>(all).rows_between(rows.begin, rows.end);
      const std::vector<int> labels = values_at(images_.labels(), chosen);
      const auto size = static_cast<double>(chosen.size());
      right += size * accuracy_of(best_classes(scores), labels);
      loss += size * loss_and_derivative<float>(options_.objective.loss, labels, scores);
    });
    const auto count = static_cast<double>(split_.test.size());
    loss /= count;
    return right / count;
  }

  [[nodiscard]] Archive saved() {
    engine_->store(state_);
    Archive archive;
    put_origin(archive, kName, identity_of(options_, context_.seed()));
    put_history(archive, iterations_.history());
    state_.save(archive);
    return archive;
  }

  /// Finishes the training.
  Status settled(Status status) {
    const bool last_is_best = state_.best_epoch == options_.epochs;
    if (state_.best_epoch > 0 && !last_is_best && is_success(status)) {  // from a subset so far
      state_.best.moments =
          moments_of(state_.best.parameters, static_cast<Index>(split_.train.size()));
    }
    if (status == Status::kNumericalTrouble && !options_.early_stopping) {
      state_.best = {start_, {}};  // no epoch was evaluated
      state_.best_epoch = 0;
    }
    return status;
  }

  JointResult result(Status status) {
    JointResult result;
    const JointSnapshot& best = state_.best;
    result.atoms = best.parameters.W;
    result.shapes = encoder_shapes(options_.objective.encoder, best.parameters.shapes);
    if (state_.best_epoch > 0) put_classifier(best, result);
    result.history = iterations_.take_history();
    result.held_out_accuracy = state_.held_out_accuracy;
    result.best_epoch = state_.best_epoch;
    result.status = status;
    if (status == Status::kNumericalTrouble) result.failed_step = state_.step + 1;
    return result;
  }

  static void put_classifier(const JointSnapshot& from, JointResult& result) {
    const Matrix<float>& T = from.parameters.T;
    Matrix<float> weights(T.rows(), T.cols() + 1);
    weights.view().leftCols(T.cols()) = T.view();
    for (Index c = 0; c < T.rows(); ++c) weights(c, T.cols()) = from.parameters.bias(0, c);
    std::vector<float> mean;
    std::vector<float> inverse;
    for (Index j = 0; j < T.cols(); ++j) {
      mean.push_back(static_cast<float>(from.moments.mean[static_cast<std::size_t>(j)]));
      inverse.push_back(static_cast<float>(from.moments.inverse_deviation(j)));
    }
    result.classifier = LinearClassifier(std::move(weights), 0);
    result.standardiser = Standardiser(std::move(mean), std::move(inverse));
  }

  const Context& context_;
  const ImageSet& images_;
  const JointOptions& options_;
  bool best_when_cancelled_;
  ConstMatrixView<float> patches_;
  PatchSource source_;
  std::unique_ptr<JointEngine> engine_;
  Split split_;
  Minibatches batches_;
  Iterations iterations_;
  AdamOptions schedule_;  // a rate of 1, to be multiplied
  JointState state_;
  JointParameters<float> start_;
};

void check_images(const ImageSet& images) {
  const std::vector<int>& labels = images.labels();
  require(!labels.empty(), kName, "the images have no labels");
  const bool one_class =
      std::all_of(labels.begin(), labels.end(), [&](int label) { return label == labels[0]; });
  require(!one_class, kName, "all {} images are of class {} ('{}'); at least 2 classes are needed",
          labels.size(), labels[0], images.class_names()[static_cast<std::size_t>(labels[0])]);
}

}  // namespace

void JointOptions::validate() const {
  features.validate();
  require_derivative(features.pooling);
  objective.validate();
  require_bounds(*this, kName);
  require(folds == 0 || (folds >= 2 && fold >= 0 && fold < folds), kName,
          "fold {} of {} cannot be held out; there must be at least 2, counted from 0", fold,
          folds);
}

std::vector<Index> held_out_images(const Context& context, const ImageSet& images,
                                   const JointOptions& options) {
  return split_of(context, images, options).test;
}

JointResult train_jointly(const Context& context, const ImageSet& images,
                          const Preprocessing& preprocessing, const JointStart& start,
                          const JointOptions& options, ConstMatrixView<float> patches,
                          const JointHooks& hooks, const Archive* state) {
  options.validate();
  options.augmentation.validate(images.shape());
  check_images(images);
  require_not_empty<float>(start.atoms, kName, "the start");
  require_finite<float>(start.atoms, kName, "the start");
  require(start.atoms.cols() == preprocessing.outputs(), kName,
          "atoms of {} values, but the preprocessing gives {}", start.atoms.cols(),
          preprocessing.outputs());
  require(start.shapes.empty() || static_cast<Index>(start.shapes.size()) == start.atoms.rows(),
          kName, "{} shapes for {} atoms", start.shapes.size(), start.atoms.rows());
  require(start.shapes.empty() || options.learn_shapes, kName,
          "the initial atoms have individual shapes; leave learn_shapes on");
  Trainer trainer(context, images, preprocessing, options, patches, hooks);
  trainer.begin(start);
  if (state != nullptr) trainer.resume(*state);
  return trainer.run();
}

}  // namespace krica
