// SPDX-License-Identifier: BSD-3-Clause
#include "models/classifier_stage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "classify/calibration.hpp"
#include "classify/sample_span.hpp"
#include "krica/classify/linear_classifier.hpp"
#include "krica/runtime/error.hpp"
#include "models/layers.hpp"
#include "models/method_defaults.hpp"
#include "models/model_parts.hpp"
#include "models/parts.hpp"
#include "models/raw_pixels.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

const std::string kSearch = "svm_search";
const std::string kCalibration = "temperature";
const std::string kFit = "svm";
constexpr double kHeldOutPart = 0.2;  // as SvmTrainer's own choice

/// The number of images whose features are stored: none if their file is lost, whatever the
/// checkpoint says.
Index kept_features(const Checkpoint& checkpoint, Index images, Index features) {
  const Index done = checkpoint.features_done();
  if (done < 0 || done > images) {
    throw DataError(fmt::format("[checkpoint] features_done is {}, of {} images; remove the file",
                                done, images));
  }
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(checkpoint.features_path(), missing);
  const auto wanted = static_cast<std::uintmax_t>(images * features) * sizeof(float);
  return !missing && bytes == wanted ? done : 0;
}

/// Extracts the features from image number `first` on; the checkpoint counts them only once the
/// file has them.
void extract_rest(TrainingRun& run, const ImageFeatures& extractor, const ImageSet& input,
                  Index first, FeatureMatrix& features) {
  const auto keep = [&](Index done) {
    features.sync();
    run.checkpoint.store_features_done(done);
  };
  extractor.extract(run.context, input, first, features, [&](Index done) {
    if (run.checkpoint.due()) keep(done);
  });
  keep(input.size());
}

/// A classifier could not tell such images apart, whatever the scaling. A difference below the
/// normal numbers of float32 has lost most of its digits.
void require_differences(ConstMatrixView<float> pixels, const ImageShape& shape) {
  for (Index i = 1; i < pixels.rows(); ++i) {
    for (Index j = 0; j < pixels.cols(); ++j) {
      if (std::isnormal(pixels(i, j) - pixels(0, j))) return;
    }
  }
  throw InvalidArgument(fmt::format(
      "[raw_pixels] all {0} are equal, so there is nothing to learn from them, or their values "
      "differ too little for float32: then scale the data, e.g. to {1}",
      shape.is_sample() ? "samples" : "images",
      shape.is_sample() ? "values around 1" : "0 ... 255"));
}

double choose_c(TrainingRun& run, SvmTrainer& trainer) {
  const auto state = run.checkpoint.state(kSearch);
  const auto keep = [&](const Archive& searched) { run.checkpoint.store_state(kSearch, searched); };
  run.report.chosen_c = trainer.choose_c(keep, state ? &*state : nullptr);
  return run.report.chosen_c.C;
}

/// Calibrates on the scores of images that the classifier was not trained on.
std::optional<double> calibrate(TrainingRun& run, SvmTrainer& trainer, double C) {
  if (const auto known = run.checkpoint.state(kCalibration))
    return known->scalar<double>(kCalibration);
  const HeldOutScores held_out = trainer.held_out_scores(C);
  if (held_out.labels.empty()) return std::nullopt;
  const double temperature = fit_temperature(held_out.scores, held_out.labels);
  Archive found;
  found.put_scalar(kCalibration, temperature);
  run.checkpoint.store_state(kCalibration, found);
  return temperature;
}

}  // namespace

