// SPDX-License-Identifier: BSD-3-Clause
#include "krica/joint/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "joint/image_batch.hpp"
#include "joint/training_state.hpp"
#include "krica/classify/splits.hpp"
#include "krica/data/views.hpp"
#include "krica/solvers/adam.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";
constexpr Index kReconstructed = 1024;   // patches of the reconstruction term in a step
constexpr Index kMomentImages = 2000;    // for the moments in the middle of training
constexpr Index kFewMomentImages = 500;  // where they only serve if training is cancelled

std::string described(const JointOptions& o, std::uint64_t seed) {
  const JointObjectiveOptions& f = o.objective;
  const Kernel& kernel = f.encoder.kernel;
  // What was added later is told only where it differs: older states stay readable.
  std::string later;
  if (f.encoder.kind != EncoderKind::kKernel)
    later += fmt::format(" encoder={} threshold={}", name_of(f.encoder.kind), f.encoder.threshold);
  if (o.folds > 0) later += fmt::format(" fold={}/{}", o.fold, o.folds);
  if (!o.early_stopping) later += " early_stopping=false";
  return fmt::format(
      "kernel={} gamma={} degree={} scale={} field={} stride={} grid={}x{} overlap={} power={} "
      "loss={} reconstruction={} sparsity={} epsilon={} learn_gamma={} flips={} crops={} epochs={} "
      "batch={} rate={} classifier_rate={} decay={} held_out={} held_out_limit={} patience={} "
      "seed={}{}",
      name_of(kernel.kind), kernel.gamma, kernel.degree, kernel.scale, f.features.receptive_field,
      f.features.stride, f.features.pool_rows, f.features.pool_cols, f.features.pool_overlap,
      f.features.pool_power, name_of(f.loss), f.reconstruction, f.sparsity, f.epsilon,
      o.learn_shapes, o.augmentation.flips, o.augmentation.crops, o.epochs, o.batch, o.rate,
      o.classifier_rate, o.decay, o.held_out, o.held_out_limit, o.patience, seed, later);
}

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

