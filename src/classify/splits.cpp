// SPDX-License-Identifier: BSD-3-Clause
#include "classify/splits.hpp"

#include <map>

#include "runtime/check.hpp"

namespace krica {
namespace {

/// The samples of each class, in random order.
std::map<int, std::vector<Index>> shuffled_classes(const Context& context,
                                                   std::span<const int> labels,
                                                   std::string_view purpose) {
  std::map<int, std::vector<Index>> classes;
  for (std::size_t i = 0; i < labels.size(); ++i)
    classes[labels[i]].push_back(static_cast<Index>(i));
  for (auto& [label, samples] : classes) {
    Random random = context.random(purpose, static_cast<std::uint64_t>(label));
    std::vector<Index> shuffled;
    for (const Index place : random_permutation(random, static_cast<Index>(samples.size()))) {
      shuffled.push_back(samples[static_cast<std::size_t>(place)]);
    }
    samples = std::move(shuffled);
  }
  return classes;
}

}  // namespace

std::vector<int> stratified_folds(const Context& context, std::span<const int> labels, int folds,
                                  std::string_view purpose) {
  require(folds >= 2 && static_cast<std::size_t>(folds) <= labels.size(), "split",
          "folds must be 2 to the number of samples ({}), got {}", labels.size(), folds);
  std::vector<int> fold(labels.size());
  int next = 0;  // not reset per class, so that small classes do not all fill the first folds
  for (const auto& [label, samples] : shuffled_classes(context, labels, purpose)) {
    for (const Index sample : samples) {
      fold[static_cast<std::size_t>(sample)] = next;
      next = (next + 1) % folds;
    }
  }
  return fold;
}

std::vector<int> values_at(std::span<const int> values, std::span<const Index> places) {
  std::vector<int> chosen;
  for (const Index place : places) chosen.push_back(values[static_cast<std::size_t>(place)]);
  return chosen;
}

double accuracy_of(std::span<const int> predicted, std::span<const int> labels) {
  require(predicted.size() == labels.size() && !labels.empty(), "accuracy",
          "{} predictions for {} labels", predicted.size(), labels.size());
  Index right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += predicted[i] == labels[i] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

}  // namespace krica
