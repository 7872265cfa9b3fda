// SPDX-License-Identifier: BSD-3-Clause
#include "krica/classify/linear_classifier.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "svm";
constexpr Index kBlockRows = 256;

}  // namespace

void SvmOptions::validate() const {
  require(std::isfinite(C) && C > 0, kName, "C must be finite and > 0, got {}", C);
  require(max_iterations >= 0, kName, "max_iterations must be >= 0, got {}", max_iterations);
  require(tolerance >= 0, kName, "tolerance must be >= 0, got {}", tolerance);
  require(std::isfinite(c_unit) && c_unit > 0, kName, "c_unit must be finite and > 0, got {}",
          c_unit);
}

LinearClassifier::LinearClassifier(Matrix<float> weights, double objective)
    : weights_(std::move(weights)), objective_(objective) {}

LinearClassifier LinearClassifier::fit(const Context& context, ConstMatrixView<float> features,
                                       std::span<const int> labels, Index n_classes,
                                       const SvmOptions& options, const SolverHooks& hooks,
                                       const Archive* state) {
  return SvmTrainer(context, features, labels, n_classes, options).fit(options.C, hooks, state);
}

Matrix<float> LinearClassifier::scores(const Context& context,
                                       ConstMatrixView<float> features) const {
  require(features.cols() == n_features(), kName, "got {} features, expected {}", features.cols(),
          n_features());
  Matrix<float> scores(features.rows(), n_classes());
  const ConstMatrixView<float> weights(weights_.data(), n_classes(), n_features(), weights_.cols());
  const Partition tiles(features.rows(), kBlockRows);
  const Range own = own_share(context, tiles.count());
  parallel_for(context, own.size(), work_of(features.size(), n_classes()), [&](Index place) {
    const Range tile = tiles[own.begin + place];
    blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F,
                      features.rows_between(tile.begin, tile.end), weights, 0.0F,
                      MatrixView<float>(scores).rows_between(tile.begin, tile.end));
    for (Index i = tile.begin; i < tile.end; ++i) {
      for (Index c = 0; c < n_classes(); ++c) scores(i, c) += weights_(c, n_features());
    }
  });
  if (!context.shares_rows()) return scores;
  const int ranks = context.ranks()->size();
  gather_computed(context, scores.data(), sizeof(float) * static_cast<std::size_t>(n_classes()),
                  [&](int rank) { return rows_of_share(tiles, rank, ranks); });
  return scores;
}

std::vector<int> best_classes(ConstMatrixView<float> scores) {
  std::vector<int> classes;
  for (Index i = 0; i < scores.rows(); ++i) {
    const float* row = scores.data() + i * scores.outerStride();
    classes.push_back(static_cast<int>(std::max_element(row, row + scores.cols()) - row));
  }
  return classes;
}

std::vector<int> LinearClassifier::predict(const Context& context,
                                           ConstMatrixView<float> features) const {
  return best_classes(scores(context, features));
}

void LinearClassifier::save(Archive& archive) const { archive.put("svm.weights", weights_); }

LinearClassifier LinearClassifier::load(const Archive& archive) {
  LinearClassifier svm;
  svm.weights_ = finite_matrix<float>(archive, "svm.weights");
  if (svm.weights_.rows() < 2 || svm.weights_.cols() < 2)
    throw DataError("[svm] the saved weights are too small");
  return svm;
}

}  // namespace krica
