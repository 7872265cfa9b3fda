// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "classify/metrics.hpp"
#include "classify/splits.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

TEST(Metrics, ByHand) {
  const std::vector<int> labels = {0, 0, 0, 1, 1, 3};
  const std::vector<int> predicted = {0, 0, 1, 1, 0, 3};
  const Evaluation e = evaluate_predictions(predicted, labels, 4);
  EXPECT_DOUBLE_EQ(e.accuracy, 4.0 / 6);
  EXPECT_DOUBLE_EQ(e.per_class[0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(e.per_class[1], 0.5);
  EXPECT_TRUE(std::isnan(e.per_class[2])) << "no samples";
  EXPECT_DOUBLE_EQ(e.per_class[3], 1.0);
  EXPECT_DOUBLE_EQ(e.mean_per_class, (2.0 / 3 + 0.5 + 1) / 3);
  const std::vector<ConfusionCount> pairs = {{0, 0, 2}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {3, 3, 1}};
  EXPECT_EQ(e.confusion, pairs);
  const std::vector<std::vector<Index>> all = {
      {2, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}};
  EXPECT_EQ(confusion_matrix(e), all);
  EXPECT_DOUBLE_EQ(accuracy_of(predicted, labels), e.accuracy);
}

/// A count for every pair of classes would take 32 GB.
TEST(Metrics, ManyClassesTakeLittleMemory) {
  const std::vector<int> labels = {0, 65535, 65535};
  const std::vector<int> predicted = {0, 1, 1};
  const Evaluation e = evaluate_predictions(predicted, labels, 65536);
  EXPECT_EQ(e.confusion, (std::vector<ConfusionCount>{{0, 0, 1}, {65535, 1, 2}}));
  EXPECT_DOUBLE_EQ(e.mean_per_class, 0.5);
}

TEST(Metrics, RefusesBadInput) {
  const std::vector<int> labels = {0, 1};
  EXPECT_THROW(evaluate_predictions(std::vector<int>{0}, labels, 2), InvalidArgument);
  EXPECT_THROW(evaluate_predictions(std::vector<int>{0, 2}, labels, 2), InvalidArgument);
  EXPECT_THROW(evaluate_predictions(std::vector<int>{}, std::vector<int>{}, 2), InvalidArgument);
}

TEST(Folds, DealEveryClassOutEvenly) {
  std::vector<int> labels;
  for (int i = 0; i < 103; ++i) labels.push_back(i % 3 == 0 ? 0 : 1);
  const std::vector<int> fold = stratified_folds(Context({.seed = 5}), labels, 4, "test");
  for (int f = 0; f < 4; ++f) {
    for (int label = 0; label < 2; ++label) {
      int count = 0;
      for (std::size_t i = 0; i < labels.size(); ++i)
        count += fold[i] == f && labels[i] == label ? 1 : 0;
      const int all = static_cast<int>(std::count(labels.begin(), labels.end(), label));
      EXPECT_GE(count, all / 4);
      EXPECT_LE(count, all / 4 + 1);
    }
  }
  EXPECT_EQ(fold, stratified_folds(Context({.threads = 3, .seed = 5}), labels, 4, "test"));
  EXPECT_NE(fold, stratified_folds(Context({.seed = 6}), labels, 4, "test"));
  EXPECT_THROW(stratified_folds(Context(), labels, 1, "test"), InvalidArgument);
  EXPECT_THROW(stratified_folds(Context(), labels, 104, "test"), InvalidArgument);
}

}  // namespace
}  // namespace krica
