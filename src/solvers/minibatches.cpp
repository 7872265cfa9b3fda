// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/minibatches.hpp"

#include <utility>

#include "runtime/check.hpp"

namespace krica {

Minibatches::Minibatches(const Context& context, std::string stream, std::vector<Index> samples,
                         Index batch, std::string_view operation, std::string_view what)
    : context_(context),
      stream_(std::move(stream)),
      samples_(std::move(samples)),
      batch_(batch),
      steps_an_epoch_(static_cast<Index>(samples_.size()) / batch) {
  require(steps_an_epoch_ > 0, operation,
          "a batch of {} is larger than the {} {} that are not held out; give a smaller batch",
          batch, samples_.size(), what);
}

std::vector<Index> Minibatches::of_step(Index step) {
  if (epoch_of(step) != shuffled_epoch_) {
    shuffled_epoch_ = epoch_of(step);
    Random random = context_.random(stream_, static_cast<std::uint64_t>(shuffled_epoch_));
    order_ = random_permutation(random, static_cast<Index>(samples_.size()));
  }
  const Index first = (step % steps_an_epoch_) * batch_;
  std::vector<Index> chosen;
  for (Index i = first; i < first + batch_; ++i) {
    const Index place = order_[static_cast<std::size_t>(i)];
    chosen.push_back(samples_[static_cast<std::size_t>(place)]);
  }
  return chosen;
}

}  // namespace krica
