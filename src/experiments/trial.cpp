// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/trial.hpp"

#include <algorithm>
#include <cmath>

#include "models/class_match.hpp"
#include "models/model_parts.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::size_t kMistakes = 12;
constexpr Index kBins = 40;
// Codes are sampled in tiles of positions: enough for a histogram, small even for the largest
// basis.
constexpr Index kImages = 8;
constexpr Index kTiles = 8;
constexpr Index kTileRows = 8;
constexpr float kSmall = 0.01F;

std::vector<Mistake> worst_mistakes(const Matrix<float>& scores, const std::vector<int>& labels,
                                    const std::vector<int>& predictions) {
  std::vector<Mistake> mistakes;
  for (Index i = 0; i < scores.rows(); ++i) {
    const int truth = labels[static_cast<std::size_t>(i)];
    const int predicted = predictions[static_cast<std::size_t>(i)];
    if (truth == predicted) continue;
    mistakes.push_back({i, truth, predicted, double{scores(i, predicted)} - scores(i, truth)});
  }
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const Mistake& a, const Mistake& b) { return a.margin > b.margin; });
  if (mistakes.size() > kMistakes) mistakes.resize(kMistakes);
  return mistakes;
}

/// Codes of patches spread over some images, one patch per row.
Matrix<float> some_codes(const FeatureExtractor& extractor, const ImageSet& images) {
  const Index n_images = std::min(kImages, images.size());
  const auto chosen = [&](Index i) { return i * images.size() / n_images; };
  const auto positions = [&](Index i) {
    return extractor.grid_of(images.shape_of(chosen(i))).positions();
  };
  Index fewest = positions(0);
  for (Index i = 1; i < n_images; ++i) fewest = std::min(fewest, positions(i));
  const Index rows = std::min(kTileRows, fewest);
  const Index tiles = std::min(kTiles, fewest / rows);
  Matrix<float> codes(n_images * tiles * rows, extractor.encoder().channels());
  std::vector<float> pixels(static_cast<std::size_t>(images.shape().values()));
  Index row = 0;
  for (Index i = 0; i < n_images; ++i) {
    images.read(chosen(i), 1, pixels.data());
    for (Index t = 0; t < tiles; ++t) {
      const Index first = t * (positions(i) - rows) / std::max<Index>(1, tiles - 1);
      extractor.encode(pixels.data(), images.shape_of(chosen(i)), first,
                       MatrixView<float>(codes).rows_between(row, row + rows));
      row += rows;
    }
  }
  return codes;
}

double hoyer(const float* code, Index n) {
  double sum = 0;
  double squares = 0;
  for (Index u = 0; u < n; ++u) {
    sum += std::abs(double{code[u]});
    squares += double{code[u]} * code[u];
  }
  if (squares == 0 || n < 2) return 0;
  const double root = std::sqrt(static_cast<double>(n));
  return (root - sum / std::sqrt(squares)) / (root - 1);
}

CodeStatistics statistics_of(const Matrix<float>& codes) {
  CodeStatistics statistics;
  const float* end = codes.data() + codes.size();
  const auto [low, high] = std::minmax_element(codes.data(), end);
  statistics.lowest = *low;
  statistics.highest = *high;
  statistics.counts.assign(static_cast<std::size_t>(kBins), 0);
  const double width = std::max(1e-30, statistics.highest - statistics.lowest);
  const float largest = std::max(std::abs(*low), std::abs(*high));
  Index small = 0;
  for (const float* code = codes.data(); code != end; ++code) {
    const auto bin = static_cast<Index>(kBins * (double{*code} - statistics.lowest) / width);
    ++statistics.counts[static_cast<std::size_t>(std::clamp<Index>(bin, 0, kBins - 1))];
    if (std::abs(*code) < kSmall * largest) ++small;
  }
  statistics.small = static_cast<double>(small) / static_cast<double>(codes.size());
  for (Index i = 0; i < codes.rows(); ++i)
    statistics.sparsity += hoyer(codes.row(i), codes.cols()) / static_cast<double>(codes.rows());
  return statistics;
}

}  // namespace

Evaluation Trial::evaluation() const {
  return evaluate_predictions(predictions, labels, static_cast<Index>(class_names.size()));
}

Trial trial_of(const Model& model, const TrainingReport& report, Index train_images) {
  Trial trial;
  trial.options = model.options();
  trial.fingerprint = model.parts().fingerprint;
  trial.train_images = train_images;
  trial.class_names = model.class_names();
  trial.basis_status = model.parts().basis_status;
  for (const HistoryRow& row : model.parts().history) trial.objective.push_back(row.value);
  trial.held_out_accuracy = report.held_out_accuracy;
  trial.stages = summed(report.stages);
  trial.resumed = report.resumed;
  trial.warning = report.warning;
  return trial;
}

void add_test(const Model& model, const Matrix<float>& scores, const ImageSet& test, Trial& trial) {
  require(static_cast<Index>(test.labels().size()) == scores.rows(), "trial",
          "{} labels for the scores of {} images", test.labels().size(), scores.rows());
  trial.labels = labels_known_to(model.class_names(), test, "trial");
  trial.predictions = best_classes(scores);
  trial.mistakes = worst_mistakes(scores, trial.labels, trial.predictions);
  if (model.parts().extractor) {
    trial.codes = statistics_of(
        some_codes(*model.parts().extractor, SamplesInUnits(test, model.parts().units)));
  }
}

}  // namespace krica
