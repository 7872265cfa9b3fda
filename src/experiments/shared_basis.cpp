// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/shared_basis.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

#include "classify/splits.hpp"
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
  train_features_ = basis_.transform(context, *data.train);
  const bool uses_test = std::any_of(configuration.splits.begin(), configuration.splits.end(),
                                     [](const TrialSplit& split) { return split.test.empty(); });
  if (uses_test) test_features_ = basis_.transform(context, *data.test);
  report_.stages.push_back(stage_since("features", start));
}

ClassifierParts SharedBasis::fit(const Context& context, const ImageSet& images,
                                 FeatureMatrix features, PipelineOptions& options,
                                 TrainingReport& report) const {
  if (is_layered(settled_)) {
    TrainingJob job{settled_, {}};
    Checkpoint none(context, {}, settled_, {});
    TrainingRun run{context, job, none, report};
    options = with_layer(settled_, options);
    return fit_dictionary(run, images, std::move(features));
  }
  const auto start = Clock::now();
  const bool standardises = feature_scaling_of(options) == FeatureScaling::kStandardise;
  Standardiser standardiser =
      standardises ? Standardiser::fit(context, std::as_const(features).view()) : Standardiser();
  standardiser.apply_in_place(context, features.view());
  SvmTrainer trainer(context, std::as_const(features).view(), images.labels(), images.classes(),
                     svm_options_of(context, options, std::as_const(features).view()));
  if (!options.classifier.C) {
    report.chosen_c = trainer.choose_c();
    options.classifier.C = report.chosen_c.C;
  }
  LinearClassifier svm = trainer.fit(*options.classifier.C);
  report.stages.push_back(stage_since("svm", start));
  return {std::move(standardiser), std::move(svm)};
}

TestedModel SharedBasis::test(const Context& context, const TrialSplit& split) const {
  const std::vector<Index> places =
      split.train.empty() ? all_places(data_.train->size()) : split.train;
  const ImageSetPtr images = subset(data_.train, places);
  TrainingReport report = report_;
  Model::Parts parts = basis_.parts();
  parts.classifier =
      fit(context, *images, rows_at(context, train_features_, places), parts.options, report);
  parts.class_names = images->class_names();
  FeatureMatrix tested = split.test.empty()
                             ? rows_at(context, *test_features_, all_places(test_features_->rows()))
                             : rows_at(context, train_features_, split.test);
  const Matrix<float> scores = parts.classifier->scores(context, tested);
  return {Model(std::move(parts)), std::move(report), scores};
}

}  // namespace krica
