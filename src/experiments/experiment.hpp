// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's tables and figures as experiments: each plans its configurations from the data and
// the request, and run_experiment() (runner.hpp) computes the missing ones.
//
//   const Experiment& stl10 = experiment("stl10");
//   ExperimentData data = open_experiment_data(context, stl10, request);
//   Plan plan = stl10.plan(context, request, data);
#pragma once

#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "krica/data/dataset.hpp"
#include "krica/models/options.hpp"

namespace krica {

enum class ExperimentSize {
  kSmoke,  ///< "smoke": seconds, to check that it runs
  kQuick,  ///< "quick": a minute or less, at least 1,000 images and 100 atoms
  kFull,   ///< "full": the paper's images, numbers of atoms and repetitions
};
std::string_view name_of(ExperimentSize size);
ExperimentSize experiment_size(std::string_view name);

struct ExperimentRequest {
  ExperimentSize size = ExperimentSize::kFull;
  std::filesystem::path data = {};  ///< "embedded" or empty: the built-in images
  Index components = 0;             ///< 0: the experiment's default
  Index image_size = 0;             ///< 0: the experiment's default
  int rounds = 0;                   ///< splits, folds or seeds; 0: the experiment's default
  std::uint64_t seed = 0;
  bool as_printed = false;  ///< the paper's settings instead of this library's (printed.hpp)
};

/// The images of an experiment, with notes on them.
struct ExperimentData {
  DataSet set;
  /// The same images in their own sizes, for systems that use SIFT; empty: as in `set`.
  DataSet photographs = {};
  std::string name;  ///< for the rows: the data, with a fingerprint of some of the images
  std::vector<std::string> notes = {};  ///< differences from the paper's data
  bool part = false;                    ///< a subset of the images
};

/// The training and test images of a trial, as indices into the training part.
struct TrialSplit {
  std::string name;  ///< "fold 3"
  std::uint64_t seed = 0;
  std::vector<Index> train = {};  ///< empty: all training images
  std::vector<Index> test = {};   ///< empty: the data set's own test part
};

/// One system under one set of options, on all splits.
struct Configuration {
  std::string group = {};         ///< title of its table; empty if there is only one
  std::string paper_group = {};   ///< the table's name in the paper's figures (paper.hpp)
  std::string system;             ///< as in the paper's table
  std::string paper_system = {};  ///< the paper's name of a variant; empty: as `system`
  PipelineOptions options;
  std::vector<TrialSplit> splits;
  double value = std::numeric_limits<double>::quiet_NaN();  ///< of the swept option
  bool control = false;  ///< the random patches that learned bases must beat
  /// Learned once, without labels, for all splits; only the SVM differs.
  bool shared_basis = false;
  bool photographs = false;  ///< on images in their own sizes
  bool chosen = true;        ///< false: not to be computed; its rows are shown if there are any
  std::string note = {};     ///< differences from the paper
};

/// The images that a configuration uses.
const DataSet& images_for(const ExperimentData& data, const Configuration& configuration);

enum class ExperimentKind { kTable, kSweep, kSimilarity };

struct Plan {
  std::vector<Configuration> configurations;
  std::vector<std::string> notes = {};
  std::string axis = {};          ///< sweep: the swept option, with its symbol
  bool logarithmic = true;        ///< sweep: whether the axis is logarithmic
  std::vector<Index> shown = {};  ///< similarity: indices into the test part, class by class
  bool mean_per_class = false;    ///< accuracy is the mean over classes
  bool as_printed = false;
};

struct Experiment {
  std::string_view name;
  std::string_view title;
  std::string_view summary;  ///< one line for help
  ExperimentKind kind;
  std::string_view data;  ///< the set's name in `krica data get`; empty: any images
  Plan (*plan)(const Context&, const ExperimentRequest&, const ExperimentData&);

  /// Those of the paper have data of their own.
  [[nodiscard]] bool in_paper() const { return !data.empty(); }
};

/// All experiments: the paper's, in its order, then others.
std::span<const Experiment> experiments();
/// Throws InvalidArgument listing the known names.
const Experiment& experiment(std::string_view name);

/// Opens request.data, or, if the experiment has a set of its own, the set with the experiment's
/// name in that directory. For a different or incomplete set, throws DataError saying what was
/// expected and what was found.
ExperimentData open_experiment_data(const Context& context, const Experiment& experiment,
                                    const ExperimentRequest& request);

}  // namespace krica