/// Of atoms without a shape of their own.
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
        hooks_(hooks),
        patches_(patches),
        objective_(context, options.objective, images.shape(), patches),
        batch_(images, preprocessing, objective_.grid(), options.objective.features),
        split_(split_of(context, images, options)) {
    const auto available = static_cast<Index>(split_.train.size());
    require(options.batch <= available, kName,
            "a batch of {} is larger than the {} images that are not held out; give a smaller "
            "batch",
            options.batch, available);
    steps_an_epoch_ = available / options.batch;  // the rest is left to the next epoch's shuffle
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
    at.T =
        Matrix<float>(images_.classes(), objective_.grid().cells() * channels_of(encoder.kind, K));
    at.bias = Matrix<float>(1, images_.classes());
    const std::vector<double> constant =
        best_constant_scores(options_.objective.loss, images_.labels(), images_.classes());
    for (Index c = 0; c < at.bias.cols(); ++c)
      at.bias(0, c) = static_cast<float>(constant[static_cast<std::size_t>(c)]);
    state_.best.parameters = at;
    start_ = at;
    state_.first = at.zeros();
    state_.second = at.zeros();
    gradient_ = at.zeros();
  }

  void resume(const Archive& saved) {
    check_origin(saved, kName, described(options_, context_.seed()));
    state_.load(saved);
  }

  JointResult run() {
    try {
      while (true) {
        const Index epochs_done = state_.step / steps_an_epoch_;
        const bool measured = static_cast<Index>(state_.history.size()) >= epochs_done;
        if (!measured && !measure(epochs_done)) return finish(Status::kNumericalTrouble);
        if (state_.stale_epochs >= options_.patience) return finish(Status::kConverged);
        if (epochs_done >= options_.epochs) return finish(Status::kIterationLimit);
        if (!take_step()) return finish(Status::kNumericalTrouble);
        if (hooks_.checkpoint && hooks_.checkpoint_due && hooks_.checkpoint_due())
          hooks_.checkpoint(saved());
      }
    } catch (const Cancelled&) {
      if (hooks_.checkpoint) hooks_.checkpoint(saved());  // the unfinished step is dropped
      if (!hooks_.best_when_cancelled) throw;
      return finish(Status::kCancelled);
    }
  }

 private:
  [[nodiscard]] Index total_steps() const { return options_.epochs * steps_an_epoch_; }

  std::vector<Index> next_batch() {
    const Index epoch = state_.step / steps_an_epoch_;
    if (epoch != shuffled_epoch_) {
      Random random = context_.random("joint.shuffle", static_cast<std::uint64_t>(epoch));
      order_ = random_permutation(random, static_cast<Index>(split_.train.size()));
      shuffled_epoch_ = epoch;
    }
    const Index first = (state_.step % steps_an_epoch_) * options_.batch;
    std::vector<Index> chosen;
    for (Index i = first; i < first + options_.batch; ++i) {
      const Index place = order_[static_cast<std::size_t>(i)];
      chosen.push_back(split_.train[static_cast<std::size_t>(place)]);
    }
    return chosen;
  }

  std::vector<Index> reconstructed() {
    if (options_.objective.reconstruction == 0) return {};
    Random random =
        context_.random("joint.reconstruction", static_cast<std::uint64_t>(state_.step));
    return random_subset(random, patches_.rows(), std::min(kReconstructed, patches_.rows()));
  }

  bool take_step() {
    const std::vector<Index> chosen = next_batch();
    const auto epoch = static_cast<std::uint64_t>(state_.step / steps_an_epoch_);
    batch_.load(context_, chosen, options_.augmentation, epoch);
    const std::vector<int> labels = values_at(images_.labels(), chosen);
    const std::vector<Index> rows = reconstructed();
    BatchMoments moments;
    const double value =
        objective_.value_and_gradient({batch_, labels, rows}, state_.now, gradient_, moments);
    if (!std::isfinite(value) || !all_finite(gradient_)) return false;
    const double part = rate_at(schedule_, state_.step, total_steps());
    adam_step(gradient_, {part * options_.rate, part * options_.classifier_rate, options_.decay},
              state_);
    state_.loss_sum += value;
    tell();
    return true;
  }

  void tell() const {
    const Index in_epoch = (state_.step - 1) % steps_an_epoch_ + 1;
    const std::string note =
        state_.held_out_accuracy.empty()
            ? fmt::format("epoch {} of {}", (state_.step - 1) / steps_an_epoch_ + 1,
                          options_.epochs)
            : fmt::format("epoch {} of {}, held-out {:.1f} %",
                          (state_.step - 1) / steps_an_epoch_ + 1, options_.epochs,
                          100 * state_.held_out_accuracy.back());
    context_.report(
        {kName, state_.step, total_steps(), state_.loss_sum / static_cast<double>(in_epoch), note});
  }

  /// At the end of an epoch: accuracy and loss on the held-out images, and what follows from them.
  /// False, and nothing changed, where they are not finite.
  bool measure(Index epoch) {
    const double mean_loss = state_.loss_sum / static_cast<double>(steps_an_epoch_);
    double held_out_loss = mean_loss;
    auto accuracy = static_cast<double>(epoch);  // without early stopping the last is best
    const bool last = epoch == options_.epochs;
    const bool judged = options_.early_stopping || last;
    BatchMoments moments;
    if (last) moments = moments_of(state_.now, static_cast<Index>(split_.train.size()));
    if (judged && !last) moments = moments_of(state_.now, kMomentImages);
    if (!judged && hooks_.best_when_cancelled) moments = moments_of(state_.now, kFewMomentImages);
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
    const double rate = options_.rate * rate_at(schedule_, state_.step - 1, total_steps());
    state_.history.push_back({epoch, state_.step, held_out_loss, mean_loss, rate});
    state_.loss_sum = 0;
    return true;
  }

  /// Calls body with one batch of the chosen images after the other, unchanged.
  template <class Body>
  void for_batches(std::span<const Index> images, Body body) {
    const Partition rounds(static_cast<Index>(images.size()), options_.batch);
    for (Index r = 0; r < rounds.count(); ++r) {
      const auto chosen = images.subspan(static_cast<std::size_t>(rounds[r].begin),
                                         static_cast<std::size_t>(rounds[r].size()));
      batch_.load(context_, chosen);
      body(chosen);
    }
  }

  /// Over at most so many training images.
  BatchMoments moments_of(const JointParameters<float>& at, Index most) {
    std::vector<Index> chosen = split_.train;
    if (static_cast<Index>(chosen.size()) > most) {
      Random random = context_.random("joint.moments");
      chosen = random_subset(random, static_cast<Index>(split_.train.size()), most);
      for (Index& place : chosen) place = split_.train[static_cast<std::size_t>(place)];
    }
    MomentSums sums;
    for_batches(chosen, [&](std::span<const Index>) {
      sums.add<float>(context_, objective_.features(batch_, at));
    });
    return sums.moments();
  }

  double held_out_accuracy(const BatchMoments& moments, double& loss) {
    double right = 0;
    loss = 0;
    for_batches(split_.test, [&](std::span<const Index> chosen) {
      Matrix<float> scores = objective_.scores(batch_, state_.now, moments);
      const std::vector<int> labels = values_at(images_.labels(), chosen);
      const auto size = static_cast<double>(chosen.size());
      right += size * accuracy_of(best_classes(scores), labels);
      loss += size * loss_and_derivative<float>(options_.objective.loss, labels, scores);
    });
    const auto count = static_cast<double>(split_.test.size());
    loss /= count;
    return right / count;
  }

  [[nodiscard]] Archive saved() const {
    Archive archive;
    put_origin(archive, kName, described(options_, context_.seed()));
    state_.save(archive);
    return archive;
  }

  JointResult finish(Status status) {
    const bool last_is_best = state_.best_epoch == options_.epochs;
    if (state_.best_epoch > 0 && !last_is_best && is_success(status))  // so far of some images
      state_.best.moments =
          moments_of(state_.best.parameters, static_cast<Index>(split_.train.size()));
    if (status == Status::kNumericalTrouble && !options_.early_stopping) {
      state_.best = {start_, {}};  // no epoch was judged
      state_.best_epoch = 0;
    }
    JointResult result;
    const JointSnapshot& best = state_.best;
    result.atoms = best.parameters.W;
    result.shapes = encoder_shapes(options_.objective.encoder, best.parameters.shapes);
    if (state_.best_epoch > 0) put_classifier(best, result);
    result.history = state_.history;
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
    result.classifier = LinearSvm(std::move(weights), 0);
    result.standardiser = Standardiser(std::move(mean), std::move(inverse));
  }

  const Context& context_;
  const ImageSet& images_;
  const JointOptions& options_;
  const JointHooks& hooks_;
  ConstMatrixView<float> patches_;
  JointObjective<float> objective_;
  ImageBatch batch_;
  Split split_;
  AdamOptions schedule_;  // a rate of 1, to be multiplied
  Index steps_an_epoch_ = 1;
  JointState state_;
  JointParameters<float> start_;
  JointParameters<float> gradient_;
  std::vector<Index> order_;  // of the training images in shuffled_epoch_
  Index shuffled_epoch_ = -1;
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
  objective.validate();
  require(epochs >= 1, kName, "epochs must be >= 1, got {}", epochs);
  require(batch >= 2, kName, "batch must be >= 2, got {}", batch);
  require(std::isfinite(rate) && rate > 0, kName, "rate must be finite and > 0, got {}", rate);
  require(std::isfinite(classifier_rate) && classifier_rate > 0, kName,
          "classifier_rate must be finite and > 0, got {}", classifier_rate);
  require(std::isfinite(decay) && decay >= 0, kName, "decay must be finite and >= 0, got {}",
          decay);
  require(held_out >= 0 && held_out < 1, kName, "held_out must be in [0, 1), got {}", held_out);
  require(held_out_limit >= 1, kName, "held_out_limit must be >= 1, got {}", held_out_limit);
  require(folds == 0 || (folds >= 2 && fold >= 0 && fold < folds), kName,
          "fold {} of {} cannot be held out; there must be at least 2, counted from 0", fold,
          folds);
  require(patience >= 1, kName, "patience must be >= 1, got {}", patience);
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
  const Index field = options.objective.features.receptive_field;
  require(preprocessing.inputs() == field * field * images.shape().channels, kName,
          "patches of {} x {} with {} channel(s) where the preprocessing expects {} values", field,
          field, images.shape().channels, preprocessing.inputs());
  require_not_empty<float>(start.atoms, kName, "the start");
  require_finite<float>(start.atoms, kName, "the start");
  require(start.atoms.cols() == preprocessing.outputs(), kName,
          "atoms of {} values where the preprocessing gives {}", start.atoms.cols(),
          preprocessing.outputs());
  require(start.shapes.empty() || static_cast<Index>(start.shapes.size()) == start.atoms.rows(),
          kName, "{} shapes for {} atoms", start.shapes.size(), start.atoms.rows());
  require(start.shapes.empty() || options.learn_shapes, kName,
          "every atom of the start has a shape of its own; leave learn_shapes on");
  Trainer trainer(context, images, preprocessing, options, patches, hooks);
  trainer.begin(start);
  if (state != nullptr) trainer.resume(*state);
  return trainer.run();
}

}  // namespace krica
