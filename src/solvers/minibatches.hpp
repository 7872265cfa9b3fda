// SPDX-License-Identifier: BSD-3-Clause
//
// Minibatches of samples, reshuffled every epoch. The order depends only on the seed, the stream's
// name and the epoch, so a run can resume at any step. A smaller last batch is skipped; its samples
// return in the next epoch's shuffle.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "krica/runtime/context.hpp"
#include "runtime/check.hpp"

namespace krica {

class Minibatches {
 public:
  /// Throws InvalidArgument for a batch larger than the number of samples; `what` names them in the
  /// message.
  Minibatches(const Context& context, std::string stream, std::vector<Index> samples, Index batch,
              std::string_view operation, std::string_view what)
      : context_(context),
        stream_(std::move(stream)),
        samples_(std::move(samples)),
        batch_(batch),
        steps_an_epoch_(static_cast<Index>(samples_.size()) / batch) {
    require(steps_an_epoch_ > 0, operation,
            "a batch of {} is larger than the {} {} that are not held out; use a smaller batch",
            batch, samples_.size(), what);
  }

  [[nodiscard]] Index steps_an_epoch() const { return steps_an_epoch_; }
  [[nodiscard]] Index epoch_of(Index step) const { return step / steps_an_epoch_; }

  /// The batch of step 0, 1, ...
  std::vector<Index> of_step(Index step) {
    if (epoch_of(step) != shuffled_epoch_) {
      shuffled_epoch_ = epoch_of(step);
      Random random = context_.random(stream_, static_cast<std::uint64_t>(shuffled_epoch_));
      order_ = random_permutation(random, static_cast<Index>(samples_.size()));
    }
    const auto first = order_.begin() + (step % steps_an_epoch_) * batch_;
    std::vector<Index> chosen(first, first + batch_);
    for (Index& sample : chosen) sample = samples_[static_cast<std::size_t>(sample)];
    return chosen;
  }

 private:
  const Context& context_;
  std::string stream_;
  std::vector<Index> samples_;
  Index batch_;
  Index steps_an_epoch_;
  std::vector<Index> order_;  // of the samples in shuffled_epoch_
  Index shuffled_epoch_ = -1;
};

}  // namespace krica