FeatureMatrix extract_features(TrainingRun& run, const ImageFeatures* extractor,
                               const ImageSet& input) {
  // Dictionaries learn from all features.
  const Context context = is_layered(run.job.options) ? run.context : sharing(run.context);
  const std::string stage = "features";
  if (extractor == nullptr) {
    const bool unit_length = features_of(run.job.options).unit_length;
    return timed(run.report, stage, [&] {
      FeatureMatrix pixels = raw_pixels(run.context, input, input.shape(), unit_length);
      require_differences(std::as_const(pixels).view(), input.shape());
      return pixels;
    });
  }
  // Ranks keep their features in memory: after an interruption they are computed again.
  if (!run.checkpoint.active() || run.context.ranks() != nullptr)
    return timed(run.report, stage, [&] { return extractor->extract(context, input); });
  const Index done = kept_features(run.checkpoint, input.size(), extractor->features());
  FeatureMatrix features(run.context, run.checkpoint.features_path(), input.size(),
                         extractor->features());
  if (done < input.size())
    timed(run.report, stage, [&] { extract_rest(run, *extractor, input, done, features); });
  features.detach(run.context);
  return features;
}

SvmOptions svm_options_of(const Context& context, const PipelineOptions& options,
                          ConstMatrixView<float> features) {
  constexpr double kUnit = 100;
  SvmOptions svm{.balanced = options.classifier.balanced};
  if (feature_scaling_of(options) == FeatureScaling::kStandardise) return svm;
  std::vector<double> squares(static_cast<std::size_t>(features.rows()));
  const Range own = own_share(context, features.rows());
  parallel_for(context, own.size(), work_of(features.size(), kPerValue), [&](Index place) {
    const Index i = own.begin + place;
    const float* row = features.data() + i * features.outerStride();
    squares[static_cast<std::size_t>(i)] = ordered_dot(row, row, features.cols());
  });
  gather_parts(context, squares.data(), Partition(features.rows(), 1));
  const double mean = ordered_sum(squares.data(), features.rows()) / double(features.rows());
  if (mean > 0) svm.c_unit = kUnit / mean;
  return svm;
}

bool hold_out_pairs(const Context& context, const std::vector<int>& labels,
                    const PipelineOptions& options, SvmTrainer& trainer) {
  if (!trains_on_mirrors(options)) return true;
  const auto images = std::ssize(labels) / 2;
  std::vector<Index> held_out =
      stratified_split({labels.begin(), labels.begin() + images}, kHeldOutPart, context.seed())
          .test;
  const std::size_t count = held_out.size();
  require(count > 0 || options.classifier.C, "svm",
          "no class has two images, so none can be held out to choose C; set svm-c");
  for (std::size_t i = 0; i < count; ++i) held_out.push_back(held_out[i] + images);
  trainer.hold_out(std::move(held_out));
  return count > 0;
}

ClassifierParts fit_classifier(TrainingRun& run, const ImageSet& images, FeatureMatrix features,
                               std::optional<double> temperature, PipelineOptions& options) {
  return timed(run.report, "svm", [&] {
    Context context = sharing(run.context);
    const bool standardises = feature_scaling_of(options) == FeatureScaling::kStandardise;
    Standardiser standardiser =
        standardises ? Standardiser::fit(context, std::as_const(features).view()) : Standardiser();
    standardiser.apply_in_place(context, features.view());
    const ConstMatrixView<float> scaled = std::as_const(features).view();
    const SvmOptions svm_options = svm_options_of(context, options, scaled);
    if (SampleSpan::pays(features.rows(), features.cols())) {  // needs every pair of rows
      gather_all_rows<float>(context, features.view());
      context = context.with_all_rows();
    }
    SvmTrainer trainer(context, scaled, images.labels(), images.classes(), svm_options);
    const bool judges = hold_out_pairs(context, images.labels(), options, trainer);
    if (!options.classifier.C) options.classifier.C = choose_c(run, trainer);
    if (!temperature && judges) temperature = calibrate(run, trainer, *options.classifier.C);
    const auto state = run.checkpoint.state(kFit);
    LinearClassifier svm = trainer.fit(*options.classifier.C, run.checkpoint.solver_hooks(kFit),
                                       state ? &*state : nullptr);
    return ClassifierParts{std::move(standardiser), std::move(svm), temperature};
  });
}

}  // namespace krica
