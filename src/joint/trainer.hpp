// SPDX-License-Identifier: BSD-3-Clause
//
// Training of max-margin kRICA (objective.hpp) from labelled images: Adam with a one-cycle rate on
// minibatches of images.
//
// Kingma and Ba, "Adam", ICLR 2015; weight decay on the classifier only, decoupled as in Loshchilov
// and Hutter, "Decoupled Weight Decay Regularization", ICLR 2019; one-cycle rate: Smith,
// "Super-Convergence", 2018. A fraction of each class is held out; after every epoch the accuracy
// on it is measured, with the moments of the current atoms over training images. The best
// parameters are kept (the later ones on ties), and training stops after `patience` epochs without
// improvement, counted from the end of the rate's warm-up. Without early stopping it runs to the
// end and keeps the last parameters. The order and augmentation of the images depend only on the
// seed, the epoch and the image. A run that is cancelled or killed and resumed from its last state
// gives the same bits. Steps and measurements run on the context's device (engine.hpp).
#pragma once

#include <optional>
#include <vector>

#include "classify/standardiser.hpp"
#include "joint/augmentation.hpp"
#include "joint/objective.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/solvers/solver.hpp"
#include "patches/preprocessing.hpp"

namespace krica {

struct JointOptions {
  FeatureOptions features = {};  ///< codes must be summed or averaged
  JointObjectiveOptions objective = {};
  bool learn_shapes = true;  ///< one per atom; no effect for codes without shapes
  Augmentation augmentation = {};
  Index epochs = 10;              ///< maximum, >= 1; determines the rate
  Index batch = 128;              ///< images per step, >= 2
  double rate = 3e-3;             ///< peak rate of W and its shapes; > 0
  double classifier_rate = 1e-3;  ///< peak rate of T and the bias; > 0
  double decay = kLearnedDecay;   ///< of T: each step subtracts rate · decay · T; >= 0
  double held_out = 0.1;          ///< fraction of each class, in [0, 1); 0: none
  Index held_out_limit = 2000;    ///< images, >= 1
  Index folds = 0;                ///< > 0: hold out fold number `fold` of this many instead
  Index fold = 0;                 ///< 0 ... folds - 1
  bool early_stopping = true;     ///< false: run all epochs and keep the last
  Index patience = 5;             ///< epochs, >= 1

  void validate() const;
};

/// The starting point of training.
struct JointStart {
  Matrix<float> atoms;        ///< K × n
  std::vector<float> shapes;  ///< one per atom, or empty for the encoder's
};

/// `iteration` is called after every epoch, checkpoint_due after every step.
struct JointHooks : SolverHooks {
  /// When cancelled, return the best parameters so far with Status::kCancelled instead of throwing.
  bool best_when_cancelled = false;
};

struct JointResult {
  Matrix<float> atoms;
  std::vector<float> shapes;  ///< empty if not learned
  /// The classifier with the moments of the training images; none if no epoch was finished.
  std::optional<Standardiser> standardiser;
  std::optional<LinearClassifier> classifier;
  /// One row per epoch: value is the held-out loss, or training_value if nothing was measured;
  /// training_value is the mean over the steps.
  std::vector<HistoryRow> history;
  /// One per epoch, or only the last without early stopping; empty without held-out images.
  std::vector<double> held_out_accuracy;
  Index best_epoch = 0;  ///< the epoch of these parameters; 0: the start
  /// kIterationLimit, kConverged (stopped early), or kNumericalTrouble: the loss or its gradient
  /// was not finite at `failed_step`. The parameters are then the best so far, or the start without
  /// early stopping.
  Status status = Status::kIterationLimit;
  Index failed_step = -1;
};

/// The images that train_jointly holds out: none if options.held_out is 0.
std::vector<Index> held_out_images(const Context& context, const ImageSet& images,
                                   const JointOptions& options);

/// Trains on labelled images with the given preprocessing and start. `patches` (preprocessed) are
/// the samples of the reconstruction term, 1024 drawn at every step; required if
/// objective.reconstruction > 0.
///
/// Throws InvalidArgument for invalid options, labels of a single class, a batch larger than the
/// number of images not held out, and mismatched parts. When cancelled, passes its state to
/// hooks.checkpoint and throws Cancelled. `state`: such a state, to resume from; options and seed
/// must be the same.
JointResult train_jointly(const Context& context, const ImageSet& images,
                          const Preprocessing& preprocessing, const JointStart& start,
                          const JointOptions& options,
                          ConstMatrixView<float> patches = {nullptr, 0, 0},
                          const JointHooks& hooks = {}, const Archive* state = nullptr);

}  // namespace krica
