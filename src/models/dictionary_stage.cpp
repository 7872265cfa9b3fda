// SPDX-License-Identifier: BSD-3-Clause
#include "models/dictionary_stage.hpp"

#include <algorithm>
#include <utility>

#include "bases/class_atoms.hpp"
#include "classify/calibration.hpp"
#include "classify/dictionary_codes.hpp"
#include "classify/splits.hpp"
#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
#include "models/parts.hpp"
#include "models/trouble.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

const std::string kCalibration = "temperature";
const std::string kStage = "dictionary";
constexpr double kHeldOutPart = 0.2;

EncoderOptions pursuit_of(const PipelineOptions& options) {
  return {.kind = EncoderKind::kSignedOmp,
          .nonzeros = options.encoder.nonzeros.value_or(EncoderOptions{}.nonzeros)};
}

/// The fewest samples of any class.
Index smallest_class(std::span<const int> labels, Index classes) {
  std::vector<Index> counts(static_cast<std::size_t>(classes), 0);
  for (const int label : labels) ++counts[static_cast<std::size_t>(label)];
  return *std::min_element(counts.begin(), counts.end());
}

Matrix<float> codes_of(const Context& context, const Encoder& encoder,
                       const Matrix<float>& samples) {
  Matrix<float> codes(samples.rows(), encoder.channels());
  constexpr Index kTileRows = 256;
  const Partition tiles(samples.rows(), kTileRows);
  parallel_for(context, tiles.count(), [&](Index t) {
    encoder.encode(ConstMatrixView<float>(samples).rows_between(tiles[t].begin, tiles[t].end),
                   MatrixView<float>(codes).rows_between(tiles[t].begin, tiles[t].end));
  });
  return codes;
}

/// The dictionary's scores of some samples. Their codes are as wide as the dictionary, and exist
/// for a block of them at a time.
Matrix<float> scores_of(const Context& context, const EncoderOptions& pursuit, const Basis& basis,
                        ConstMatrixView<float> samples, std::span<const Index> rows) {
  constexpr Index kBlockRows = 2048;
  const Encoder encoder(pursuit, basis.atoms);
  const ClassifierParts classifier = classifier_from(basis.class_map, {});
  Matrix<float> scores(std::ssize(rows), basis.class_map.rows());
  for_tiles({0, std::ssize(rows)}, kBlockRows, [&](Range block) {
    const auto own =
        rows.subspan(static_cast<std::size_t>(block.begin), static_cast<std::size_t>(block.size()));
    const Matrix<float> codes = codes_of(context, encoder, rows_at<float>(samples, own));
    MatrixView<float>(scores).rows_between(block.begin, block.end) =
        classifier.linear.scores(context, codes).view();
  });
  return scores;
}

LargeMatrix copied_rows(const Context& context, ConstMatrixView<float> from,
                        std::span<const Index> rows) {
  LargeMatrix copies(context, std::ssize(rows), from.cols());
  Index to = 0;
  for (const Index row : rows) {
    release_pages_when_due();
    copies.view().row(to++) = from.row(row);
  }
  return copies;
}

}  // namespace

ClassifierParts classifier_from(const Matrix<float>& class_map, std::optional<double> temperature) {
  const auto K = static_cast<std::size_t>(class_map.cols());
  Matrix<float> weights(class_map.rows(), class_map.cols() + 1);  // the bias is 0
  weights.view().leftCols(class_map.cols()) = class_map.view();
  return {Standardiser(std::vector<float>(K, 0.0F), std::vector<float>(K, 1.0F)),
          LinearClassifier(std::move(weights), 0), temperature};
}

namespace {

/// Of samples that the dictionary has not seen; none if those that are left cannot be learned from,
/// such as equal ones.
std::optional<double> held_out_temperature(const Context& context, ConstMatrixView<float> samples,
                                           std::span<const int> labels,
                                           const PipelineOptions& options) {
  const auto split = stratified_split({labels.begin(), labels.end()}, kHeldOutPart, context.seed());
  if (split.test.empty()) return std::nullopt;
  const std::vector<int> learned_labels = values_at(labels, split.train);
  const Index classes = 1 + *std::max_element(labels.begin(), labels.end());
  BasisOptions settings = basis_of(options);
  settings.components =
      classes * std::min(settings.components / classes, smallest_class(learned_labels, classes));
  if (settings.components == 0) return std::nullopt;
  const LargeMatrix learned = copied_rows(context, samples, split.train);
  const BasisRequest request{learned.view(), learned_labels, settings, {}, nullptr};
  try {
    const Basis basis = basis_method(options.method).learn(context, request);
    return fit_temperature(scores_of(context, pursuit_of(options), basis, samples, split.test),
                           values_at(labels, split.test));
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<double> calibrate_dictionary(TrainingRun& run, ConstMatrixView<float> samples,
                                           std::span<const int> labels,
                                           const PipelineOptions& options) {
  if (const auto known = run.checkpoint.state(kCalibration))
    return known->scalar<double>(kCalibration);
  const auto temperature = held_out_temperature(run.context, samples, labels, options);
  if (!temperature) return std::nullopt;
  Archive found;
  found.put_scalar(kCalibration, *temperature);
  run.checkpoint.store_state(kCalibration, found);
  return temperature;
}

void check_dictionary(const ImageSet& images, const PipelineOptions& settled) {
  const ConstMatrixView<float> unknown(nullptr, images.size(), 0);
  require_class_patches({unknown, images.labels(), basis_of(settled), {}, nullptr});
}

ClassifierParts fit_dictionary(TrainingRun& run, const ImageSet& images, FeatureMatrix features,
                               Model::Parts& parts) {
  const PipelineOptions& options = run.job.options;
  FeatureProjection projection = timed(run.report, "projection", [&] {
    return FeatureProjection::fit(run.context, std::as_const(features).view(),
                                  options.dictionary.feature_components);
  });
  return timed(run.report, kStage, [&] {
    LargeMatrix projected(run.context, features.rows(), projection.outputs());
    projection.apply(run.context, std::as_const(features).view(), projected.view());
    const ConstMatrixView<float> samples = std::as_const(projected).view();
    const auto state = run.checkpoint.state(kStage);
    const BasisRequest request{samples, images.labels(), basis_of(options),
                               run.checkpoint.solver_hooks(kStage), state ? &*state : nullptr};
    Basis basis = basis_method(options.method).learn(run.context, request);
    ClassifierParts classifier = classifier_from(
        basis.class_map, calibrate_dictionary(run, samples, images.labels(), options));
    classifier.dictionary = {std::move(projection), Encoder(pursuit_of(options), basis.atoms)};
    parts.basis_status = name_of(basis.status);
    parts.history = std::move(basis.history);
    if (run.report.warning.empty())
      run.report.warning = trouble_with(options, parts.basis_status, parts.history);
    return classifier;
  });
}

}  // namespace krica
