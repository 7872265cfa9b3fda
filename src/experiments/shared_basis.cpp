// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/shared_basis.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

#include "classify/splits.hpp"
#include "data/mirrored.hpp"
#include "models/classifier_stage.hpp"
#include "models/dictionary_stage.hpp"
#include "models/layers.hpp"
#include "models/method_defaults.hpp"
#include "runtime/memory.hpp"

namespace krica {
namespace {

using Clock = std::chrono::steady_clock;

StageTime stage_since(const char* name, Clock::time_point start) {
  return {name, std::chrono::duration<double>(Clock::now() - start).count(), peak_memory()};
}

FeatureMatrix rows_at(const Context& context, const FeatureMatrix& features,
                      const std::vector<Index>& places) {
  FeatureMatrix chosen(context, static_cast<Index>(places.size()), features.cols());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const float* row = features.view().data() + places[i] * features.cols();
    std::copy_n(row, features.cols(), chosen.row(static_cast<Index>(i)));
  }
  return chosen;
}

std::vector<Index> all_places(Index size) {
  std::vector<Index> places(static_cast<std::size_t>(size));
  std::iota(places.begin(), places.end(), Index{0});
  return places;
}

/// The rows of the mirror images.
std::vector<Index> moved(std::vector<Index> places, Index by) {
  for (Index& place : places) place += by;
  return places;
}

}  // namespace

SharedBasis::SharedBasis(const Context& context, const DataSet& data,
                         const Configuration& configuration,
                         const std::filesystem::path& checkpoint)
    : data_(data),
      settled_(resolved(configuration.options, facts_of(*data.train, true))),
      basis_(train(
          context, data.unlabelled ? *data.unlabelled : *data.train,
          {is_layered(settled_) ? layer_of(settled_) : configuration.options, checkpoint, false},
          &report_)),
      train_features_(context, 0, 0) {
  const auto start = Clock::now();
  mirrors_ = trains_on_mirrors(basis_.options()) || basis_.options().classifier.test_flips;
  train_features_ = extracted(context, *data.train);
  const bool uses_test = std::any_of(configuration.splits.begin(), configuration.splits.end(),
                                     [](const TrialSplit& split) { return split.test.empty(); });
  if (uses_test) test_features_ = extracted(context, *data.test);
  report_.stages.push_back(stage_since("features", start));
}

FeatureMatrix SharedBasis::extracted(const Context& context, const ImageSet& images) const {
  return mirrors_ ? basis_.transform(context, WithMirrors(images))
                  : basis_.transform(context, images);
}

ClassifierParts SharedBasis::fit(const Context& context, const ImageSet& images,
                                 FeatureMatrix features, Model::Parts& parts,
                                 TrainingReport& report) const {
  PipelineOptions& options = parts.options;
  if (is_layered(settled_)) {
    TrainingJob job{settled_, {}};
    Checkpoint none(context, {}, settled_, {});
    TrainingRun run{context, job, none, report};
    options = with_layer(settled_, options);
    return fit_dictionary(run, images, std::move(features), parts);
  }
  const auto start = Clock::now();
  std::vector<int> labels = images.labels();
  if (trains_on_mirrors(options))
    labels.insert(labels.end(), images.labels().begin(), images.labels().end());
  const bool standardises = feature_scaling_of(options) == FeatureScaling::kStandardise;
  Standardiser standardiser =
      standardises ? Standardiser::fit(context, std::as_const(features).view()) : Standardiser();
  standardiser.apply_in_place(context, features.view());
  SvmTrainer trainer(context, std::as_const(features).view(), labels, images.classes(),
                     svm_options_of(context, options, std::as_const(features).view()));
  hold_out_pairs(context, labels, options, trainer);
  if (!options.classifier.C) {
    report.chosen_c = trainer.choose_c();
    options.classifier.C = report.chosen_c.C;
  }
  LinearClassifier svm = trainer.fit(*options.classifier.C);
  report.stages.push_back(stage_since("svm", start));
  return {std::move(standardiser), std::move(svm)};
}

TestedModel SharedBasis::test(const Context& context, const TrialSplit& split) const {
  std::vector<Index> places = split.train.empty() ? all_places(data_.train->size()) : split.train;
  const ImageSetPtr images = subset(data_.train, places);
  Model::Parts parts = basis_.parts();
  if (trains_on_mirrors(parts.options)) {
    const std::vector<Index> mirrors = moved(places, data_.train->size());
    places.insert(places.end(), mirrors.begin(), mirrors.end());
  }
  TrainingReport report = report_;
  parts.classifier =
      fit(context, *images, rows_at(context, train_features_, places), parts, report);
  parts.class_names = images->class_names();
  Matrix<float> scores = test_scores(context, split, *parts.classifier);
  return {Model(std::move(parts)), std::move(report), std::move(scores)};
}

Matrix<float> SharedBasis::test_scores(const Context& context, const TrialSplit& split,
                                       const ClassifierParts& classifier) const {
  const FeatureMatrix& all = split.test.empty() ? *test_features_ : train_features_;
  const Index images = mirrors_ ? all.rows() / 2 : all.rows();
  const std::vector<Index> places = split.test.empty() ? all_places(images) : split.test;
  FeatureMatrix tested = rows_at(context, all, places);
  Matrix<float> scores = classifier.scores(context, tested);
  if (!basis_.options().classifier.test_flips) return scores;
  FeatureMatrix mirrored = rows_at(context, all, moved(places, images));
  const Matrix<float> others = classifier.scores(context, mirrored);
  scores.view() = (scores.view() + others.view()) / 2;  // as Model::scores
  return scores;
}

}  // namespace krica
