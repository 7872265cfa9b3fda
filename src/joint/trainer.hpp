// SPDX-License-Identifier: BSD-3-Clause
//
// Training of max-margin kRICA (objective.hpp) from labelled images: Adam with a one-cycle rate on
// minibatches of images.
//
// Kingma and Ba, "Adam", ICLR 2015; weight decay on the classifier alone, decoupled as in
// Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR 2019; one-cycle rate: Smith,
// "Super-Convergence", 2018. A part of each class is held out; after every epoch its accuracy is
// measured, with the moments of the current atoms over training images; the best parameters are
// kept (the later of equals), and training stops after `patience` epochs without a better one,
// counted from the end of the rising rate on. Or it runs to its end and keeps that. Order and
// changes of the images follow from the seed, the epoch and the image alone. A run that is
// cancelled or killed and resumed from its last state ends with the same bits.
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
  FeatureOptions features = {};  ///< codes summed or averaged
  JointObjectiveOptions objective = {};
  bool learn_shapes = true;  ///< one an atom; without effect for codes that have none
  Augmentation augmentation = {};
  Index epochs = 10;              ///< at most, >= 1; shapes the rate
  Index batch = 128;              ///< images a step, >= 2
  double rate = 3e-3;             ///< highest, of W and its shapes; > 0
  double classifier_rate = 1e-3;  ///< highest, of T and the bias; > 0
  double decay = kLearnedDecay;   ///< of T: each step takes rate · decay · T away; >= 0
  double held_out = 0.1;          ///< part of each class, in [0, 1); 0: none
  Index held_out_limit = 2000;    ///< images, >= 1
  Index folds = 0;                ///< > 0: fold number `fold` of so many is held out instead
  Index fold = 0;                 ///< 0 ... folds - 1
  bool early_stopping = true;     ///< false: all epochs are run, and the last is kept
  Index patience = 5;             ///< epochs, >= 1

  void validate() const;
};

/// Where training begins.
struct JointStart {
  Matrix<float> atoms;        ///< K × n
  std::vector<float> shapes;  ///< one an atom, or none for the encoder's
};

/// `iteration` is called after every epoch, checkpoint_due after every step.
struct JointHooks : SolverHooks {
  /// Where cancelled, give the best parameters so far with Status::kCancelled instead of throwing.
  bool best_when_cancelled = false;
};

struct JointResult {
  Matrix<float> atoms;
  std::vector<float> shapes;  ///< empty where they were not learned
  /// The classifier with the moments of the training images; none where no epoch was finished.
  std::optional<Standardiser> standardiser;
  std::optional<LinearClassifier> classifier;
  /// A row an epoch: value is the held-out loss, training_value the mean of the steps', which is
  /// the value as well where nothing was measured.
  std::vector<HistoryRow> history;
  /// One an epoch, or of the last alone without early stopping; empty without held-out images.
  std::vector<double> held_out_accuracy;
  Index best_epoch = 0;  ///< whose parameters these are; 0: the start
  /// kIterationLimit, kConverged (stopped early), or kNumericalTrouble: the loss or its gradient
  /// was not finite at `failed_step`, and the best parameters so far are returned; the start where
  /// there was no early stopping.
  Status status = Status::kIterationLimit;
  Index failed_step = -1;
};

/// The images that train_jointly does not learn from: none where options.held_out is 0.
std::vector<Index> held_out_images(const Context& context, const ImageSet& images,
                                   const JointOptions& options);

/// The images and their labels, the preprocessing their patches go through, and where to begin.
/// `patches` (preprocessed) are what the reconstruction term is taken over, 1024 drawn at every
/// step; needed where objective.reconstruction > 0.
///
/// Throws InvalidArgument for bad options, labels of one class, a batch larger than the images that
/// are not held out, and parts that do not fit; Cancelled after hooks.checkpoint was given the
/// state. `state`: as given to hooks.checkpoint, to go on from there; options and seed must be the
/// same.
JointResult train_jointly(const Context& context, const ImageSet& images,
                          const Preprocessing& preprocessing, const JointStart& start,
                          const JointOptions& options,
                          ConstMatrixView<float> patches = {nullptr, 0, 0},
                          const JointHooks& hooks = {}, const Archive* state = nullptr);

}  // namespace krica
