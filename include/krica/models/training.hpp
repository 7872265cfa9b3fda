// SPDX-License-Identifier: BSD-3-Clause
//
// Training: patches → preprocessing → basis → features → classifier, as one resumable job.
//
// With a checkpoint path, what is done is kept there (and the features beside it, in
// <path>.features): a run that is interrupted in any way, and started again with the same options
// and data, goes on where it was and ends with the same model to the byte. Both files stay until
// the caller, who has saved the model, calls remove_checkpoint().
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "krica/classify/linear_classifier.hpp"
#include "krica/models/model.hpp"
#include "krica/runtime/library.hpp"
#include "krica/solvers/adam.hpp"

namespace krica {

struct StageTime {
  std::string stage;
  double seconds = 0;
  std::int64_t peak_bytes = 0;  ///< the process's peak by the end of the stage
};

/// Stages of the same name as one: times added up, the higher peak.
KRICA_EXPORT std::vector<StageTime> summed(const std::vector<StageTime>& stages);

/// Accuracy on images that took no part in learning, by which max-margin training chose what to
/// keep.
struct JointComparison {
  double start = 0;            ///< the first atoms, with an SVM
  Auto<double> svm = {};       ///< the learned atoms, with an SVM; none where that was ruled out
  double joint = 0;            ///< the learned atoms, with the classifier learned with them
  std::int64_t images = 0;     ///< how many images; 0: nothing was compared
  std::string kept = "joint";  ///< "start", "svm" or "joint"
};

struct TrainingReport {
  std::vector<StageTime> stages;
  ChosenC chosen_c;                            ///< what was tried, where svm_c was auto
  bool resumed = false;                        ///< a checkpoint was found
  std::vector<double> held_out_accuracy = {};  ///< max-margin-krica: one an epoch
  JointComparison comparison = {};             ///< max-margin-krica
  std::string warning = {};                    ///< what went wrong on the way, if anything
};

struct TrainingJob {
  PipelineOptions options;
  std::filesystem::path checkpoint = {};  ///< empty: none
  bool classifier = true;                 ///< false: the basis only; labels are not needed
  /// max-margin-krica: begin with this model's atoms, patches and kernel. Set by train() where
  /// options.init names a file. With a stream: what was learned so far.
  std::shared_ptr<const Model> start = {};
  /// Where cancelled, return what there is instead of throwing: the best atoms so far (basis_status
  /// "cancelled"), and the classifier that was learned with them, if any. Throws all the same where
  /// there are no atoms yet.
  bool best_when_cancelled = false;
  /// Learn from these images or samples in one pass of Adam and go on with others in the next call,
  /// with the model of this one as `start`: it fixes the preprocessing and the kernel. A stream
  /// that has not begun goes out from the start's atoms, or from options.init. For methods whose
  /// basis is minimised by a solver; not with a checkpoint or a classifier.
  AdamStream<float>* stream = nullptr;
  /// The first atoms, K × the values of a preprocessed patch, for options.init "given".
  Matrix<float> initial_atoms = {};
};

/// Throws InvalidArgument for options that do not fit the images, no labels, or one class;
/// Cancelled after the checkpoint is written; InvalidArgument naming the options for a checkpoint
/// of another job, DataError for one of other data.
KRICA_EXPORT Model train(const Context& context, const ImageSet& images, const TrainingJob& job,
                         TrainingReport* report = nullptr);

/// Removes the files that a training job kept at `path`, if any.
KRICA_EXPORT void remove_checkpoint(const std::filesystem::path& path);

}  // namespace krica
