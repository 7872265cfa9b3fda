// SPDX-License-Identifier: BSD-3-Clause
//
// Training: patches → preprocessing → basis → features → classifier, as one resumable job.
//
// With a checkpoint path, progress is saved there (and features in <path>.features): after any
// interruption, running again with the same options and data resumes training and gives a
// byte-identical model. Both files remain until the caller has saved the model and calls
// remove_checkpoint().
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
  std::int64_t peak_bytes = 0;  ///< peak memory of the process by the end of the stage
};

/// Merges stages of the same name: total time, highest peak.
KRICA_EXPORT std::vector<StageTime> summed(const std::vector<StageTime>& stages);

/// Accuracy on images held out of learning, by which max-margin training chose what to keep.
struct JointComparison {
  double start = 0;            ///< the initial atoms, with an SVM
  Auto<double> svm = {};       ///< the learned atoms, with an SVM; none if ruled out
  double joint = 0;            ///< the learned atoms, with their jointly learned classifier
  std::int64_t images = 0;     ///< number of images; 0: no comparison
  std::string kept = "joint";  ///< "start", "svm" or "joint"
};

struct TrainingReport {
  std::vector<StageTime> stages;
  ChosenC chosen_c;                            ///< the candidates tried, if svm_c was auto
  bool resumed = false;                        ///< a checkpoint was found
  std::vector<double> held_out_accuracy = {};  ///< max-margin-krica: one per epoch
  JointComparison comparison = {};             ///< max-margin-krica
  std::string warning = {};                    ///< a problem during training, if any
};

struct TrainingJob {
  PipelineOptions options;
  std::filesystem::path checkpoint = {};  ///< empty: none
  bool classifier = true;                 ///< false: learn only the basis; labels are not needed
  /// max-margin-krica: start from this model's atoms, patches and kernel. Set by train() if
  /// options.init names a file. With a stream: the model learned so far.
  std::shared_ptr<const Model> start = {};
  /// When cancelled, return what there is instead of throwing: the best atoms so far (basis_status
  /// "cancelled"), and the classifier learned with them, if any. Still throws if there are no atoms
  /// yet.
  bool best_when_cancelled = false;
  /// Learn from these images or samples in one pass of Adam; pass the resulting model as `start` of
  /// the next call to continue with others. `start` fixes the preprocessing and the kernel. A new
  /// stream starts from the atoms of `start`, or from options.init. Only for methods whose basis is
  /// learned by a solver; not with a checkpoint or a classifier.
  AdamStream<float>* stream = nullptr;
  /// The initial atoms, K × the values of a preprocessed patch, if options.init is "given".
  Matrix<float> initial_atoms = {};
};

/// Throws InvalidArgument for options that do not fit the images, missing labels, or a single
/// class. When cancelled, writes the checkpoint and throws Cancelled. For a checkpoint of another
/// job, throws InvalidArgument naming the options that differ; for one of other data, DataError.
KRICA_EXPORT Model train(const Context& context, const ImageSet& images, const TrainingJob& job,
                         TrainingReport* report = nullptr);

/// Removes the files that training saved at `path`, if any.
KRICA_EXPORT void remove_checkpoint(const std::filesystem::path& path);

}  // namespace krica
